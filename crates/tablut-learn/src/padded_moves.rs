//! Rows of moves padded to one length, and the cross-entropy of a policy over them.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;

use crate::model::tensor;
use crate::moves::PaddedIndices;
use crate::sums::sum_of;

/// The rows' moves, padded to the longest row. Every array is `[n, width]`.
pub(crate) struct PaddedMoves {
    pub width: usize,
    indices: PaddedIndices,
    /// The target probability of each move, and 0 for padding.
    targets: Vec<f32>,
    /// 0 for a move. For padding it is so low that the probability is 0.
    offsets: Vec<f32>,
}

impl PaddedMoves {
    /// The legal moves of a batch's positions with the search's policy.
    pub fn of_batch(batch: &TrainingBatch) -> Self {
        const PADDING: f32 = -1e9;
        let n = batch.input.n;
        let moves: Vec<_> = (0..n).map(|row| &batch.input.moves[batch.input.move_range(row)]).collect();
        let indices = PaddedIndices::new(&moves, n, 1);
        let width = indices.width;
        let (mut targets, mut offsets) = (vec![0.0; n * width], vec![PADDING; n * width]);
        for row in 0..n {
            let policy = &batch.policy[batch.input.move_range(row)];
            let range = row * width..row * width + policy.len();
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

    /// The mean cross-entropy of the moves' `logits`, `[n, width]`, against the targets.
    pub fn cross_entropy(&self, logits: Tensor<2>, device: &Device) -> Tensor<1> {
        let dims = logits.dims();
        let offsets = tensor(self.offsets.clone(), dims, device);
        cross_entropy(logits + offsets, tensor(self.targets.clone(), dims, device))
    }
}

/// Mean over rows of `-Σ target · log softmax(logits)`.
pub(crate) fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    let n = logits.dims()[0];
    sum_of(log_softmax(logits, 1) * targets).div_scalar(-(n as f32))
}
