//! The trunk: from planes and features to the activations that the heads read.

use tablut_kernels::{Kernels, Matrix, Rows};

use super::description::{self, Layers};
use super::packing::{Arithmetic, Values, matrix, stacked};
use super::parameter::{Convolution, Linear};
use crate::batch::Positions;
use crate::features::FEATURES;

/// The trunk's weights, packed. Channels are padded with zero weights.
pub struct Trunk<A: Arithmetic> {
    /// Channels, with the padding.
    pub width: usize,
    pub(super) input: Layer<A>,
    pub(super) features: Matrix,
    pub(super) blocks: Vec<ResidualBlock<A>>,
}

/// A residual block.
pub(super) struct ResidualBlock<A: Arithmetic> {
    pub conv1: Layer<A>,
    pub conv2: Layer<A>,
    pub pool: Option<Matrix>,
}

/// A 3×3 convolution and its bias.
pub(super) struct Layer<A: Arithmetic> {
    pub convolution: A::Convolution,
    pub bias: Vec<f32>,
}

/// Where in the trunk activations are.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Place {
    /// After the first convolution.
    Stem,
    /// Between the convolutions of a block.
    Inside(usize),
    /// After a block.
    After(usize),
}

/// A convolution of the trunk and what follows it: `relu(convolution + bias)`, onto the block's input after a block.
#[derive(Copy, Clone, Debug)]
pub struct Step<'a> {
    /// Where the result is.
    pub place: Place,
    /// Added to every square; where there is none, each position's own from [`Activations::biases`].
    pub bias: Option<&'a [f32]>,
    /// Whether means and maxima of the result are wanted.
    pub pools: bool,
    /// Whether no convolution follows.
    pub is_last: bool,
}

/// The activations of a few positions on their way through a net, in some arithmetic. Images are `[square][channel]`,
/// pooled values `[means, then maxima]`.
pub trait Activations<A: Arithmetic> {
    /// Begins with the planes of some positions, `[n][PLANES][81]`.
    fn begin(&mut self, kernels: Kernels, planes: &[f32]);

    /// Room for a row of values to be added to every square, for each position.
    fn biases(&mut self) -> &mut [f32];

    /// Each position's pooled values at a place that pools, and the room for biases.
    fn pooled_and_biases(&mut self, place: Place) -> (&[f32], &mut [f32]);

    /// Takes one step.
    fn convolve(&mut self, kernels: Kernels, convolution: &A::Convolution, step: Step<'_>);

    /// Calls `each` for every position with `relu(squares · x + bias)` of the trunk's output, `[square][output]`; the
    /// biases are the positions' own.
    fn squares(&mut self, kernels: Kernels, squares: &A::Squares, each: impl FnMut(usize, &[f32]));
}

impl<A: Arithmetic> Trunk<A> {
    /// Packs the weights of a net's trunk.
    pub fn pack(layers: &Layers, values: &Values<'_>) -> Self {
        let (c, width) = (layers.channels, A::padded(layers.channels));
        let layer = |convolution: &Convolution| Layer {
            convolution: A::convolution(convolution, values.get(convolution.weight)),
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

    /// Where the trunk's output is.
    pub fn output(&self) -> Place {
        Place::After(self.blocks.len() - 1)
    }

    /// Takes some rows of a batch from their planes to the trunk's output.
    pub fn forward(&self, kernels: Kernels, positions: &Positions<'_>, to: &mut impl Activations<A>) {
        let n = positions.rows.len();
        to.begin(kernels, positions.planes());
        kernels.product(positions.features(), &self.features, &self.input.bias, false, to.biases());
        let stem = Step { place: Place::Stem, bias: None, pools: false, is_last: false };
        to.convolve(kernels, &self.input.convolution, stem);
        for (index, block) in self.blocks.iter().enumerate() {
            let (inside, after) = (Place::Inside(index), Place::After(index));
            let pools = block.pool.is_some();
            let step = Step { place: inside, bias: Some(&block.conv1.bias), pools, is_last: false };
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
            let step = Step { place: after, bias, pools: is_last, is_last };
            to.convolve(kernels, &block.conv2.convolution, step);
        }
    }
}

fn padded(values: &[f32], width: usize) -> Vec<f32> {
    let mut padded = values.to_vec();
    padded.resize(width, 0.0);
    padded
}
