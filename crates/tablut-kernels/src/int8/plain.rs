//! Products of matrices for all levels but AVX2, and their sums on every machine.

use std::borrow::Cow;

use super::sixteen::{Plain, Sixteen, at, at_mut};
use super::{Dot, Int8Matrix, Sums, Target};
use crate::LANES;

/// Sums in f32, which every machine multiplies fast. They are whole numbers below 2^24, so none is rounded.
pub(crate) struct Floats;

impl Dot for Floats {
    type Vector = Plain;
    type Activation = f32;

    fn activations(rows: &[u8]) -> Cow<'_, [f32]> {
        rows.iter().map(|&x| f32::from(x)).collect()
    }

    #[inline(always)]
    unsafe fn sums<const R: usize>(rows: &[f32], matrix: &Int8Matrix, starts: &Sums, output: usize) -> [Sums; R] {
        let mut sums = [starts.map(|start| start as f32); R];
        let inputs = matrix.inputs;
        let weights = matrix.floats.packed()[output * inputs..][..LANES * inputs].chunks_exact(LANES);
        for (input, weights) in weights.enumerate() {
            for (row, sums) in sums.iter_mut().enumerate() {
                let x = rows[row * inputs + input];
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
        }
        let mut whole = [[0; LANES]; R];
        for (whole, sum) in whole.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            // SAFETY: the sums are whole numbers below 2^24.
            *whole = unsafe { sum.to_int_unchecked() };
        }
        whole
    }
}

impl Target<'_> {
    /// Takes the sums of the sixteen outputs from `output` on of a row.
    ///
    /// # Safety
    /// The contract of [`Sixteen`].
    #[inline(always)]
    unsafe fn write<V: Sixteen>(&mut self, matrix: &Int8Matrix, row: usize, output: usize, sums: &Sums) {
        let place = row * matrix.outputs + output;
        // SAFETY: the caller's contract.
        unsafe {
            let values = V::of_sums(sums, matrix.shift).scaled(V::load(at(&matrix.multipliers, output)));
            match self {
                Target::Sums(out) => values.store(at_mut(out, place)),
                Target::Onto(image) => {
                    let before = V::of_bytes(at(image, place));
                    before.add_cut(values).store_cut(at_mut(image, place));
                }
            }
        }
    }
}

/// `starts + matrix · rows[r]` for every row.
///
/// # Safety
/// The machine has the level of `D`. The sizes fit, as [`crate::Kernels::int8_product`] checks.
#[inline(always)]
pub(crate) unsafe fn product<D: Dot>(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], mut target: Target<'_>) {
    let rows = D::activations(rows);
    let n_rows = rows.len() / matrix.inputs;
    let from = |row: usize| &rows[row * matrix.inputs..];
    for output in (0..matrix.outputs).step_by(LANES) {
        let starts: &Sums = starts[output..][..LANES].try_into().expect("sixteen");
        let mut row = 0;
        while row < n_rows {
            // SAFETY: the caller's contract.
            unsafe {
                if row + 3 <= n_rows {
                    for (at, sums) in D::sums::<3>(from(row), matrix, starts, output).iter().enumerate() {
                        target.write::<D::Vector>(matrix, row + at, output, sums);
                    }
                    row += 3;
                } else {
                    let [sums] = D::sums::<1>(from(row), matrix, starts, output);
                    target.write::<D::Vector>(matrix, row, output, &sums);
                    row += 1;
                }
            }
        }
    }
}
