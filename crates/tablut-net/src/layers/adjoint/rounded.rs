//! Learning with convolutions in bf16 on matrix registers: the buffers, and the forward pass. What a convolution reads is
//! rounded, all else stays in f32.

use ndarray::Array2;
use tablut_kernels::{
    Aligned, BF16_LANES, Bf16Convolution, Bf16Epilogue, Bf16Images, Bf16Kernels, Bf16WeightGradient, Kernels, LANES,
    Matrix, Rows,
};
use tablut_rules::SQUARES;

use crate::layers::bfloat16::Bf16;
use crate::layers::kept::{Kept, row, row_mut};
use crate::layers::packing::{Arithmetic, GRID};
use crate::layers::parameter::Convolution;
use crate::layers::trunk::{Activations, Place, TrunkStep};
use crate::layers::winograd::F32;
use crate::planes::PLANES;

/// Convolutions of the trunk in bf16, the heads' in f32. Channels of the trunk are not padded, because its kept
/// activations are those of f32.
#[derive(Copy, Clone, Debug)]
pub(super) struct Rounded;

impl Arithmetic for Rounded {
    const LANES: usize = LANES;
    type Convolution = Bf16Convolution;
    type Squares = Matrix;

    fn convolution(layer: &Convolution, weights: &[f32]) -> Bf16Convolution {
        Bf16::convolution(layer, weights)
    }

    fn squares(rows: &Array2<f32>) -> Matrix {
        F32::squares(rows)
    }
}

/// One thread's buffers for a shard's images in bf16.
pub(super) struct RoundedSpace {
    pub(super) planes: Bf16Images,
    /// Forward: the trunk's activations. Backward: what a convolution has read.
    pub(super) trunk: Bf16Images,
    /// Forward: activations inside a block. Backward: the gradient there.
    pub(super) inside: Bf16Images,
    /// The gradient of a block's output.
    pub(super) outer: Bf16Images,
    pub(super) weights: Bf16WeightGradient,
    /// Biases for every square, `[row][width]`.
    biases: Aligned,
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

    pub(super) fn set_planes(&mut self, planes: &[f32]) {
        for (row, planes) in planes.chunks_exact(PLANES * SQUARES).enumerate() {
            self.planes.set_planes(row, planes);
        }
    }
}

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

impl Activations<Rounded> for Forward<'_> {
    fn begin(&mut self, _kernels: Kernels, planes: &[f32]) {
        self.n = planes.len() / (PLANES * SQUARES);
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

    fn convolve(&mut self, _kernels: Kernels, convolution: &Bf16Convolution, step: TrunkStep<'_>) {
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

    fn squares(&mut self, kernels: Kernels, squares: &Matrix, mut each: impl FnMut(usize, &[f32])) {
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
