//! Convolutions of gradients in bf16: from the gradients of a layer's outputs to those of its inputs.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256bh, __m256i, __m512, _CMP_GT_OQ, _mm256_storeu_si256, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_cvtneps_pbh,
    _mm512_loadu_ps, _mm512_maskz_mov_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};
#[cfg(target_arch = "x86_64")]
use std::mem::transmute;

use super::Bf16Kernels;
#[cfg(target_arch = "x86_64")]
use super::blocks::{Finish, Sums, run};
#[cfg(target_arch = "x86_64")]
use super::images::{BF16_LANES, Layout};
use super::images::{Bf16Images, round};
use super::plain;
use super::weights::Bf16Convolution;

/// The operations after a gradient's convolution. The result is the gradient before a rectifier.
#[derive(Debug)]
pub struct Bf16GradientEpilogue<'a> {
    /// Added to every square, one value per channel: one row for each image, or a single row for all.
    pub bias: &'a [f32],
    /// Whether to add the present content of `full`.
    pub onto: bool,
    /// The rectifier's output in the forward pass, `[image][square][channel]`. The gradient is zero where it is not
    /// positive.
    pub active: &'a [f32],
    /// Output in f32, `[image][square][channel]`.
    pub full: &'a mut [f32],
    /// Output rounded to bf16.
    pub rounded: &'a mut Bf16Images,
    /// Output of the sums of each image's channels over its squares, `[image][channel]`.
    pub sums: &'a mut [f32],
}

impl Bf16Kernels {
    /// A convolution of the first `n_images` gradients of `from`, with the operations that follow it. The convolution
    /// is a layer's [adjoint](Bf16Convolution::repack_adjoint).
    ///
    /// # Panics
    ///
    /// If sizes do not fit the convolution or each other.
    pub fn convolve_gradient(
        self,
        convolution: &Bf16Convolution,
        from: &Bf16Images,
        n_images: usize,
        epilogue: Bf16GradientEpilogue<'_>,
    ) {
        let width = convolution.outputs();
        let size = n_images * from.grid().squares() * width;
        assert_eq!(convolution.inputs(), from.channels(), "channels in");
        assert!(n_images <= from.n_images().min(epilogue.rounded.n_images()), "images");
        assert_eq!((epilogue.rounded.grid(), epilogue.rounded.channels()), (from.grid(), width), "shape of the result");
        assert!([width, n_images * width].contains(&epilogue.bias.len()), "size of a bias");
        assert_eq!((epilogue.active.len(), epilogue.full.len()), (size, size), "size of the images");
        assert_eq!(epilogue.sums.len(), n_images * width, "size of the sums");
        #[cfg(target_arch = "x86_64")]
        if self.registers {
            let mut finish = Backward { epilogue, layout: from.layout(), width, image: 0, channel: 0, so_far: zeros() };
            // SAFETY: `registers` is true only where AMX, AVX-512 and its bf16 are there; the sizes were checked above.
            unsafe { run(convolution, from, n_images, &mut finish) };
            return;
        }
        convolve(convolution, from, n_images, epilogue);
    }
}

#[cfg(target_arch = "x86_64")]
fn zeros() -> [__m512; 2] {
    // SAFETY: a vector of sixteen f32 whose bits are zero is sixteen zeros.
    [unsafe { std::mem::zeroed() }; 2]
}

/// The operations after a gradient's convolution, on vectors.
#[cfg(target_arch = "x86_64")]
struct Backward<'a> {
    epilogue: Bf16GradientEpilogue<'a>,
    layout: Layout,
    width: usize,
    image: usize,
    channel: usize,
    /// Sums of 32 channels over the image's squares.
    so_far: [__m512; 2],
}

#[cfg(target_arch = "x86_64")]
impl Finish for Backward<'_> {
    fn begin(&mut self, image: usize, channel: usize) {
        (self.image, self.channel, self.so_far) = (image, channel, zeros());
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn block(&mut self, sums: &Sums, first: usize) {
        let Self { epilogue, layout, width: channels, image, channel, so_far } = self;
        let (height, width) = (layout.grid.height(), layout.grid.width());
        let size = layout.grid.squares() * *channels;
        let bias = if epilogue.bias.len() == *channels { *channel } else { *image * *channels + *channel };
        let bias = &epilogue.bias[bias..][..BF16_LANES];
        let full = &mut epilogue.full[*image * size..][..size];
        let active = &epilogue.active[*image * size..][..size];
        let rounded = epilogue.rounded.image_mut(*image);
        let zero = _mm512_setzero_ps();
        let (mut row, mut column) = (first / layout.pitch(), first % layout.pitch());
        for position in 0..2 * layout.tile_rows {
            if row < height && column < width {
                let square = (row * width + column) * *channels + *channel;
                let place = layout.place(row, column) * *channels + *channel;
                for half in 0..2 {
                    // SAFETY: a block has two sixteens of sums for each position; a square of the image has 32 channels
                    // from `channel` on, in all three images, and so has the bias.
                    unsafe {
                        let sum = _mm512_loadu_ps(sums.0.as_ptr().add(position * BF16_LANES + 16 * half));
                        let mut value = _mm512_add_ps(sum, _mm512_loadu_ps(bias.as_ptr().add(16 * half)));
                        let at = full.as_mut_ptr().add(square + 16 * half);
                        if epilogue.onto {
                            value = _mm512_add_ps(value, _mm512_loadu_ps(at));
                        }
                        let active = _mm512_loadu_ps(active.as_ptr().add(square + 16 * half));
                        value = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(active, zero), value);
                        _mm512_storeu_ps(at, value);
                        let at = rounded.as_mut_ptr().add(place + 16 * half);
                        _mm256_storeu_si256(at.cast(), transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(value)));
                        so_far[half] = _mm512_add_ps(so_far[half], value);
                    }
                }
            }
            column += 1;
            if column == layout.pitch() {
                (row, column) = (row + 1, 0);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn end(&mut self) {
        let sums = &mut self.epilogue.sums[self.image * self.width + self.channel..][..BF16_LANES];
        for (half, sum) in self.so_far.into_iter().enumerate() {
            // SAFETY: the slice has 32 values.
            unsafe { _mm512_storeu_ps(sums.as_mut_ptr().add(16 * half), sum) };
        }
    }
}

/// Computes all images in safe code, square by square.
fn convolve(convolution: &Bf16Convolution, from: &Bf16Images, n_images: usize, epilogue: Bf16GradientEpilogue<'_>) {
    let (layout, width) = (from.layout(), convolution.outputs());
    let grid = layout.grid;
    let Bf16GradientEpilogue { bias, onto, active, full, rounded, sums } = epilogue;
    sums.fill(0.0);
    for image in 0..n_images {
        let first = if bias.len() == width { 0 } else { image * width };
        for square in 0..grid.squares() {
            let place = [square / grid.width(), square % grid.width()];
            for output in 0..width {
                let at = (image * grid.squares() + square) * width + output;
                let sum = plain::product(convolution, layout, from.image(image), place, output);
                let value = sum + bias[first + output] + if onto { full[at] } else { 0.0 };
                let value = if active[at] > 0.0 { value } else { 0.0 };
                full[at] = value;
                let to = layout.place(place[0], place[1]) * width + output;
                rounded.image_mut(image)[to] = round(value);
                sums[image * width + output] += value;
            }
        }
    }
}
