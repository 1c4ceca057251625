//! Products of rows with a packed matrix, in blocks that fit into registers.

use crate::LANES;
use crate::lanes::Lanes;

/// `out[r] = init + rows[r] · weights` for every row. Each element is one chain of multiply-adds over the inputs in
/// order.
#[derive(Copy, Clone)]
pub(crate) struct Product<'a> {
    /// The rows' values. Row `r` starts at `r * row_stride` and has `inputs` of them.
    pub rows: &'a [f32],
    pub row_stride: usize,
    pub n_rows: usize,
    /// As [`crate::Matrix`] packs them.
    pub weights: &'a [f32],
    pub inputs: usize,
    pub panels: usize,
    /// The start of the chains, one value per padded output, or empty for zeros.
    pub init: &'a [f32],
    pub relu: bool,
}

impl Product<'_> {
    /// Whether everything that [`run`] reads and writes is inside its slices.
    pub(crate) fn fits(&self, out: &[f32]) -> bool {
        let outputs = self.panels * LANES;
        self.n_rows == 0
            || (rows_fit(self.rows.len(), self.n_rows, self.row_stride, self.inputs)
                && self.weights.len() == outputs * self.inputs
                && (self.init.is_empty() || self.init.len() == outputs)
                && rows_fit(out.len(), self.n_rows, outputs, outputs))
    }
}

/// Panels of a block of a single row.
const SINGLE: usize = 4;

/// Whether `len` values hold `n_rows` rows of `width` values, one every `stride`. The stride may be any number. Rows
/// whose end overflows do not fit.
pub(crate) fn rows_fit(len: usize, n_rows: usize, stride: usize, width: usize) -> bool {
    let last = n_rows.saturating_sub(1).checked_mul(stride);
    n_rows == 0 || last.and_then(|at| at.checked_add(width)).is_some_and(|end| end <= len)
}

/// Computes a product in blocks of `R` rows and `C` panels. The last rows are computed in blocks of three rows and one
/// row, and the last panels one by one. A single row is computed in blocks of four panels, so that enough sums are in
/// progress.
///
/// # Safety
/// The contract of [`Lanes`], and [`Product::fits`].
#[inline(always)]
pub(crate) unsafe fn run<V: Lanes, const R: usize, const C: usize>(product: &Product<'_>, out: &mut [f32]) {
    if product.n_rows == 1 && C < SINGLE {
        // SAFETY: the caller's contract.
        return unsafe { run::<V, 1, SINGLE>(product, out) };
    }
    let whole = product.panels - product.panels % C;
    for panel in (0..whole).step_by(C) {
        // SAFETY: the caller's contract: the panels lie inside the product.
        unsafe { strip::<V, R, C>(product, panel, out) };
    }
    for panel in whole..product.panels {
        // SAFETY: as above.
        unsafe { strip::<V, R, 1>(product, panel, out) };
    }
}

/// Computes the elements of all rows and `C` panels from `panel`.
#[inline(always)]
unsafe fn strip<V: Lanes, const R: usize, const C: usize>(product: &Product<'_>, panel: usize, out: &mut [f32]) {
    let mut row = 0;
    // SAFETY: the contract of `run`: rows and panels of each block lie inside the product.
    unsafe {
        while row + R <= product.n_rows {
            block::<V, R, C>(product, row, panel, out);
            row += R;
        }
        while row + 3 <= product.n_rows {
            block::<V, 3, C>(product, row, panel, out);
            row += 3;
        }
        while row < product.n_rows {
            block::<V, 1, C>(product, row, panel, out);
            row += 1;
        }
    }
}

/// Computes the elements of `R` rows from `row` and `C` panels from `panel`, with all sums in registers.
#[inline(always)]
unsafe fn block<V: Lanes, const R: usize, const C: usize>(
    product: &Product<'_>,
    row: usize,
    panel: usize,
    out: &mut [f32],
) {
    let Product { rows, row_stride, weights, inputs, .. } = *product;
    // SAFETY: the contract of `run`: `fits` holds, and the block's rows and panels lie inside the product, so that
    // every index below lies inside its slice.
    unsafe {
        let mut sums = [[V::zero(); C]; R];
        if !product.init.is_empty() {
            for c in 0..C {
                let start = V::load(product.init, (panel + c) * LANES);
                for line in &mut sums {
                    line[c] = start;
                }
            }
        }
        for k in 0..inputs {
            let mut w = [V::zero(); C];
            for (c, w) in w.iter_mut().enumerate() {
                *w = V::load(weights, ((panel + c) * inputs + k) * LANES);
            }
            for (r, line) in sums.iter_mut().enumerate() {
                let x = V::splat_from(rows, (row + r) * row_stride + k);
                for (sum, w) in line.iter_mut().zip(w) {
                    *sum = x.mul_add(w, *sum);
                }
            }
        }
        for (r, line) in sums.iter().enumerate() {
            for (c, &sum) in line.iter().enumerate() {
                let sum = if product.relu { sum.max(V::zero()) } else { sum };
                sum.store(out, ((row + r) * product.panels + panel + c) * LANES);
            }
        }
    }
}
