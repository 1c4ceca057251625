//! Turns blocks' sums into activations after a convolution in bf16.

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, _mm256_storeu_si256, _mm512_add_ps, _mm512_cvtneps_pbh, _mm512_loadu_ps, _mm512_max_ps,
    _mm512_mul_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

use std::mem::transmute;

use super::blocks::{Finish, Sums};
use super::images::{BF16_LANES, Bf16Epilogue, Layout};

/// The operations after a convolution in the forward pass.
pub(super) struct Forward<'a> {
    epilogue: Bf16Epilogue<'a>,
    layout: Layout,
    /// Channels of the result.
    width: usize,
    image: usize,
    /// The first of the 32 channels.
    channel: usize,
    pool: Pool,
}

impl<'a> Forward<'a> {
    /// The operations of `epilogue`, whose sizes were checked, for images of `width` channels.
    pub fn new(epilogue: Bf16Epilogue<'a>, layout: Layout, width: usize) -> Self {
        Self { epilogue, layout, width, image: 0, channel: 0, pool: Pool::default() }
    }
}

impl Finish for Forward<'_> {
    fn begin(&mut self, image: usize, channel: usize) {
        (self.image, self.channel, self.pool) = (image, channel, Pool::default());
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn block(&mut self, sums: &Sums, first: usize) {
        let Self { epilogue, layout, width, image, channel, pool } = self;
        let bias = if epilogue.bias.len() == *width { 0 } else { *image * *width };
        let size = layout.grid.squares() * *width;
        let mut target = Target {
            width: *width,
            channel: *channel,
            bias: &epilogue.bias[bias + *channel..][..BF16_LANES],
            residual: epilogue.residual,
            full: epilogue.full.as_deref_mut().map(|full| &mut full[*image * size..][..size]),
            rounded: epilogue.rounded.as_deref_mut().map(|images| images.image_mut(*image)),
        };
        // SAFETY: the caller's contract; the target's slices were cut to their sizes above.
        unsafe { apply(sums, *layout, first, &mut target, pool) };
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn end(&mut self) {
        if let Some(pooled) = self.epilogue.pooled.as_deref_mut() {
            let row = &mut pooled[self.image * 2 * self.width..][..2 * self.width];
            self.pool.finish(self.layout.grid.squares(), row, self.channel);
        }
    }
}

/// The destination of one image's results for 32 channels.
struct Target<'a> {
    /// Channels of the image.
    width: usize,
    /// The first of the 32 channels.
    channel: usize,
    /// One value for each of the 32 channels.
    bias: &'a [f32],
    /// Whether to add the present content of `full`.
    residual: bool,
    /// `[square][width]`.
    full: Option<&'a mut [f32]>,
    /// `[place][width]`.
    rounded: Option<&'a mut [u16]>,
}

/// Sums and maxima of 32 channels over an image's squares so far. The rectifier's results are never below zero, so zero
/// is a correct start for the maxima.
#[derive(Copy, Clone)]
struct Pool {
    sum: [__m512; 2],
    max: [__m512; 2],
}

impl Default for Pool {
    fn default() -> Pool {
        // SAFETY: a vector of sixteen f32 whose bits are zero is sixteen zeros.
        let zero = [unsafe { std::mem::zeroed::<__m512>() }; 2];
        Pool { sum: zero, max: zero }
    }
}

impl Pool {
    /// Writes the means and maxima of 32 channels from `channel` to a row `[2 * width]`.
    #[target_feature(enable = "avx512f")]
    fn finish(self, squares: usize, row: &mut [f32], channel: usize) {
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
unsafe fn apply(sums: &Sums, layout: Layout, first: usize, target: &mut Target<'_>, pool: &mut Pool) {
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
