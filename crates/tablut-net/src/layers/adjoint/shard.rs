//! A few rows of a batch in the forward and the backward pass.

use std::ops::Range;

use tablut_kernels::LANES;

use super::gradients::Gradients;
use crate::layers::heads::{HeadSpace, softplus};
use crate::layers::kept::Kept;

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
