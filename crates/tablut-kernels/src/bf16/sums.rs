//! Turns a block's sums into activations after a convolution in bf16.

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, _mm256_storeu_si256, _mm512_add_ps, _mm512_cvtneps_pbh, _mm512_loadu_ps, _mm512_max_ps,
    _mm512_mul_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

use std::mem::transmute;

use super::images::Layout;
use super::number::BF16_LANES;

/// The sums of one block: up to 32 positions of 32 outputs.
#[repr(C, align(64))]
pub(super) struct Sums(pub [f32; 32 * BF16_LANES]);

impl Sums {
    pub fn zeroed() -> Sums {
        Sums([0.0; 32 * BF16_LANES])
    }
}

/// The destination of one image's results for 32 channels.
pub(super) struct Target<'a> {
    /// Channels of the image.
    pub width: usize,
    /// The first of the 32 channels.
    pub channel: usize,
    /// One value for each of the 32 channels.
    pub bias: &'a [f32],
    /// Whether to add the present content of `full`.
    pub residual: bool,
    /// `[square][width]`.
    pub full: Option<&'a mut [f32]>,
    /// `[place][width]`.
    pub rounded: Option<&'a mut [u16]>,
}

/// Sums and maxima of 32 channels over an image's squares so far.
#[derive(Copy, Clone)]
pub(super) struct Pool {
    sum: [__m512; 2],
    max: [__m512; 2],
}

impl Pool {
    #[target_feature(enable = "avx512f")]
    pub fn start() -> Pool {
        // The rectifier's results are never below zero, so zero is a correct start for the maxima.
        let zero = [_mm512_setzero_ps(); 2];
        Pool { sum: zero, max: zero }
    }

    /// Writes the means and maxima of 32 channels from `channel` to a row `[2 * width]`.
    #[target_feature(enable = "avx512f")]
    pub fn finish(self, squares: usize, row: &mut [f32], channel: usize) {
        let share = _mm512_set1_ps(1.0 / squares as f32);
        let (means, maxima) = row.split_at_mut(row.len() / 2);
        for half in 0..2 {
            let range = channel + 16 * half..channel + 16 * half + 16;
            // SAFETY: both ranges hold sixteen values.
            unsafe {
                let mean = _mm512_mul_ps(self.sum[half], share);
                _mm512_storeu_ps(means[range.clone()].as_mut_ptr(), mean);
                _mm512_storeu_ps(maxima[range].as_mut_ptr(), self.max[half]);
            }
        }
    }
}

/// Turns the sums of a block into activations. `first` is the block's first position.
///
/// # Safety
///
/// `target` has 32 biases from its `bias`, and room for its image's squares and places.
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn apply(sums: &Sums, layout: Layout, first: usize, target: &mut Target<'_>, pool: &mut Pool) {
    let (height, width) = (layout.grid.height(), layout.grid.width());
    let zero = _mm512_setzero_ps();
    let mut so_far = *pool;
    // SAFETY: the caller's contract; only squares of the grid are written, and sums of the block read.
    unsafe {
        let bias = [_mm512_loadu_ps(target.bias.as_ptr()), _mm512_loadu_ps(target.bias.as_ptr().add(16))];
        let (mut row, mut column) = (first / layout.pitch(), first % layout.pitch());
        for position in 0..2 * layout.tile_rows {
            if row < height && column < width {
                let square = (row * width + column) * target.width + target.channel;
                let place = layout.place(row, column) * target.width + target.channel;
                for half in 0..2 {
                    let sum = _mm512_loadu_ps(sums.0.as_ptr().add(position * BF16_LANES + 16 * half));
                    let mut value = _mm512_add_ps(sum, bias[half]);
                    if let Some(full) = target.full.as_deref_mut() {
                        let at = full.as_mut_ptr().add(square + 16 * half);
                        if target.residual {
                            value = _mm512_add_ps(value, _mm512_loadu_ps(at));
                        }
                        value = _mm512_max_ps(value, zero);
                        _mm512_storeu_ps(at, value);
                    } else {
                        value = _mm512_max_ps(value, zero);
                    }
                    if let Some(rounded) = target.rounded.as_deref_mut() {
                        let at = rounded.as_mut_ptr().add(place + 16 * half);
                        _mm256_storeu_si256(at.cast(), transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(value)));
                    }
                    so_far.sum[half] = _mm512_add_ps(so_far.sum[half], value);
                    so_far.max[half] = _mm512_max_ps(so_far.max[half], value);
                }
            }
            column += 1;
            if column == layout.pitch() {
                (row, column) = (row + 1, 0);
            }
        }
    }
    *pool = so_far;
}
