//! Buffers of the backward pass for groups of rows, and for images in bf16.

use tablut_kernels::{Aligned, BF16_LANES, Bf16Images, Bf16WeightGradient, PointSums, Transformed};
use tablut_rules::{Bitboard, SQUARES};

use crate::batch::write_planes;
use crate::features::PLANES;
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

/// One thread's buffers for a shard's images in bf16.
pub(super) struct RoundedSpace {
    pub(super) planes: Bf16Images,
    /// Forward: the trunk's activations. Backward: the input of a convolution.
    pub(super) trunk: Bf16Images,
    /// Forward: activations inside a block. Backward: the gradient there.
    pub(super) inside: Bf16Images,
    /// The gradient of a block's output.
    pub(super) outer: Bf16Images,
    pub(super) weights: Bf16WeightGradient,
    /// Biases for every square, `[row][width]`.
    pub(super) biases: Aligned,
}

impl RoundedSpace {
    /// Buffers for `n` rows of a net with `channels`, and `joint_width` channels in the heads.
    pub fn new(n: usize, channels: usize, joint_width: usize) -> Self {
        let images = |channels: usize| Bf16Images::new(GRID, n, channels);
        Self {
            planes: images(PLANES.next_multiple_of(BF16_LANES)),
            trunk: images(channels),
            inside: images(channels),
            outer: images(channels),
            weights: Bf16WeightGradient::new(GRID, n, channels.max(PLANES), channels),
            biases: Aligned::zeroed(n * channels.max(joint_width)),
        }
    }

    pub(super) fn set_planes(&mut self, planes: &[Bitboard]) {
        for (row, planes) in planes.chunks_exact(PLANES).enumerate() {
            let mut values = [0.0; PLANES * SQUARES];
            write_planes(planes, &mut values);
            self.planes.set_planes(row, &values);
        }
    }
}
