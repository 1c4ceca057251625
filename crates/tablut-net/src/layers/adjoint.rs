//! The backward pass through the layers, for training: from the gradient of a net's predictions to the gradients of its
//! weights.
//!
//! Every layer's gradient is written by hand here, with the kernels. Other code differentiates the loss and the
//! auxiliary heads, and passes their gradients in.

mod convolution;
mod gradients;
mod heads;
mod packed;
mod pooling;
mod shard;
mod trunk;

use std::ops::Range;

use tablut_kernels::Kernels;

use super::description::Layers;
use super::float32::{Float32, Room};
use super::heads::HeadSpace;
use super::kept::Kept;
use super::packing::Values;
use crate::architecture::Architecture;
use crate::batch::{InputBatch, Positions};
use convolution::GROUP;
use gradients::Gradients;
pub use gradients::Workspace;
use packed::Packed;
pub use shard::{Predictions, Shard};

/// A net's layers, packed for the forward and the backward pass.
pub struct LearningNet(Packed);

impl LearningNet {
    /// A net whose weights are all zero.
    pub fn new(architecture: &Architecture) -> Self {
        Self(Packed::new(architecture))
    }

    /// The layers.
    pub fn layers(&self) -> &Layers {
        &self.0.layers
    }

    /// Sets the values of all parameters.
    pub fn repack(&mut self, kernels: Kernels, values: &Values<'_>) {
        self.0.repack(kernels, values);
    }

    /// Buffers for `rows` of a batch.
    pub fn shard(&self, rows: Range<usize>) -> Shard {
        let n = rows.len();
        Shard {
            kept: Kept::new(&self.0.trunk, &self.0.heads, n),
            values: HeadSpace::new(&self.0.heads, n),
            logits: Vec::new(),
            gradients: Gradients::new(&self.0.layers),
            rows,
        }
    }

    /// Buffers for one thread, for one shard of at most `n` rows at a time.
    pub fn workspace(&self, n: usize) -> Workspace {
        let room = Room::new(GROUP, self.0.trunk.width, self.0.heads.joint_width());
        Workspace::new(&self.0.layers, room, n)
    }

    /// Runs the net on the shard's rows and keeps what the backward pass needs.
    pub fn forward(&self, kernels: Kernels, shard: &mut Shard, workspace: &mut Workspace, input: &InputBatch) {
        let positions = Positions { input, rows: shard.rows.clone() };
        shard.logits.resize(positions.moves().len(), 0.0);
        let (mut logits, size) = (&mut shard.logits[..], self.0.heads.pooled_len());
        for first in (0..shard.rows.len()).step_by(GROUP) {
            let rows = shard.rows.start + first..shard.rows.end.min(shard.rows.start + first + GROUP);
            let group = Positions { input, rows };
            let mut to = Float32::new(group.rows.len(), &mut workspace.room, shard.kept.rows_from(first));
            self.0.trunk.forward(kernels, &group, &mut to);
            let own = logits.split_off_mut(..group.moves().len()).expect("a logit for each move");
            self.0.heads.squares(
                kernels,
                &self.0.trunk,
                &mut to,
                &group,
                &mut shard.values.pooled[first * size..],
                own,
            );
        }
        self.0.heads.values(kernels, shard.rows.len(), &mut shard.values);
    }

    /// Sums the gradients of all weights over the shard's rows. `gradient` is the gradient of the whole batch's
    /// predictions.
    ///
    /// # Panics
    /// If the sizes of `gradient` differ from the batch of the last forward pass.
    pub fn backward(
        &self,
        kernels: Kernels,
        shard: &mut Shard,
        workspace: &mut Workspace,
        input: &InputBatch,
        gradient: &Predictions,
    ) {
        let positions = Positions { input, rows: shard.rows.clone() };
        heads::backward(&self.0, kernels, shard, workspace, &positions, gradient);
        trunk::backward(&self.0, kernels, shard, workspace, &positions);
    }

    /// The gradients of all parameters, in their order: the sums over the shards, added in the order of the shards.
    pub fn gradients(&self, shards: &[Shard]) -> Vec<Vec<f32>> {
        let shares: Vec<_> = shards.iter().map(|shard| &shard.gradients).collect();
        gradients::sum(&self.0.layers, &shares)
    }
}
