//! Convolutions of a shard in the backward pass, a group of rows at a time.

use tablut_kernels::{Aligned, Convolution, Kernels, PointSums, Transformed};
use tablut_rules::SQUARES;

use crate::layers::kept::row;
use crate::layers::packing::GRID;

/// Number of positions that go through a convolution together. They fit into the second-level cache.
pub(super) const GROUP: usize = 8;

/// Buffers for the convolutions of a group of rows in the backward pass.
pub(super) struct Tiles {
    pub inputs: Transformed,
    pub products: Transformed,
    pub spread: Transformed,
    pub sums: PointSums,
}

impl Tiles {
    /// Buffers for at most this many input and output channels.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self {
            inputs: Transformed::new(GRID, GROUP, inputs),
            products: Transformed::new(GRID, GROUP, outputs),
            spread: Transformed::new(GRID, GROUP, outputs),
            sums: PointSums::new(inputs, outputs),
        }
    }
}

/// Convolves every image of `images`. It calls `finish` for each image with the products, the image's place among them,
/// and its row.
pub(super) fn convolve(
    kernels: Kernels,
    convolution: &Convolution,
    images: &[f32],
    tiles: &mut Tiles,
    mut finish: impl FnMut(&Transformed, usize, usize),
) {
    let size = SQUARES * convolution.inputs();
    let n = images.len() / size;
    for first in (0..n).step_by(GROUP) {
        let count = GROUP.min(n - first);
        tiles.inputs.reshape(count, convolution.inputs());
        tiles.products.reshape(count, convolution.outputs());
        for index in 0..count {
            kernels.transform_input(row(images, first + index, size), index, &mut tiles.inputs);
        }
        kernels.multiply(convolution, &tiles.inputs, &mut tiles.products);
        for index in 0..count {
            finish(&tiles.products, index, first + index);
        }
    }
}

/// Sums the gradient of a convolution's weights into `taps`, `[input][tap][output]`. It uses the input images and the
/// gradients of the output images.
pub(super) fn weight_gradient(
    kernels: Kernels,
    [images, gradients]: [&[f32]; 2],
    [inputs, outputs]: [usize; 2],
    tiles: &mut Tiles,
    taps: &mut Aligned,
) {
    let n = images.len() / (SQUARES * inputs);
    tiles.sums.reshape(inputs, outputs);
    for first in (0..n).step_by(GROUP) {
        let count = GROUP.min(n - first);
        tiles.inputs.reshape(count, inputs);
        tiles.spread.reshape(count, outputs);
        for index in 0..count {
            kernels.transform_input(row(images, first + index, SQUARES * inputs), index, &mut tiles.inputs);
            kernels.spread_gradient(row(gradients, first + index, SQUARES * outputs), index, &mut tiles.spread);
        }
        kernels.accumulate(&tiles.inputs, &tiles.spread, first > 0, &mut tiles.sums);
    }
    kernels.weight_gradient(&tiles.sums, taps);
}
