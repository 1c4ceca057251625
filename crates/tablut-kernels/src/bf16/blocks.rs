//! A convolution in bf16 on matrix registers, block by block.

use super::amx;
use super::images::{BF16_LANES, Bf16Images};
use super::weights::Bf16Convolution;

/// The sums of one block: up to 32 positions of 32 outputs.
#[repr(C, align(64))]
pub(super) struct Sums(pub [f32; 32 * BF16_LANES]);

impl Sums {
    pub fn zeroed() -> Sums {
        Sums([0.0; 32 * BF16_LANES])
    }
}

/// Turns the sums of a convolution's blocks into results.
pub(super) trait Finish {
    /// Starts the blocks of one image and the 32 channels from `channel`.
    fn begin(&mut self, image: usize, channel: usize);

    /// Takes the sums of the block whose first position is `first`.
    ///
    /// # Safety
    ///
    /// The machine has AVX-512F and AVX-512-BF16. The blocks are those of a convolution whose sizes were checked.
    unsafe fn block(&mut self, sums: &Sums, first: usize);

    /// Finishes the image and the channels after their last block.
    ///
    /// # Safety
    ///
    /// As for [`Finish::block`].
    unsafe fn end(&mut self);
}

/// Computes all blocks of a convolution. It takes two tiles of outputs at a time, for all images, so that their weights
/// stay in the first-level cache.
///
/// # Safety
///
/// The machine has AMX with bf16, AVX-512F and AVX-512-BF16, and the sizes fit as `Bf16Kernels::convolve` checks.
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn run(convolution: &Bf16Convolution, from: &Bf16Images, n_images: usize, finish: &mut impl Finish) {
    let layout = from.layout();
    let steps = convolution.steps(layout, from.channels());
    let mut block = Sums::zeroed();
    // SAFETY: the caller has the registers. The activations' rows of a block, shifted by every step's offset, lie
    // inside an image (its layout makes room for that); a pair's weights are as long as the steps need.
    unsafe {
        amx::configure(layout.tile_rows);
        for pair in 0..convolution.outputs() / BF16_LANES {
            for image in 0..n_images {
                let values = from.image(image);
                finish.begin(image, pair * BF16_LANES);
                for first in (0..layout.positions()).step_by(2 * layout.tile_rows) {
                    let row = |tile: usize| values.as_ptr().add((first + tile * layout.tile_rows) * from.channels());
                    amx::multiply(&amx::Block {
                        rows: [row(0), row(1)],
                        row_stride: from.channels() * size_of::<u16>(),
                        offsets: steps.as_slice().as_ptr(),
                        n_steps: steps.as_slice().len(),
                        weights: convolution.pair(pair).as_ptr(),
                        sums: block.0.as_mut_ptr(),
                        tile_bytes: layout.tile_rows * BF16_LANES * size_of::<f32>(),
                    });
                    finish.block(&block, first);
                }
                finish.end();
            }
        }
        amx::release();
    }
}
