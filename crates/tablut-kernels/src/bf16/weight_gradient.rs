//! Gradients of a 3×3 convolution's weights in bf16: sums over all squares of an input times the gradient of an output.
//!
//! A tile product sums over 32 positions. So the inputs are transposed to one row per channel, and each tap reads the
//! rows from a different start. The gradients are packed in pairs of positions, like weights.

use super::Bf16Kernels;
use super::channels_first::{STEP, channels_first, pairs_of_positions, row_len, steps, transposed};
use super::images::{BF16_LANES, Bf16Images};
#[cfg(target_arch = "x86_64")]
use super::{amx, blocks::Sums};
use crate::aligned::{padded, volume};
use crate::{Aligned, Grid};

/// Number of taps of a 3×3 convolution.
const TAPS: usize = 9;

/// Buffers for the gradients of convolutions' weights.
#[derive(Clone, Debug)]
pub struct Bf16WeightGradient {
    /// `[32 channels][image][channel][place]`.
    inputs: Aligned<u16>,
    /// `[32 channels][image][step][half][pair][channel][2]`.
    gradients: Aligned<u16>,
    /// Where each step of an image begins in `inputs`, in bytes.
    offsets: Vec<usize>,
}

impl Bf16WeightGradient {
    /// Buffers for at most `n_images` images of `inputs` and `outputs` channels.
    pub fn new(grid: Grid, n_images: usize, inputs: usize, outputs: usize) -> Bf16WeightGradient {
        let layout = Bf16Images::new(grid, 0, BF16_LANES).layout();
        let wide = |channels: usize| padded(channels, BF16_LANES);
        Bf16WeightGradient {
            inputs: Aligned::zeroed(volume([n_images, wide(inputs), row_len(layout)])),
            gradients: Aligned::zeroed(volume([n_images, wide(outputs), steps(layout), STEP])),
            offsets: Vec::new(),
        }
    }
}

impl Bf16Kernels {
    /// Writes the gradient of a convolution's weights to `taps`, `[input][tap][output]`, for as many inputs as it has
    /// room for: the sum over the first `n_images` of `inputs` and of the `gradients` of its outputs.
    ///
    /// # Panics
    ///
    /// If the images differ in shape, `space` is too small, or `taps` does not have whole inputs.
    pub fn weight_gradient(
        self,
        inputs: &Bf16Images,
        gradients: &Bf16Images,
        n_images: usize,
        space: &mut Bf16WeightGradient,
        taps: &mut [f32],
    ) {
        let layout = inputs.layout();
        let (wide_in, wide_out) = (inputs.channels(), gradients.channels());
        assert_eq!(inputs.grid(), gradients.grid(), "grids");
        assert!(n_images <= inputs.n_images().min(gradients.n_images()), "images");
        assert!(taps.len().is_multiple_of(TAPS * wide_out) && taps.len() <= TAPS * wide_in * wide_out, "whole inputs");
        let (size_in, size_out) = (BF16_LANES * row_len(layout), BF16_LANES * steps(layout) * STEP);
        let lanes =
            |channels: usize| (0..channels / BF16_LANES).flat_map(move |of| (0..n_images).map(move |i| (of, i)));
        for ((of, image), to) in lanes(wide_in).zip(space.inputs.chunks_exact_mut(size_in)) {
            self.channels_first(inputs, image, of * BF16_LANES, to);
        }
        for ((of, image), to) in lanes(wide_out).zip(space.gradients.chunks_exact_mut(size_out)) {
            self.pairs_of_positions(gradients, image, of * BF16_LANES, to);
        }
        space.offsets.clear();
        for image in 0..n_images {
            let step = |step: usize| (image * size_in + step * STEP) * size_of::<u16>();
            space.offsets.extend((0..steps(layout)).map(step));
        }
        if space.offsets.is_empty() {
            taps.fill(0.0);
            return;
        }
        for from in 0..wide_in / BF16_LANES {
            for to in 0..wide_out / BF16_LANES {
                let rows = &space.inputs[from * n_images * size_in..][..n_images * size_in];
                let weights = &space.gradients[to * n_images * size_out..][..n_images * size_out];
                for tap in 0..TAPS {
                    let start = tap / 3 * layout.pitch() + tap % 3;
                    let write = |input: usize, sums: &[f32]| {
                        let at = ((from * BF16_LANES + input) * TAPS + tap) * wide_out + to * BF16_LANES;
                        if let Some(taps) = taps.get_mut(at..at + BF16_LANES) {
                            taps.copy_from_slice(sums);
                        }
                    };
                    self.sums([rows, weights], start, row_len(layout), &space.offsets, write);
                }
            }
        }
    }

    fn channels_first(self, images: &Bf16Images, image: usize, channel: usize, to: &mut [u16]) {
        #[cfg(target_arch = "x86_64")]
        if self.registers {
            // SAFETY: `registers` is true only where AVX-512 is there.
            unsafe { on_vectors::channels_first(images, image, channel, to) };
            return;
        }
        channels_first(images, image, channel, to, transposed);
    }

    fn pairs_of_positions(self, images: &Bf16Images, image: usize, channel: usize, to: &mut [u16]) {
        #[cfg(target_arch = "x86_64")]
        if self.registers {
            // SAFETY: as above.
            unsafe { on_vectors::pairs_of_positions(images, image, channel, to) };
            return;
        }
        pairs_of_positions(images, image, channel, to);
    }

    /// The sums of 32 inputs and 32 outputs. `rows` are `[image][channel][place]`, read from `start` on, and `weights`
    /// `[image][step][half][pair][channel][2]`. Calls `write` with each input and its sums.
    fn sums(
        self,
        [rows, weights]: [&[u16]; 2],
        start: usize,
        row: usize,
        offsets: &[usize],
        mut write: impl FnMut(usize, &[f32]),
    ) {
        assert!(weights.len() == offsets.len() * STEP * BF16_LANES, "weights for every step");
        let last = offsets.iter().max().map_or(0, |last| last / size_of::<u16>());
        assert!(start + last + (BF16_LANES - 1) * row + STEP <= rows.len(), "rows for every step");
        #[cfg(target_arch = "x86_64")]
        if self.registers {
            let mut block = Sums::zeroed();
            // SAFETY: the machine has the registers. By the assertions above every step's rows and weights lie inside
            // their slices; the block has room for 32 rows of 32 sums.
            unsafe {
                amx::configure(16);
                amx::multiply(&amx::Block {
                    rows: [rows.as_ptr().add(start), rows.as_ptr().add(start + 16 * row)],
                    row_stride: row * size_of::<u16>(),
                    offsets: offsets.as_ptr(),
                    n_steps: offsets.len(),
                    weights: weights.as_ptr(),
                    sums: block.0.as_mut_ptr(),
                    tile_bytes: 16 * BF16_LANES * size_of::<f32>(),
                });
                amx::release();
            }
            for (input, sums) in block.0.chunks_exact(BF16_LANES).enumerate() {
                write(input, sums);
            }
            return;
        }
        let wide = |bits: u16| f32::from_bits(u32::from(bits) << 16);
        for input in 0..BF16_LANES {
            let mut sums = [0.0; BF16_LANES];
            for (offset, weights) in offsets.iter().zip(weights.chunks_exact(STEP * BF16_LANES)) {
                let values = &rows[start + offset / size_of::<u16>() + input * row..][..STEP];
                for (output, sum) in sums.iter_mut().enumerate() {
                    let tile = &weights[output / 16 * 512..][..512];
                    for (position, value) in values.iter().enumerate() {
                        *sum += wide(*value) * wide(tile[position / 2 * 32 + output % 16 * 2 + position % 2]);
                    }
                }
            }
            write(input, &sums);
        }
    }
}

/// The same safe code, compiled for AVX-512.
#[cfg(target_arch = "x86_64")]
mod on_vectors {
    use super::Bf16Images;
    use crate::bf16::channels_first::{self, transposed_on_vectors};

    /// # Safety
    ///
    /// The machine has AVX-512F.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn channels_first(images: &Bf16Images, image: usize, channel: usize, to: &mut [u16]) {
        // SAFETY: the caller's contract.
        channels_first::channels_first(images, image, channel, to, |block| unsafe { transposed_on_vectors(block) });
    }

    /// # Safety
    ///
    /// The machine has AVX-512F.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn pairs_of_positions(images: &Bf16Images, image: usize, channel: usize, to: &mut [u16]) {
        channels_first::pairs_of_positions(images, image, channel, to);
    }
}
