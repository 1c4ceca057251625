//! A net's weights for evaluation in f32: transformed, packed and padded, once.

use tablut_kernels::{Convolution, Matrix};

use crate::encoding::{FEATURES, PLANES};
use crate::engine::heads::Heads;
use crate::shape::NetShape;
use crate::weights::Weights;

/// Everything of a net that an evaluation in f32 reads.
pub(in crate::engine) struct Network {
    pub(super) channels: usize,
    pub(super) input: Layer,
    pub(super) features: Matrix,
    pub(super) blocks: Vec<Block>,
    pub(super) policy_conv: Matrix,
    pub(super) policy_bias: Vec<f32>,
    pub(super) policy_pool: Matrix,
    pub(super) value_conv: Matrix,
    pub(super) value_bias: Vec<f32>,
    pub(super) heads: Heads,
}

/// One residual block.
pub(super) struct Block {
    pub conv1: Layer,
    pub conv2: Layer,
    /// From the pooled middle of the block to a bias on its end, in odd blocks.
    pub pool: Option<Matrix>,
}

/// A 3×3 convolution and its bias.
pub(super) struct Layer {
    pub convolution: Convolution,
    pub bias: Vec<f32>,
}

impl Network {
    pub fn new(weights: &Weights) -> Self {
        let shape = weights.shape();
        let channels = shape.channels;
        let data = |name: &str| weights.get(name).data.as_slice();
        let layer = |name: &str, inputs: usize| Layer {
            convolution: Convolution::pack(channels, inputs, data(&format!("{name}.weight"))),
            bias: data(&format!("{name}.bias")).to_vec(),
        };
        let pool = |name: &str| Matrix::pack(channels, 2 * channels, data(&format!("{name}.pool.weight")));
        let block = |index: usize| {
            let name = format!("trunk.block{index}");
            Block {
                conv1: layer(&format!("{name}.conv1"), channels),
                conv2: layer(&format!("{name}.conv2"), channels),
                pool: NetShape::pools(index).then(|| pool(&name)),
            }
        };
        let value_conv = Matrix::pack(shape.value_channels, channels, data("value.conv.weight"));
        let mut value_bias = data("value.conv.bias").to_vec();
        value_bias.resize(value_conv.padded_outputs(), 0.0);
        Self {
            channels,
            input: layer("trunk.input", PLANES),
            features: Matrix::pack(channels, FEATURES, data("trunk.features.weight")),
            blocks: (0..shape.blocks).map(block).collect(),
            policy_conv: Matrix::pack(channels, channels, data("policy.conv.weight")),
            policy_bias: data("policy.conv.bias").to_vec(),
            policy_pool: pool("policy"),
            heads: Heads::new(weights, channels, value_conv.padded_outputs()),
            value_conv,
            value_bias,
        }
    }
}
