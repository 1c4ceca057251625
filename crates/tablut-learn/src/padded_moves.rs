//! Rows of moves padded to one length, and the cross-entropy of a policy over them.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};
use tablut_games::TrainingBatch;
use tablut_net::PolicyIndex;

use crate::model::tensor;

/// The rows' moves, padded to the longest row. Every array is `[n, width]`.
pub(crate) struct PaddedMoves {
    pub width: usize,
    entries: Vec<i32>,
    /// The target probability of each move, and 0 for padding.
    pub targets: Vec<f32>,
    /// 0 for a move. For padding it is so low that the probability is 0.
    offsets: Vec<f32>,
    /// Entries of chosen captures, and 1 where there is one. `None` if the batch has none.
    choices: Option<(Vec<i32>, Vec<f32>)>,
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
        let width = rows.iter().map(|(moves, _)| moves.len()).max().unwrap_or(0).max(1);
        let any_choice = rows.iter().any(|(moves, _)| moves.iter().any(|index| index.choice != PolicyIndex::NO_CHOICE));
        let mut padded = Self {
            width,
            entries: vec![0; n * width],
            targets: vec![0.0; n * width],
            offsets: vec![PADDING; n * width],
            choices: any_choice.then(|| (vec![0; n * width], vec![0.0; n * width])),
        };
        for (row, (moves, policy)) in rows.iter().enumerate() {
            for (at, (index, target)) in (row * width..).zip(moves.iter().zip(*policy)) {
                padded.entries[at] = i32::from(index.entry);
                padded.targets[at] = *target;
                padded.offsets[at] = 0.0;
                if let Some((choices, present)) = &mut padded.choices
                    && index.choice != PolicyIndex::NO_CHOICE
                {
                    choices[at] = i32::from(index.choice);
                    present[at] = 1.0;
                }
            }
        }
        padded
    }

    /// The moves' logits in policy tables, `[n, POLICY_ENTRIES]`. Padding gets the logit of an arbitrary entry.
    pub fn gather(&self, table: &Tensor<2>, device: &Device) -> Tensor<2> {
        let dims = [table.dims()[0], self.width];
        let entries = Tensor::<2, Int>::from_data(TensorData::new(self.entries.clone(), dims), device);
        let logits = table.clone().gather(1, entries); // [n, width]
        let Some((choices, present)) = &self.choices else { return logits };
        let choices = Tensor::<2, Int>::from_data(TensorData::new(choices.clone(), dims), device);
        let present = Tensor::<2>::from_data(TensorData::new(present.clone(), dims), device);
        logits + table.clone().gather(1, choices) * present
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
    (log_softmax(logits, 1) * targets).sum().div_scalar(-(n as f32))
}
