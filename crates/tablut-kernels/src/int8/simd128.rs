//! Sums of products for WebAssembly's vectors.

use std::arch::wasm32::{i32x4_add, i32x4_dot_i16x8, v128_load, v128_load32_splat, v128_store};
use std::borrow::Cow;

use super::{Dot, Int8Matrix, Sums};
use crate::LANES;

/// By sums of two products of sixteen bits.
pub(crate) struct Pairs;

impl Dot for Pairs {
    type Activation = i16;

    fn activations(rows: &[u8]) -> Cow<'_, [i16]> {
        rows.iter().map(|&x| i16::from(x)).collect()
    }

    #[inline(always)]
    unsafe fn sums<const R: usize>(rows: &[i16], matrix: &Int8Matrix, starts: &Sums, output: usize) -> [Sums; R] {
        let inputs = matrix.inputs;
        let weights = &matrix.pairs[output * inputs..][..LANES * inputs];
        assert!(rows.len() >= R * inputs, "the rows of a block");
        // SAFETY: the module exists only in code that is compiled for these instructions. The slices were checked above:
        // four outputs have `4 * inputs` weights, eight for each pair of inputs.
        unsafe {
            let starts = [0, 4, 8, 12].map(|first| v128_load(starts[first..].as_ptr().cast()));
            let mut sums = [starts; R];
            for pair in 0..inputs / 2 {
                let w = [0, 1, 2, 3].map(|four| v128_load(weights.as_ptr().add(4 * inputs * four + 8 * pair).cast()));
                for (row, sums) in sums.iter_mut().enumerate() {
                    let x = v128_load32_splat(rows.as_ptr().add(row * inputs + 2 * pair).cast());
                    for (sum, w) in sums.iter_mut().zip(w) {
                        *sum = i32x4_add(*sum, i32x4_dot_i16x8(w, x));
                    }
                }
            }
            sums.map(|sums| {
                let mut stored = [0; LANES];
                for (stored, sum) in stored.chunks_exact_mut(4).zip(sums) {
                    v128_store(stored.as_mut_ptr().cast(), sum);
                }
                stored
            })
        }
    }
}
