//! Gradients as the kernels sum them, the rows of a batch and the buffers to compute them in, and the conversion to the
//! tensors' layout.

use std::ops::Range;

use rayon::prelude::*;
use tablut_kernels::{Aligned, LANES};
use tablut_rules::SQUARES;

use super::buffers::{RoundedSpace, Tiles};
use crate::features::FEATURES;
use crate::layers::description::{Block, Layers};
use crate::layers::heads::{HeadSpace, softplus};
use crate::layers::kept::Kept;
use crate::layers::parameter::{Convolution, Linear, Parameter, ParameterId};
use crate::layers::winograd::{PLANE_WIDTH, Room};

/// One layer's gradient: `[input][tap][output]` for a convolution's weights, `[input][output]` for a matrix, and the
/// biases. If several layers read the same rows, their outputs are side by side in one matrix.
pub(super) struct Sums {
    pub weight: Aligned,
    pub bias: Aligned,
}

/// The gradients of all layers, summed over some rows.
pub(super) struct Gradients {
    pub input: Sums,
    pub features: Aligned,
    pub blocks: Vec<BlockGradients>,
    pub joint: Sums,
    pub policy_pool: Aligned,
    /// `[plane][channel]`, as in the tensor.
    pub policy_out: Sums,
    pub hidden: Sums,
    /// For win, draw, loss and moves left, with padded outputs.
    pub out: Sums,
}

/// Gradients of one block. `pool` is empty for plain blocks.
pub(super) struct BlockGradients {
    pub conv1: Sums,
    pub conv2: Sums,
    pub pool: Aligned,
}

impl Sums {
    fn new(inputs: usize, outputs: usize) -> Self {
        Self { weight: Aligned::zeroed(inputs * outputs), bias: Aligned::zeroed(outputs) }
    }

    fn convolution(convolution: &Convolution) -> Self {
        Self::new(9 * convolution.inputs.next_multiple_of(LANES), convolution.outputs)
    }
}

impl Gradients {
    pub fn new(layers: &Layers) -> Self {
        let (policy, value) = (&layers.policy, &layers.value);
        let joint = policy.conv.outputs + value.conv.outputs;
        let block = |block: &Block| BlockGradients {
            conv1: Sums::convolution(&block.conv1),
            conv2: Sums::convolution(&block.conv2),
            pool: Aligned::zeroed(block.pool.map_or(0, |pool| pool.inputs * pool.outputs)),
        };
        Self {
            input: Sums::convolution(&layers.input),
            features: Aligned::zeroed(FEATURES * layers.channels),
            blocks: layers.blocks.iter().map(block).collect(),
            joint: Sums::new(layers.channels, joint),
            policy_pool: Aligned::zeroed(policy.pool.inputs * policy.pool.outputs),
            policy_out: Sums::new(policy.out.inputs, policy.out.outputs),
            hidden: Sums::new(value.hidden.inputs, value.hidden.outputs),
            out: Sums::new(value.out.inputs, LANES),
        }
    }

    /// The place of each parameter's gradient, in the parameters' order.
    fn sources(&self, layers: &Layers) -> Vec<Source<'_>> {
        let mut to = Sources(vec![Source::default(); layers.parameters().len()]);
        to.convolution(&layers.input, &self.input);
        to.matrix(&layers.features, &self.features);
        for (layer, gradients) in layers.blocks.iter().zip(&self.blocks) {
            to.convolution(&layer.conv1, &gradients.conv1);
            to.convolution(&layer.conv2, &gradients.conv2);
            if let Some(pool) = &layer.pool {
                to.matrix(pool, &gradients.pool);
            }
        }
        let (policy, value) = (&layers.policy, &layers.value);
        to.side_by_side(&[&policy.conv, &value.conv], &self.joint);
        to.matrix(&policy.pool, &self.policy_pool);
        to.as_in_the_tensor(&policy.out, &self.policy_out);
        to.side_by_side(&[&value.hidden], &self.hidden);
        to.side_by_side(&[&value.out, &value.moves_left], &self.out);
        to.0
    }
}

/// The place of a tensor's gradient. The value `(input, tap, output)` is at
/// `(input * taps + tap) * width + first_output + output`. With a width of 0 the layout is that of the tensor.
#[derive(Copy, Clone, Default)]
struct Source<'a> {
    values: &'a [f32],
    width: usize,
    first_output: usize,
}

/// Sources of all parameters, while they are collected.
struct Sources<'a>(Vec<Source<'a>>);

impl<'a> Sources<'a> {
    fn set(&mut self, id: ParameterId, values: &'a [f32], width: usize, first_output: usize) {
        self.0[id.index()] = Source { values, width, first_output };
    }

    fn convolution(&mut self, layer: &Convolution, sums: &'a Sums) {
        self.set(layer.weight, &sums.weight, layer.outputs, 0);
        self.set(layer.bias, &sums.bias, layer.outputs, 0);
    }

    fn matrix(&mut self, layer: &Linear, weight: &'a [f32]) {
        self.set(layer.weight, weight, layer.outputs, 0);
    }

    fn side_by_side(&mut self, layers: &[&Linear], sums: &'a Sums) {
        let (width, mut first) = (sums.bias.len(), 0);
        for layer in layers {
            self.set(layer.weight, &sums.weight, width, first);
            if let Some(bias) = layer.bias {
                self.set(bias, &sums.bias, width, first);
            }
            first += layer.outputs;
        }
    }

    fn as_in_the_tensor(&mut self, layer: &Linear, sums: &'a Sums) {
        self.set(layer.weight, &sums.weight, 0, 0);
        if let Some(bias) = layer.bias {
            self.set(bias, &sums.bias, 0, 0);
        }
    }
}

/// Adds the shards' gradients in order and converts them to the tensors' layout.
pub(super) fn sum(layers: &Layers, shares: &[&Gradients]) -> Vec<Vec<f32>> {
    let sources: Vec<_> = shares.iter().map(|share| share.sources(layers)).collect();
    let gradient = |(at, parameter): (usize, &Parameter)| {
        let Some((first, rest)) = sources.split_first() else { return vec![0.0; parameter.len()] };
        let mut sums = first[at].values.to_vec();
        for source in rest {
            for (sum, value) in sums.iter_mut().zip(source[at].values) {
                *sum += value;
            }
        }
        first[at].in_tensors_layout(parameter, sums)
    };
    layers.parameters().par_iter().enumerate().map(gradient).collect()
}

impl Source<'_> {
    fn in_tensors_layout(&self, parameter: &Parameter, mut sums: Vec<f32>) -> Vec<f32> {
        if self.width == 0 {
            sums.truncate(parameter.len());
            return sums;
        }
        // A tensor is `[output][input][tap]`; a bias has neither inputs nor taps.
        let outputs = parameter.dims[0];
        let mut gradient = Vec::with_capacity(parameter.len());
        for output in 0..outputs {
            let column = sums[self.first_output + output..].iter().step_by(self.width);
            gradient.extend(column.take(parameter.len() / outputs));
        }
        gradient
    }
}

/// Buffers for one thread, for one shard at a time.
pub struct Workspace {
    /// For the forward pass.
    pub(super) room: Room,
    pub(super) tiles: Tiles,
    /// For both passes if convolutions are rounded.
    pub(super) rounded: Option<RoundedSpace>,
    /// Gradient of a block's output, then of its input, `[row][square][channel]`.
    pub(super) outer: Aligned,
    /// Gradient between a block's convolutions.
    pub(super) inner: Aligned,
    /// Sums of `outer` over the squares, `[row][channel]`.
    pub(super) outer_sums: Aligned,
    /// Sums of `inner` over the squares.
    pub(super) inner_sums: Aligned,
    /// Gradients of each row's biases.
    pub(super) bias: Aligned,
    /// Gradients of pooled values.
    pub(super) pooled: Aligned,
    /// Gradient of one row's policy and value activations side by side, and its sums over the squares.
    pub(super) joint: Aligned,
    pub(super) joint_sums: Aligned,
    pub(super) value_pooled: Aligned,
    pub(super) hidden: Aligned,
    pub(super) out: Aligned,
}

impl Workspace {
    /// Buffers for shards of at most `n` rows.
    pub(super) fn new(layers: &Layers, room: Room, rounded: Option<RoundedSpace>, n: usize) -> Self {
        let (c, p, v) = (layers.channels, layers.policy.conv.outputs, layers.value.conv.outputs);
        Self {
            room,
            rounded,
            tiles: Tiles::new(c.max(PLANE_WIDTH), c),
            outer: Aligned::zeroed(n * SQUARES * c),
            inner: Aligned::zeroed(n * SQUARES * c),
            outer_sums: Aligned::zeroed(n * c),
            inner_sums: Aligned::zeroed(n * c),
            bias: Aligned::zeroed(n * c.max(p)),
            pooled: Aligned::zeroed(n * 2 * c),
            joint: Aligned::zeroed(SQUARES * (p + v)),
            joint_sums: Aligned::zeroed(p + v),
            value_pooled: Aligned::zeroed(n * 2 * v),
            hidden: Aligned::zeroed(n * layers.value.hidden.outputs),
            out: Aligned::zeroed(n * LANES),
        }
    }
}

/// Sums of rows, in order.
pub(super) fn sum_rows(values: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    for row in values.chunks_exact(out.len()) {
        for (sum, value) in out.iter_mut().zip(row) {
            *sum += value;
        }
    }
}

/// A net's raw outputs for each row of a batch, or a gradient with respect to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// Policy logits, one for each of the batch's moves.
    pub logits: Vec<f32>,
    /// Logits of attackers win, draw, defenders win, `[n][3]`.
    pub wdl: Vec<f32>,
    /// Plies to the end in units of 32, at least 0, `[n]`.
    pub moves_left: Vec<f32>,
}

/// A few rows of a batch: their activations and their part of the gradients.
pub struct Shard {
    pub(super) rows: Range<usize>,
    pub(super) kept: Kept,
    pub(super) values: HeadSpace,
    pub(super) logits: Vec<f32>,
    pub(super) gradients: Gradients,
}

impl Shard {
    /// The rows of the batch.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Appends the predictions of the shard's rows.
    pub fn append_predictions(&self, to: &mut Predictions) {
        to.logits.extend_from_slice(&self.logits);
        for out in self.values.out.chunks_exact(LANES) {
            to.wdl.extend_from_slice(&out[..3]);
            to.moves_left.push(softplus(out[3]));
        }
    }
}
