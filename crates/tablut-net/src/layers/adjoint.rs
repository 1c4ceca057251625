//! The backward pass through the layers, for training: from the gradient of a net's predictions to the gradients of its
//! weights.
//!
//! Every layer's gradient is written by hand here, with the kernels. Other code differentiates the loss and passes its
//! gradient in.

mod buffers;
mod gradients;
mod heads;
mod packed;
mod rounded;
mod trunk;

use std::ops::Range;

use tablut_kernels::Kernels;

use super::heads::HeadSpace;
use super::kept::Kept;
use super::packing::Arithmetic;
use super::winograd::{Points, Room};
use crate::batch::{InputBatch, Positions};
use buffers::{GROUP, RoundedSpace};
use gradients::Gradients;
pub use gradients::{Predictions, Shard, Workspace};
use packed::Adjoints;
pub use packed::LearningNet;

impl LearningNet {
    /// Buffers for `rows` of a batch.
    pub fn shard(&self, rows: Range<usize>) -> Shard {
        let n = rows.len();
        Shard {
            kept: Kept::new(&self.layers, n),
            values: HeadSpace::new(&self.heads, n),
            logits: Vec::new(),
            gradients: Gradients::new(&self.layers),
            rows,
        }
    }

    /// Buffers for one thread, for one shard of at most `n` rows at a time.
    pub fn workspace(&self, n: usize) -> Workspace {
        let (c, joint_width) = (self.layers.channels, self.heads.joint_width());
        let rounded = match &self.adjoints {
            Adjoints::Single(_) => None,
            Adjoints::Rounded(..) => Some(RoundedSpace::new(n, c, joint_width)),
        };
        Workspace::new(&self.layers, Room::new(Arithmetic::F32, GROUP, c, joint_width), rounded, n)
    }

    /// Runs the net on the shard's rows and keeps what the backward pass needs.
    pub fn forward(&self, kernels: Kernels, shard: &mut Shard, workspace: &mut Workspace, input: &InputBatch) {
        let positions = Positions { input, rows: shard.rows.clone() };
        shard.logits.resize(positions.moves().len(), 0.0);
        let trunk = &self.trunk;
        match &self.adjoints {
            Adjoints::Single(_) => self.forward_single(kernels, shard, workspace, input),
            Adjoints::Rounded(bf16, _) => {
                let space = workspace.rounded.as_mut().expect("a workspace of this net");
                let mut to = rounded::Forward::new(*bf16, &mut shard.kept, space);
                trunk.forward(kernels, &positions, &mut to);
                let values = &mut shard.values.pooled;
                self.heads.squares(kernels, trunk, &mut to, &positions, values, &mut shard.logits);
            }
        }
        self.heads.values(kernels, shard.rows.len(), &mut shard.values);
    }

    /// Runs the trunk and the heads' 1×1 convolutions in f32, a few rows at a time.
    fn forward_single(&self, kernels: Kernels, shard: &mut Shard, workspace: &mut Workspace, input: &InputBatch) {
        let Self { trunk, heads, .. } = self;
        let (mut logits, size) = (&mut shard.logits[..], heads.pooled_len());
        for first in (0..shard.rows.len()).step_by(GROUP) {
            let rows = shard.rows.start + first..shard.rows.end.min(shard.rows.start + first + GROUP);
            let group = Positions { input, rows };
            let mut to = Points::new(group.rows.len(), &mut workspace.room, shard.kept.rows_from(first));
            trunk.forward(kernels, &group, &mut to);
            let own = logits.split_off_mut(..group.moves().len()).expect("a logit for each move");
            let pooled = &mut shard.values.pooled[first * size..];
            heads.squares(kernels, trunk, &mut to, &group, pooled, own);
        }
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
        heads::backward(self, kernels, shard, workspace, &positions, gradient);
        trunk::backward(self, kernels, shard, workspace, &positions);
    }

    /// The gradients of all parameters, in their order: the sums over the shards, added in the order of the shards.
    pub fn gradients(&self, shards: &[Shard]) -> Vec<Vec<f32>> {
        let shares: Vec<_> = shards.iter().map(|shard| &shard.gradients).collect();
        gradients::sum(&self.layers, &shares)
    }
}
