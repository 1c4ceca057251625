//! The kernels' vectors and sums of products for WebAssembly.

use std::arch::wasm32::{
    i16x8_add, i16x8_add_sat, i16x8_load_extend_u8x8, i16x8_max, i16x8_min, i16x8_mul, i16x8_narrow_i32x4,
    i16x8_q15mulr_sat, i16x8_shr, i16x8_splat, i32x4_add, i32x4_dot_i16x8, i32x4_shr, i32x4_splat, u8x16_min,
    u8x16_narrow_i16x8, u8x16_splat, v128, v128_load, v128_load32_splat, v128_store,
};
use std::borrow::Cow;

use super::sixteen::{Sixteen, sixteen};
use super::{Dot, Int8Matrix, Sums, TOP};
use crate::LANES;

/// Two registers.
#[derive(Copy, Clone)]
pub(crate) struct Wide(v128, v128);

impl Wide {
    #[inline(always)]
    fn zip(self, other: Wide, f: impl Fn(v128, v128) -> v128) -> Wide {
        Wide(f(self.0, other.0), f(self.1, other.1))
    }
}

sixteen! {
    Wide;
    fn splat(value: i16) -> Wide = Wide(i16x8_splat(value), i16x8_splat(value));
    fn load(from: &[i16; LANES]) -> Wide = Wide(v128_load(from.as_ptr().cast()), v128_load(from[8..].as_ptr().cast()));
    fn store(self: Self, into: &mut [i16; LANES]) = {
        v128_store(into.as_mut_ptr().cast(), self.0);
        v128_store(into[8..].as_mut_ptr().cast(), self.1);
    };
    fn of_bytes(from: &[u8; LANES]) -> Wide =
        Wide(i16x8_load_extend_u8x8(from.as_ptr()), i16x8_load_extend_u8x8(from[8..].as_ptr()));
    fn store_cut(self: Self, into: &mut [u8; LANES]) = {
        let cut = u8x16_min(u8x16_narrow_i16x8(self.0, self.1), u8x16_splat(TOP as u8));
        v128_store(into.as_mut_ptr().cast(), cut);
    };
    fn of_sums(sums: &[i32; LANES], shift: u32) -> Wide = {
        let half = i32x4_splat(1 << shift >> 1);
        let [a, b, c, d] = [0, 4, 8, 12]
            .map(|first| i32x4_shr(i32x4_add(v128_load(sums[first..].as_ptr().cast()), half), shift));
        Wide(i16x8_narrow_i32x4(a, b), i16x8_narrow_i32x4(c, d))
    };
    fn add(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| i16x8_add(a, b));
    fn mul(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| i16x8_mul(a, b));
    fn add_cut(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| i16x8_add_sat(a, b));
    fn max(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| i16x8_max(a, b));
    fn min(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| i16x8_min(a, b));
    fn scaled(self: Self, multipliers: Wide) -> Wide = self.zip(multipliers, |a, b| i16x8_q15mulr_sat(a, b));
    fn shift_right(self: Self, bits: u32) -> Wide = Wide(i16x8_shr(self.0, bits), i16x8_shr(self.1, bits));
}

/// By sums of two products of sixteen bits.
pub(crate) struct Pairs;

impl Dot for Pairs {
    type Vector = Wide;
    type Activation = i16;

    fn activations(rows: &[u8]) -> Cow<'_, [i16]> {
        let mut wide = vec![0; rows.len()];
        for (to, from) in wide.as_chunks_mut().0.iter_mut().zip(rows.as_chunks().0) {
            // SAFETY: the module exists only in code that is compiled for these instructions.
            unsafe { Wide::of_bytes(from).store(to) };
        }
        wide.into()
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
