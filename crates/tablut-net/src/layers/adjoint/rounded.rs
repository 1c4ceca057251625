//! Learning with convolutions in bf16 on matrix registers: the buffers, the forward pass, and the trunk's backward
//! pass. The inputs of convolutions are rounded. Everything else stays in f32.

use tablut_kernels::{Bf16Convolution, Bf16Epilogue, Bf16GradientEpilogue, Bf16Kernels, Kernels, Rows};
use tablut_rules::{Bitboard, SQUARES};

use super::buffers::RoundedSpace;
use super::gradients::{Shard, Workspace, sum_rows};
use crate::batch::Positions;
use crate::features::PLANES;
use crate::layers::kept::{Kept, row, row_mut};
use crate::layers::packing::{PackedConvolution, PackedSquares};
use crate::layers::trunk::{Activations, Place, TrunkStep};

/// The forward pass of a shard, which keeps all activations.
pub(super) struct Forward<'a> {
    bf16: Bf16Kernels,
    n: usize,
    kept: &'a mut Kept,
    space: &'a mut RoundedSpace,
}

impl<'a> Forward<'a> {
    pub fn new(bf16: Bf16Kernels, kept: &'a mut Kept, space: &'a mut RoundedSpace) -> Self {
        Self { bf16, n: 0, kept, space }
    }
}

impl Activations for Forward<'_> {
    fn begin(&mut self, _kernels: Kernels, planes: &[Bitboard]) {
        self.n = planes.len() / PLANES;
        self.space.set_planes(planes);
    }

    fn biases(&mut self) -> &mut [f32] {
        &mut self.space.biases
    }

    fn pooled_and_biases(&mut self, place: Place) -> (&[f32], &mut [f32]) {
        let pooled = match place {
            Place::Inside(block) => &self.kept.pooled[block],
            Place::Stem | Place::After(_) => &self.kept.output_pooled,
        };
        (pooled, &mut self.space.biases)
    }

    fn convolve(&mut self, _kernels: Kernels, convolution: &PackedConvolution, step: TrunkStep<'_>) {
        let PackedConvolution::Bf16(convolution) = convolution else { unreachable!("a trunk in bf16") };
        let Self { bf16, n, kept, space, .. } = self;
        let (size, width) = (*n * SQUARES * convolution.outputs(), *n * convolution.outputs());
        let RoundedSpace { planes, trunk, inside, biases, .. } = &mut **space;
        let bias = step.bias.unwrap_or(&biases[..width]);
        let (from, to, full, pooled) = match step.place {
            Place::Stem => (&*planes, trunk, &mut kept.x[0], &mut kept.output_pooled),
            Place::Inside(block) => (&*trunk, inside, &mut kept.inside[block], &mut kept.pooled[block]),
            Place::After(block) => {
                let (before, after) = kept.x.split_at_mut(block + 1);
                after[0][..size].copy_from_slice(&before[block][..size]);
                (&*inside, trunk, &mut after[0], &mut kept.output_pooled)
            }
        };
        let epilogue = Bf16Epilogue {
            bias,
            residual: matches!(step.place, Place::After(_)),
            full: Some(full),
            rounded: Some(to),
            pooled: step.pools.then_some(pooled),
        };
        bf16.convolve(convolution, from, *n, epilogue);
    }

    fn squares(&mut self, kernels: Kernels, squares: &PackedSquares, mut each: impl FnMut(usize, &[f32])) {
        let PackedSquares::F32(squares) = squares else { unreachable!("the heads learn in f32") };
        let (c, width) = (squares.inputs(), squares.padded_outputs());
        let Kept { x, inside, joint, .. } = &mut *self.kept;
        for board in 0..self.n {
            let bias = row(&self.space.biases, board, width);
            let trunk = Rows { values: row(&x[inside.len()], board, SQUARES * c), stride: c, count: SQUARES };
            let joint = row_mut(joint, board, SQUARES * width);
            kernels.product(trunk, squares, bias, true, joint);
            each(board, joint);
        }
    }
}

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

    /// The buffers of everything that is not rounded.
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
