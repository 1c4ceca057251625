//! The trunk: from planes and features to the activations that the heads read.

use tablut_kernels::{Kernels, Matrix, Rows};
use tablut_rules::Bitboard;

use super::description::{self, Layers};
use super::packing::{Arithmetic, PackedConvolution, PackedSquares, Values, matrix, stacked};
use super::parameter::{Convolution, Linear};
use crate::batch::Positions;
use crate::features::FEATURES;

/// The trunk's weights, packed. Zero weights pad the channels.
pub struct Trunk {
    /// Channels, including padding.
    pub width: usize,
    pub(super) input: Layer,
    pub(super) features: Matrix,
    pub(super) blocks: Vec<ResidualBlock>,
}

/// A residual block.
pub(super) struct ResidualBlock {
    pub conv1: Layer,
    pub conv2: Layer,
    pub pool: Option<Matrix>,
}

/// A 3×3 convolution and its bias.
pub(super) struct Layer {
    pub convolution: PackedConvolution,
    pub bias: Vec<f32>,
}

/// A place of activations in the trunk.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Place {
    /// After the first convolution.
    Stem,
    /// Between the convolutions of a block.
    Inside(usize),
    /// After a block.
    After(usize),
}

/// A convolution of the trunk and the operations after it: `relu(convolution + bias)`. After a block, the block's input
/// is added too.
#[derive(Copy, Clone, Debug)]
pub struct TrunkStep<'a> {
    /// The place of the result.
    pub place: Place,
    /// The bias for every square. If it is `None`, each position has its own bias in [`Activations::biases`].
    pub bias: Option<&'a [f32]>,
    /// Whether to compute the means and maxima of the result.
    pub pools: bool,
    /// Whether no convolution follows.
    pub is_last: bool,
}

/// The activations of a few positions in the forward pass of a net in one arithmetic. Images are `[square][channel]`,
/// pooled values `[means, then maxima]`.
pub trait Activations {
    /// Starts with the planes of some positions, `[n][PLANES]`.
    fn begin(&mut self, kernels: Kernels, planes: &[Bitboard]);

    /// The buffer for biases, one row per position, to be added to every square.
    fn biases(&mut self) -> &mut [f32];

    /// Each position's pooled values at a pooled place, and the buffer for biases.
    fn pooled_and_biases(&mut self, place: Place) -> (&[f32], &mut [f32]);

    /// Computes one step.
    fn convolve(&mut self, kernels: Kernels, convolution: &PackedConvolution, step: TrunkStep<'_>);

    /// Calls `each` for every position with `relu(squares · x + bias)` of the trunk's output, `[square][output]`. Each
    /// position has its own biases.
    fn squares(&mut self, kernels: Kernels, squares: &PackedSquares, each: impl FnMut(usize, &[f32]));
}

impl Trunk {
    /// Packs the weights of a net's trunk.
    pub fn pack(layers: &Layers, values: &Values<'_>, arithmetic: Arithmetic) -> Self {
        let (c, width) = (layers.channels, arithmetic.padded(layers.channels));
        let layer = |convolution: &Convolution| Layer {
            convolution: arithmetic.convolution(convolution, values.get(convolution.weight)),
            bias: padded(values.get(convolution.bias), width),
        };
        let pool = |pool: &Linear| matrix(&stacked(values, &[(pool, width)], [c, width]));
        let block = |block: &description::Block| ResidualBlock {
            conv1: layer(&block.conv1),
            conv2: layer(&block.conv2),
            pool: block.pool.as_ref().map(pool),
        };
        Self {
            width,
            input: layer(&layers.input),
            features: matrix(&stacked(values, &[(&layers.features, width)], [FEATURES, FEATURES])),
            blocks: layers.blocks.iter().map(block).collect(),
        }
    }

    /// The place of the trunk's output.
    pub fn output(&self) -> Place {
        Place::After(self.blocks.len() - 1)
    }

    /// Computes the trunk's output for some rows of a batch.
    pub fn forward(&self, kernels: Kernels, positions: &Positions<'_>, to: &mut impl Activations) {
        let n = positions.rows.len();
        to.begin(kernels, positions.planes());
        kernels.product(positions.features(), &self.features, &self.input.bias, false, to.biases());
        let stem = TrunkStep { place: Place::Stem, bias: None, pools: false, is_last: false };
        to.convolve(kernels, &self.input.convolution, stem);
        for (index, block) in self.blocks.iter().enumerate() {
            let (inside, after) = (Place::Inside(index), Place::After(index));
            let pools = block.pool.is_some();
            let step = TrunkStep { place: inside, bias: Some(&block.conv1.bias), pools, is_last: false };
            to.convolve(kernels, &block.conv1.convolution, step);
            let bias = if let Some(pool) = &block.pool {
                let (pooled, biases) = to.pooled_and_biases(inside);
                let pooled = Rows { values: pooled, stride: pool.inputs(), count: n };
                kernels.product(pooled, pool, &block.conv2.bias, false, biases);
                None
            } else {
                Some(&*block.conv2.bias)
            };
            let is_last = after == self.output();
            let step = TrunkStep { place: after, bias, pools: is_last, is_last };
            to.convolve(kernels, &block.conv2.convolution, step);
        }
    }
}

fn padded(values: &[f32], width: usize) -> Vec<f32> {
    let mut padded = values.to_vec();
    padded.resize(width, 0.0);
    padded
}
