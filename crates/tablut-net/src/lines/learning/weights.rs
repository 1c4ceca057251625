//! The weights, packed for both passes.

use tablut_kernels::Matrix;

use crate::layers::{Dense, Linear, Values};
use crate::lines::dense::{adjoint, transposed};
use crate::lines::description::{LineBlock, LineLayers};
use crate::lines::line_gradients::LineAdjoints;
use crate::lines::network::LineWeights;

pub(super) struct PackedWeights {
    pub(super) line: LineWeights,
    pub(super) line_adjoints: LineAdjoints,
    pub(super) side: Vec<f32>,
    pub(super) features: Matrix,
    /// `[added planes][channels]`.
    pub(super) added: Vec<f32>,
    pub(super) blocks: Vec<Block>,
    /// The policy's pairs and the value head's channels.
    pub(super) joint: Dense,
    pub(super) joint_adjoint: Matrix,
    pub(super) pair_pool: Matrix,
    pub(super) pair_pool_adjoint: Matrix,
    pub(super) shift: Vec<f32>,
    pub(super) distance: Vec<f32>,
    pub(super) choice: Vec<f32>,
    pub(super) choice_bias: f32,
    pub(super) hidden: Dense,
    pub(super) hidden_adjoint: Matrix,
    pub(super) out: Dense,
    pub(super) out_adjoint: Matrix,
}

pub(super) struct Block {
    pub(super) depthwise: Vec<f32>,
    /// The taps in reverse order.
    pub(super) flipped: Vec<f32>,
    pub(super) depthwise_bias: Vec<f32>,
    pub(super) pool: Matrix,
    pub(super) pool_adjoint: Matrix,
    pub(super) pointwise: Dense,
    pub(super) pointwise_adjoint: Matrix,
}

impl PackedWeights {
    pub(super) fn pack(layers: &LineLayers, values: &Values<'_>) -> Self {
        let c = layers.channels;
        let matrix = |layer: &Linear| Matrix::pack(layer.outputs, layer.inputs, values.get(layer.weight));
        let adjoint = |layers: &[&Linear]| adjoint(values, layers);
        let value = &layers.value;
        let block = |block: &LineBlock| {
            let depthwise = values.get(block.depthwise).to_vec();
            Block {
                flipped: depthwise.chunks_exact(c).rev().flatten().copied().collect(),
                depthwise,
                depthwise_bias: values.get(block.depthwise_bias).to_vec(),
                pool: matrix(&block.pool),
                pool_adjoint: adjoint(&[&block.pool]),
                pointwise: Dense::pack(values, &block.pointwise),
                pointwise_adjoint: adjoint(&[&block.pointwise]),
            }
        };
        Self {
            line: LineWeights::pack(layers, values),
            line_adjoints: LineAdjoints::pack(layers, values),
            side: values.get(layers.side).to_vec(),
            features: matrix(&layers.features),
            added: transposed(values.get(layers.added.weight), layers.added.inputs),
            blocks: layers.blocks.iter().map(block).collect(),
            joint: Dense::stack(values, &[&layers.pair, &value.conv]),
            joint_adjoint: adjoint(&[&layers.pair, &value.conv]),
            pair_pool: matrix(&layers.pair_pool),
            pair_pool_adjoint: adjoint(&[&layers.pair_pool]),
            shift: values.get(layers.pair_shift).to_vec(),
            distance: values.get(layers.distance).to_vec(),
            choice: values.get(layers.choice.weight).to_vec(),
            choice_bias: layers.choice.bias.map_or(0.0, |bias| values.get(bias)[0]),
            hidden: Dense::pack(values, &value.hidden),
            hidden_adjoint: adjoint(&[&value.hidden]),
            out: Dense::stack(values, &[&value.out, &value.moves_left]),
            out_adjoint: adjoint(&[&value.out, &value.moves_left]),
        }
    }
}
