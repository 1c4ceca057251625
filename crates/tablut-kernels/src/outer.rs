//! Sums of outer products, for the gradients of a layer's weights.

use crate::LANES;
use crate::lanes::Lanes;
use crate::product::rows_fit;

/// `sums[i][o] += Σ over rows r of left[r][i] · right[r][o]`. Each element is one chain of multiply-adds over the rows
/// in order.
#[derive(Copy, Clone)]
pub(crate) struct Outer<'a> {
    /// Row `r` starts at `r * left_stride` and has `inputs` values.
    pub left: &'a [f32],
    pub left_stride: usize,
    pub inputs: usize,
    /// Row `r` starts at `r * right_stride` and has `panels` vectors.
    pub right: &'a [f32],
    pub right_stride: usize,
    pub panels: usize,
    pub n_rows: usize,
    /// Whether to start from the content of `sums`, rather than from zero.
    pub onto: bool,
}

impl Outer<'_> {
    /// Whether everything that [`run`] reads and writes is inside its slices.
    pub(crate) fn fits(&self, sums: &[f32]) -> bool {
        let outputs = self.panels * LANES;
        self.inputs.checked_mul(outputs).is_some_and(|size| size <= sums.len())
            && rows_fit(self.left.len(), self.n_rows, self.left_stride, self.inputs)
            && rows_fit(self.right.len(), self.n_rows, self.right_stride, outputs)
    }
}

/// Computes the sums in blocks of `R` inputs and `C` panels, and the rest one by one.
///
/// # Safety
///
/// The contract of [`Lanes`], and [`Outer::fits`].
#[inline(always)]
pub(crate) unsafe fn run<V: Lanes, const R: usize, const C: usize>(outer: &Outer<'_>, sums: &mut [f32]) {
    let whole = outer.panels - outer.panels % C;
    for panel in (0..whole).step_by(C) {
        // SAFETY: the caller's contract: the panels lie inside the sums.
        unsafe { strip::<V, R, C>(outer, panel, sums) };
    }
    for panel in whole..outer.panels {
        // SAFETY: as above.
        unsafe { strip::<V, R, 1>(outer, panel, sums) };
    }
}

/// Computes the sums of all inputs and `C` panels from `panel`.
#[inline(always)]
unsafe fn strip<V: Lanes, const R: usize, const C: usize>(outer: &Outer<'_>, panel: usize, sums: &mut [f32]) {
    let mut input = 0;
    while input + R <= outer.inputs {
        // SAFETY: the contract of `run`: inputs and panels of the block lie inside the sums.
        unsafe { block::<V, R, C>(outer, input, panel, sums) };
        input += R;
    }
    while input < outer.inputs {
        // SAFETY: as above.
        unsafe { block::<V, 1, C>(outer, input, panel, sums) };
        input += 1;
    }
}

/// Computes the sums of `R` inputs from `input` and `C` panels from `panel`, all in registers.
#[inline(always)]
unsafe fn block<V: Lanes, const R: usize, const C: usize>(
    outer: &Outer<'_>,
    input: usize,
    panel: usize,
    sums: &mut [f32],
) {
    let outputs = outer.panels * LANES;
    // SAFETY: the contract of `run`: `fits` holds, and the block's inputs and panels lie inside the sums, so that every
    // index below lies inside its slice.
    unsafe {
        let mut chains = [[V::zero(); C]; R];
        if outer.onto {
            for (r, line) in chains.iter_mut().enumerate() {
                for (c, chain) in line.iter_mut().enumerate() {
                    *chain = V::load(sums, (input + r) * outputs + (panel + c) * LANES);
                }
            }
        }
        for row in 0..outer.n_rows {
            let mut right = [V::zero(); C];
            for (c, right) in right.iter_mut().enumerate() {
                *right = V::load(outer.right, row * outer.right_stride + (panel + c) * LANES);
            }
            for (r, line) in chains.iter_mut().enumerate() {
                let left = V::splat_from(outer.left, row * outer.left_stride + input + r);
                for (chain, right) in line.iter_mut().zip(right) {
                    *chain = left.mul_add(right, *chain);
                }
            }
        }
        for (r, line) in chains.iter().enumerate() {
            for (c, &chain) in line.iter().enumerate() {
                chain.store(sums, (input + r) * outputs + (panel + c) * LANES);
            }
        }
    }
}
