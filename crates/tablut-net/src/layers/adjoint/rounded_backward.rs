//! The trunk's backward pass with convolutions in bf16 on matrix registers.

use tablut_kernels::{Bf16Convolution, Bf16GradientEpilogue, Bf16Kernels};
use tablut_rules::SQUARES;

use super::gradients::{Workspace, sum_rows};
use super::shard::Shard;
use crate::batch::Positions;

/// The backward pass through a trunk for `n` rows.
pub(super) struct Backward<'a> {
    bf16: Bf16Kernels,
    n: usize,
    channels: usize,
    workspace: &'a mut Workspace,
}

impl<'a> Backward<'a> {
    /// Starts from the gradient before the rectifier of the trunk's output, in the workspace's `outer`.
    pub fn new(bf16: Bf16Kernels, n: usize, channels: usize, workspace: &'a mut Workspace) -> Self {
        let outer = &workspace.outer[..n * SQUARES * channels];
        let space = workspace.rounded.as_mut().expect("a workspace of this net");
        bf16.set_images(&mut space.outer, outer);
        Self { bf16, n, channels, workspace }
    }

    /// The buffers of all that is not rounded.
    pub fn workspace(&mut self) -> &mut Workspace {
        self.workspace
    }

    /// From the gradient before the rectifier of a block's output to the gradient of the block's input, both in the
    /// workspace's `outer` and rounded. The pooling's share of the gradient between the convolutions is in `bias` and,
    /// if the block `pools`, in `inner`.
    pub fn block(&mut self, [conv1, conv2]: &[Bf16Convolution; 2], pools: bool, index: usize, shard: &mut Shard) {
        let Self { bf16, n, channels: c, workspace } = self;
        let (n, c, size) = (*n, *c, *n * SQUARES * *c);
        let Shard { kept, gradients, .. } = shard;
        let (x, h, gradients) = (&kept.x[index][..size], &kept.inside[index][..size], &mut gradients.blocks[index]);
        let Workspace { rounded, outer, inner, outer_sums, inner_sums, bias, .. } = &mut **workspace;
        let space = rounded.as_mut().expect("a workspace of this net");
        sum_rows(&outer_sums[..n * c], &mut gradients.conv2.bias);
        bf16.set_images(&mut space.trunk, h);
        bf16.weight_gradient(&space.trunk, &space.outer, n, &mut space.weights, &mut gradients.conv2.weight);
        let epilogue = Bf16GradientEpilogue {
            bias: &bias[..n * c],
            onto: pools,
            active: h,
            full: &mut inner[..size],
            rounded: &mut space.inside,
            sums: &mut inner_sums[..n * c],
        };
        bf16.convolve_gradient(conv2, &space.outer, n, epilogue);
        sum_rows(&inner_sums[..n * c], &mut gradients.conv1.bias);
        bf16.set_images(&mut space.trunk, x);
        bf16.weight_gradient(&space.trunk, &space.inside, n, &mut space.weights, &mut gradients.conv1.weight);
        bias[..c].fill(0.0);
        let epilogue = Bf16GradientEpilogue {
            bias: &bias[..c],
            onto: true,
            active: x,
            full: &mut outer[..size],
            rounded: &mut space.outer,
            sums: &mut outer_sums[..n * c],
        };
        bf16.convolve_gradient(conv1, &space.inside, n, epilogue);
    }

    /// The gradient of the first convolution's weights, after all blocks.
    pub fn stem(self, positions: &Positions<'_>, taps: &mut [f32]) {
        let space = self.workspace.rounded.as_mut().expect("a workspace of this net");
        space.set_planes(positions.planes());
        self.bf16.weight_gradient(&space.planes, &space.outer, self.n, &mut space.weights, taps);
    }
}
