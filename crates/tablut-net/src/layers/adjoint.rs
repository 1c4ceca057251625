//! The way back through the layers, for learning: from the gradient of a net's predictions to those of its weights.
//!
//! Every layer's gradient is written out by hand here, on the kernels; what is made of the predictions, and what other
//! heads make of the trunk's output, is differentiated elsewhere and handed in.

mod convolution;
mod gradients;
mod heads;
mod pooling;
mod trunk;

use std::ops::Range;

use rayon::prelude::*;
use tablut_kernels::{Convolution, Kernels, LANES, Matrix};

use super::float32::Room;
use super::heads::own_rows;
use super::packing::transposed;
use super::{F32, Float32, HeadSpace, Heads, Kept, Layers, Linear, Trunk, Values, softplus};
use crate::architecture::Architecture;
use crate::batch::{InputBatch, Positions};
use gradients::Gradients;
pub use gradients::Workspace;

/// Positions that go through a convolution together, few enough for the second-level cache.
const GROUP: usize = 8;

/// A net's layers packed for both ways.
pub struct LearningNet {
    layers: Layers,
    trunk: Trunk<F32>,
    heads: Heads<F32>,
    blocks: Vec<BlockAdjoint>,
    head_adjoints: HeadAdjoints,
}

/// From gradients of a layer's outputs to those of its inputs.
struct BlockAdjoint {
    conv1: Convolution,
    conv2: Convolution,
    pool: Option<Matrix>,
}

/// The same for the heads.
struct HeadAdjoints {
    joint: Matrix,
    pool: Matrix,
    hidden: Matrix,
    out: Matrix,
}

/// What a net gives for each row of a batch, or the gradient of something with respect to that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// Policy logits, one for each of the batch's moves.
    pub logits: Vec<f32>,
    /// Logits of attackers win, draw, defenders win, `[n][3]`.
    pub wdl: Vec<f32>,
    /// Plies to the end in units of 32, at least 0, `[n]`.
    pub moves_left: Vec<f32>,
    /// The trunk's output, `[n][81][channels]`; empty where nothing but the heads reads it.
    pub trunk: Vec<f32>,
}

/// A few rows of a batch: their activations and their share of the gradients.
pub struct Shard {
    rows: Range<usize>,
    kept: Kept,
    values: HeadSpace,
    logits: Vec<f32>,
    gradients: Gradients,
}

impl Shard {
    /// The rows, of the batch.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Appends the predictions of the shard's rows, with the trunk's output if asked.
    pub fn append_predictions(&self, with_trunk: bool, to: &mut Predictions) {
        to.logits.extend_from_slice(&self.logits);
        for out in self.values.out.chunks_exact(LANES) {
            to.wdl.extend_from_slice(&out[..3]);
            to.moves_left.push(softplus(out[3]));
        }
        if with_trunk {
            to.trunk.extend_from_slice(self.kept.output());
        }
    }
}

impl LearningNet {
    /// A net whose weights are all zero.
    pub fn new(architecture: &Architecture) -> Self {
        let layers = architecture.layers();
        let zeros: Vec<_> = layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        let values = Values::new(zeros.iter().map(Vec::as_slice));
        let (trunk, heads) = (Trunk::pack(&layers, &values), Heads::pack(&layers, &values));
        let c = layers.channels;
        let block = |block: &super::Block| BlockAdjoint {
            conv1: Convolution::zeroed(c, c),
            conv2: Convolution::zeroed(c, c),
            pool: block.pool.as_ref().map(|pool| adjoint(&values, &[pool])),
        };
        let blocks = layers.blocks.iter().map(block).collect();
        let head_adjoints = HeadAdjoints::pack(&layers, &values);
        Self { layers, trunk, heads, blocks, head_adjoints }
    }

    /// The layers.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Takes over the values of all parameters.
    pub fn repack(&mut self, kernels: Kernels, values: &Values<'_>) {
        let Self { layers, trunk, heads, blocks, head_adjoints } = self;
        trunk.repack_stem(kernels, layers, values);
        let blocks = trunk.blocks.par_iter_mut().zip(blocks).zip(&layers.blocks);
        blocks.for_each(|((forward, back), layer)| {
            let sides = [
                (&layer.conv1, &mut forward.conv1, &mut back.conv1),
                (&layer.conv2, &mut forward.conv2, &mut back.conv2),
            ];
            for (layer, forward, back) in sides {
                forward.repack(kernels, layer, values);
                kernels.repack_adjoint(values.get(layer.weight), back);
            }
            if let (Some(layer), Some(pool), Some(back)) = (&layer.pool, &mut forward.pool, &mut back.pool) {
                *pool = super::packing::matrix(&own_rows(values, &[layer]));
                *back = adjoint(values, &[layer]);
            }
        });
        *heads = Heads::pack(layers, values);
        *head_adjoints = HeadAdjoints::pack(layers, values);
    }

    /// Room for `rows` of a batch.
    pub fn shard(&self, rows: Range<usize>) -> Shard {
        let n = rows.len();
        Shard {
            kept: Kept::new(&self.trunk, &self.heads, n),
            values: HeadSpace::new(&self.heads, n),
            logits: Vec::new(),
            gradients: Gradients::new(&self.layers),
            rows,
        }
    }

    /// Room for one thread to work in, for one shard of at most `n` rows at a time.
    pub fn workspace(&self, n: usize) -> Workspace {
        let room = Room::new(GROUP, self.trunk.width, self.heads.joint_width());
        Workspace::new(&self.layers, room, n)
    }

    /// Runs the net on the shard's rows and keeps what the way back needs.
    pub fn forward(&self, kernels: Kernels, shard: &mut Shard, workspace: &mut Workspace, input: &InputBatch) {
        let positions = Positions { input, rows: shard.rows.clone() };
        shard.logits.resize(positions.moves().len(), 0.0);
        let (mut logits, size) = (&mut shard.logits[..], self.heads.pooled_len());
        for first in (0..shard.rows.len()).step_by(GROUP) {
            let rows = shard.rows.start + first..shard.rows.end.min(shard.rows.start + first + GROUP);
            let group = Positions { input, rows };
            let mut to = Float32::new(group.rows.len(), &mut workspace.room, shard.kept.rows_from(first));
            self.trunk.forward(kernels, &group, &mut to);
            let own = logits.split_off_mut(..group.moves().len()).expect("a logit for each move");
            self.heads.squares(kernels, &self.trunk, &mut to, &group, &mut shard.values.pooled[first * size..], own);
        }
        self.heads.values(kernels, shard.rows.len(), &mut shard.values);
    }

    /// Sums the gradients of all weights over the shard's rows, from the gradient of the whole batch's predictions.
    ///
    /// # Panics
    /// When `gradient` has other sizes than the batch of the last forward pass.
    pub fn backward(
        &self,
        kernels: Kernels,
        shard: &mut Shard,
        workspace: &mut Workspace,
        input: &InputBatch,
        gradient: &Predictions,
    ) {
        let positions = Positions { input, rows: shard.rows.clone() };
        heads::backward(self, kernels, shard, workspace, &positions, gradient);
        trunk::backward(self, kernels, shard, workspace, &positions);
    }

    /// The gradients of all parameters, in their order: the shards' shares, added in the order of the shards.
    pub fn gradients(&self, shards: &[Shard]) -> Vec<Vec<f32>> {
        gradients::sum(&self.layers, shards)
    }
}

impl HeadAdjoints {
    fn pack(layers: &Layers, values: &Values<'_>) -> Self {
        let (policy, value) = (&layers.policy, &layers.value);
        Self {
            joint: adjoint(values, &[&policy.conv, &value.conv]),
            pool: adjoint(values, &[&policy.pool]),
            hidden: adjoint(values, &[&value.hidden]),
            out: adjoint(values, &[&value.out, &value.moves_left]),
        }
    }
}

/// The adjoint of the layers that read the same rows, their outputs side by side.
fn adjoint(values: &Values<'_>, layers: &[&Linear]) -> Matrix {
    transposed(&own_rows(values, layers))
}
