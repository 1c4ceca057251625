//! A net's weights as the kernels want them: transformed, packed and padded, once.

use tablut_kernels::{Aligned, Convolution, LANES, Matrix};

use crate::encoding::{FEATURES, PLANES};
use crate::policy::POLICY_PLANES;
use crate::shape::NetShape;
use crate::weights::Weights;

/// Everything of a net that an evaluation reads.
pub(super) struct Network {
    pub shape: NetShape,
    pub input: Convolution,
    pub input_bias: Vec<f32>,
    pub features: Matrix,
    pub blocks: Vec<Block>,
    pub policy: Policy,
    pub value: Value,
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

/// The policy head.
pub(super) struct Policy {
    pub conv: Matrix,
    pub bias: Vec<f32>,
    pub pool: Matrix,
    /// One row of channels for each plane of the policy table.
    pub out: Aligned,
    pub out_bias: Vec<f32>,
}

/// The value head and, as a fourth output, moves left. Its widths are padded to sixteens with zero weights.
pub(super) struct Value {
    pub conv: Matrix,
    pub bias: Vec<f32>,
    pub hidden: Matrix,
    pub hidden_bias: Vec<f32>,
    pub out: Matrix,
    pub out_bias: Vec<f32>,
}

impl Network {
    pub fn new(weights: &Weights) -> Self {
        let shape = weights.shape();
        let channels = shape.channels;
        let data = |name: &str| weights.get(name).data.as_slice();
        let layer = |name: &str| Layer {
            convolution: Convolution::pack(channels, channels, data(&format!("{name}.weight"))),
            bias: data(&format!("{name}.bias")).to_vec(),
        };
        let block = |index: usize| Block {
            conv1: layer(&format!("trunk.block{index}.conv1")),
            conv2: layer(&format!("trunk.block{index}.conv2")),
            pool: NetShape::pools(index).then(|| {
                let pool = data(&format!("trunk.block{index}.pool.weight"));
                Matrix::pack(channels, 2 * channels, pool)
            }),
        };
        let mut out = Aligned::zeroed(POLICY_PLANES * channels);
        out.copy_from_slice(data("policy.out.weight"));
        Self {
            shape,
            input: Convolution::pack(channels, PLANES, data("trunk.input.weight")),
            input_bias: data("trunk.input.bias").to_vec(),
            features: Matrix::pack(channels, FEATURES, data("trunk.features.weight")),
            blocks: (0..shape.blocks).map(block).collect(),
            policy: Policy {
                conv: Matrix::pack(channels, channels, data("policy.conv.weight")),
                bias: data("policy.conv.bias").to_vec(),
                pool: Matrix::pack(channels, 2 * channels, data("policy.pool.weight")),
                out,
                out_bias: data("policy.out.bias").to_vec(),
            },
            value: Value::new(weights),
        }
    }
}

impl Value {
    fn new(weights: &Weights) -> Self {
        let shape = weights.shape();
        let (channels, narrow, hidden) = (shape.channels, shape.value_channels, shape.value_hidden);
        let (wide, hidden_wide) = (narrow.next_multiple_of(LANES), hidden.next_multiple_of(LANES));
        let data = |name: &str| weights.get(name).data.as_slice();
        // A row of the hidden layer is the weights of the means and then those of the maxima, each `narrow` long.
        let hidden_rows = widened(data("value.hidden.weight"), narrow, wide);
        let outputs = [data("value.out.weight"), data("moves_left.weight")].concat();
        Self {
            conv: Matrix::pack(narrow, channels, data("value.conv.weight")),
            bias: widened(data("value.conv.bias"), narrow, wide),
            hidden: Matrix::pack(hidden, 2 * wide, &hidden_rows),
            hidden_bias: widened(data("value.hidden.bias"), hidden, hidden_wide),
            out: Matrix::pack(4, hidden_wide, &widened(&outputs, hidden, hidden_wide)),
            out_bias: widened(&[data("value.out.bias"), data("moves_left.bias")].concat(), 4, LANES),
        }
    }
}

/// The rows of `narrow` values in `data`, each followed by zeros up to `wide` values.
fn widened(data: &[f32], narrow: usize, wide: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(data.len() / narrow * wide);
    for row in data.chunks_exact(narrow) {
        out.extend_from_slice(row);
        out.resize(out.len() + wide - narrow, 0.0);
    }
    out
}
