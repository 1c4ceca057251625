//! Rows of moves padded to one length, and the cross-entropy of a policy over them.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::PolicyIndex;

use crate::model::tensor;
use crate::moves::PaddedIndices;
use crate::sums::sum_of;

/// The rows' moves, padded to the longest row. Every array is `[n, width]`.
pub(crate) struct PaddedMoves {
    pub width: usize,
    indices: PaddedIndices,
    /// The target probability of each move, and 0 for padding.
    pub targets: Vec<f32>,
    /// 0 for a move. For padding it is so low that the probability is 0.
    offsets: Vec<f32>,
}

impl PaddedMoves {
    /// The legal moves of a batch's positions with the search's policy.
    pub fn of_batch(batch: &TrainingBatch) -> Self {
        let row = |row| {
            let range = batch.input.move_range(row);
            (&batch.input.moves[range.clone()], &batch.policy[range])
        };
        Self::new(&(0..batch.input.n).map(row).collect::<Vec<_>>())
    }

    /// The legal replies after a batch's positions, with the policy of the next search. A row without a reply has only
    /// padding. All rows are such if the batch has no replies.
    pub fn of_replies(batch: &TrainingBatch) -> Self {
        let replies = &batch.replies;
        let row = |row| {
            let range = if replies.move_ends.is_empty() { 0..0 } else { replies.range(row) };
            (&replies.moves[range.clone()], &replies.policy[range])
        };
        Self::new(&(0..batch.input.n).map(row).collect::<Vec<_>>())
    }

    /// Rows of moves with their target probabilities.
    fn new(rows: &[(&[PolicyIndex], &[f32])]) -> Self {
        const PADDING: f32 = -1e9;
        let n = rows.len();
        let moves: Vec<_> = rows.iter().map(|(moves, _)| *moves).collect();
        let indices = PaddedIndices::new(&moves, n, 1);
        let width = indices.width;
        let (mut targets, mut offsets) = (vec![0.0; n * width], vec![PADDING; n * width]);
        for (row, (moves, policy)) in rows.iter().enumerate() {
            let range = row * width..row * width + moves.len();
            targets[range.clone()].copy_from_slice(policy);
            offsets[range].fill(0.0);
        }
        Self { width, indices, targets, offsets }
    }

    /// The moves' logits in policy tables, `[n, POLICY_ENTRIES]`. Padding gets the logit of an arbitrary entry.
    pub fn gather(&self, table: &Tensor<2>, device: &Device) -> Tensor<2> {
        self.indices.gather(table, device)
    }

    /// Values of the batch's moves, padded with zeros to `[n, width]`.
    pub fn pad(&self, batch: &TrainingBatch, values: &[f32]) -> Vec<f32> {
        let mut padded = vec![0.0; batch.input.n * self.width];
        for (row, padded) in padded.chunks_exact_mut(self.width).enumerate() {
            let range = batch.input.move_range(row);
            padded[..range.len()].copy_from_slice(&values[range]);
        }
        padded
    }

    /// The values of the batch's moves from padded values `[n, width]`.
    pub fn unpad(&self, batch: &TrainingBatch, padded: &[f32]) -> Vec<f32> {
        let rows = padded.chunks_exact(self.width).enumerate();
        rows.flat_map(|(row, padded)| &padded[..batch.input.move_range(row).len()]).copied().collect()
    }

    /// The cross-entropy of the moves' `logits` against `targets`, summed over the rows and divided by `n`.
    pub fn cross_entropy(&self, logits: Tensor<2>, targets: Vec<f32>, n: usize, device: &Device) -> Tensor<1> {
        let dims = logits.dims();
        let offsets = tensor(self.offsets.clone(), dims, device);
        cross_entropy_over(logits + offsets, tensor(targets, dims, device), n)
    }
}

/// Mean over rows of `-Σ target · log softmax(logits)`.
pub(crate) fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    let n = logits.dims()[0];
    cross_entropy_over(logits, targets, n)
}

fn cross_entropy_over(logits: Tensor<2>, targets: Tensor<2>, n: usize) -> Tensor<1> {
    sum_of(log_softmax(logits, 1) * targets).div_scalar(-(n as f32))
}
