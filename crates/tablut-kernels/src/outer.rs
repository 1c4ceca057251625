//! Sums of outer products, for the gradients of a layer's weights.

use crate::lanes::Lanes;
use crate::product::rows_fit;
use crate::{LANES, Rows};

/// `sums[i][o] += Σ over pairs and their rows r of left[r][i] · right[r][o]`. Each element is one chain of multiply-adds
/// over the pairs and their rows in order.
#[derive(Copy, Clone)]
pub(crate) struct Outer<'a> {
    /// Rows of `inputs` values, and as many rows of `panels` vectors.
    pub pairs: &'a [[Rows<'a>; 2]],
    pub inputs: usize,
    pub panels: usize,
    /// Whether to start from the content of `sums`, rather than from zero.
    pub onto: bool,
}

impl Outer<'_> {
    /// Whether everything that [`run`] reads and writes is inside its slices.
    pub(crate) fn fits(&self, sums: &[f32]) -> bool {
        let outputs = self.panels * LANES;
        self.inputs.checked_mul(outputs).is_some_and(|size| size <= sums.len())
            && self.pairs.iter().all(|[left, right]| {
                left.count == right.count
                    && rows_fit(left.values.len(), left.count, left.stride, self.inputs)
                    && rows_fit(right.values.len(), right.count, right.stride, outputs)
            })
    }
}

/// Computes the sums in blocks of `R` inputs and `C` panels, and the rest one by one.
///
/// # Safety
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
        for [left, right] in outer.pairs {
            for row in 0..left.count {
                let mut vectors = [V::zero(); C];
                for (c, vector) in vectors.iter_mut().enumerate() {
                    *vector = V::load(right.values, row * right.stride + (panel + c) * LANES);
                }
                for (r, line) in chains.iter_mut().enumerate() {
                    let value = V::splat_from(left.values, row * left.stride + input + r);
                    for (chain, vector) in line.iter_mut().zip(vectors) {
                        *chain = value.mul_add(vector, *chain);
                    }
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
