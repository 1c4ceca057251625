//! Products of rows with a packed matrix in bf16, two inputs at a time, with sums in f32.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512bh, __m512i, _MM_HINT_T1, _mm_prefetch, _mm512_dpbf16_ps, _mm512_loadu_si512, _mm512_set1_epi32,
    _mm512_setzero_ps, _mm512_storeu_ps,
};
#[cfg(target_arch = "x86_64")]
use std::mem::transmute;

use super::points::index;
use crate::LANES;
use crate::product::rows_fit;

/// Values of a panel for one pair of inputs: one register.
#[cfg(target_arch = "x86_64")]
const PAIR: usize = 2 * LANES;
/// Rows and panels of a block. Nine rows are the tiles of a 9×9 image; 18 of the 32 registers hold sums.
#[cfg(target_arch = "x86_64")]
const ROWS: usize = 9;

/// `out[r] = rows[r] · weights` for every row. Each element is one chain of sums over the pairs of inputs in order.
pub(super) struct PairProduct<'a> {
    /// Rows of `inputs` values, one after another.
    pub rows: &'a [u16],
    pub n_rows: usize,
    /// As [`super::points::Bf16PointConvolution`] packs a point.
    pub weights: &'a [u16],
    /// A multiple of two.
    pub inputs: usize,
    pub panels: usize,
    /// The data that the next product reads. It is prefetched.
    pub next: &'a [u16],
}

impl PairProduct<'_> {
    /// Whether everything that is read and written is inside its slices.
    pub(super) fn fits(&self, out: &[f32]) -> bool {
        let outputs = self.panels * LANES;
        self.inputs.is_multiple_of(2)
            && self.weights.len() == outputs * self.inputs
            && rows_fit(self.rows.len(), self.n_rows, self.inputs, self.inputs)
            && rows_fit(out.len(), self.n_rows, outputs, outputs)
    }

    /// Computes the product without the instruction.
    pub(super) fn run_plain(&self, out: &mut [f32]) {
        let wide = |bits: u16| f32::from_bits(u32::from(bits) << 16);
        let outputs = self.panels * LANES;
        for row in 0..self.n_rows {
            let values = &self.rows[row * self.inputs..][..self.inputs];
            for output in 0..outputs {
                let weight = |input| wide(self.weights[index(self.inputs, output, input)]);
                out[row * outputs + output] =
                    values.iter().enumerate().map(|(input, &value)| wide(value) * weight(input)).sum();
            }
        }
    }

    /// Computes the product in blocks.
    ///
    /// # Safety
    ///
    /// The machine has AVX-512F and AVX-512-BF16, and [`PairProduct::fits`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bf16")]
    pub(super) unsafe fn run(&self, out: &mut [f32]) {
        let whole = self.panels - self.panels % 2;
        // SAFETY: the caller's contract; the panels of each call lie inside the product.
        unsafe {
            for panel in (0..whole).step_by(2) {
                self.run_panels::<2>(panel, out);
            }
            if whole < self.panels {
                self.run_panels::<1>(whole, out);
            }
        }
    }

    /// Computes the elements of the `C` panels that start at `panel`.
    ///
    /// # Safety
    ///
    /// As [`PairProduct::run`]; the panels lie inside the product.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn run_panels<const C: usize>(&self, panel: usize, out: &mut [f32]) {
        let mut row = 0;
        // SAFETY: the caller's contract; the rows of each block lie inside the product.
        unsafe {
            self.prefetch(panel, C);
            while row + ROWS <= self.n_rows {
                self.block::<ROWS, C>(row, panel, out);
                row += ROWS;
            }
            while row < self.n_rows {
                self.block::<1, C>(row, panel, out);
                row += 1;
            }
        }
    }

    /// Prefetches the same panels of the next matrix.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn prefetch(&self, panel: usize, n_panels: usize) {
        let size = self.inputs * LANES;
        for line in self.next.chunks(PAIR).skip(panel * size / PAIR).take(n_panels * size / PAIR) {
            _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast());
        }
    }

    /// Computes the elements of `R` rows from `row` and `C` panels from `panel`, with all sums in registers.
    ///
    /// # Safety
    ///
    /// As [`PairProduct::run`]; the block's rows and panels lie inside the product.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn block<const R: usize, const C: usize>(&self, row: usize, panel: usize, out: &mut [f32]) {
        let n_pairs = self.inputs / 2;
        // SAFETY: the caller's contract: rows, weights and outputs of the block lie inside their slices. Two bf16 of a
        // row are read as one number without regard to alignment.
        unsafe {
            let mut sums = [[_mm512_setzero_ps(); C]; R];
            for pair in 0..n_pairs {
                let mut w = [transmute::<__m512i, __m512bh>(_mm512_set1_epi32(0)); C];
                for (c, w) in w.iter_mut().enumerate() {
                    let at = self.weights.as_ptr().add(((panel + c) * n_pairs + pair) * PAIR);
                    *w = transmute::<__m512i, __m512bh>(_mm512_loadu_si512(at.cast()));
                }
                for (r, line) in sums.iter_mut().enumerate() {
                    let at = self.rows.as_ptr().add((row + r) * self.inputs + 2 * pair);
                    let x = transmute::<__m512i, __m512bh>(_mm512_set1_epi32(at.cast::<i32>().read_unaligned()));
                    for (sum, w) in line.iter_mut().zip(w) {
                        *sum = _mm512_dpbf16_ps(*sum, x, w);
                    }
                }
            }
            for (r, line) in sums.iter().enumerate() {
                for (c, &sum) in line.iter().enumerate() {
                    let at = (row + r) * self.panels * LANES + (panel + c) * LANES;
                    _mm512_storeu_ps(out.as_mut_ptr().add(at), sum);
                }
            }
        }
    }
}
