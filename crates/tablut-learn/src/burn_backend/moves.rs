//! The moves of a batch as indices into the policy tables of a device, and the policy's loss over these moves. Only the
//! logits of legal moves are gathered.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};
use tablut_games::TrainingBatch;
use tablut_net::PolicyIndex;

use super::tensors::{sum_of, tensor};

/// The rows' moves, padded to the longest row. Every array is `[rows, width]`.
pub(crate) struct PaddedIndices {
    /// Number of moves of the longest row, at least 1.
    pub width: usize,
    rows: usize,
    entries: Vec<i32>,
    /// Entries of chosen captures, and 1 for each move that has one. `None` if no move has one.
    choices: Option<(Vec<i32>, Vec<f32>)>,
}

impl PaddedIndices {
    /// The moves of each row, padded with rows without moves to `rows`. The padding of a row has an arbitrary entry.
    pub fn new(moves: &[&[PolicyIndex]], rows: usize, least_width: usize) -> Self {
        let longest = moves.iter().map(|moves| moves.len()).max().unwrap_or(0);
        let width = longest.max(least_width).max(1);
        let any_choice = moves.iter().copied().flatten().any(|index| index.choice != PolicyIndex::NO_CHOICE);
        let mut entries = vec![0; rows * width];
        let mut choices = any_choice.then(|| (vec![0; rows * width], vec![0.0; rows * width]));
        for (row, moves) in moves.iter().enumerate() {
            for (at, index) in (row * width..).zip(*moves) {
                entries[at] = i32::from(index.entry);
                if let Some((choices, present)) = &mut choices
                    && index.choice != PolicyIndex::NO_CHOICE
                {
                    choices[at] = i32::from(index.choice);
                    present[at] = 1.0;
                }
            }
        }
        Self { width, rows, entries, choices }
    }

    /// The moves' logits, from policy tables of `f32`: `[rows, POLICY_ENTRIES]` → `[rows, width]`.
    pub fn gather(&self, table: &Tensor<2>, device: &Device) -> Tensor<2> {
        let dims = [self.rows, self.width];
        let entries = Tensor::<2, Int>::from_data(TensorData::new(self.entries.clone(), dims), device);
        let logits = table.clone().gather(1, entries); // [rows, width]
        let Some((choices, present)) = &self.choices else { return logits };
        let choices = Tensor::<2, Int>::from_data(TensorData::new(choices.clone(), dims), device);
        logits + table.clone().gather(1, choices) * tensor(present.clone(), dims, device)
    }
}

/// The mean cross-entropy of the legal moves against the search's policy, from policy tables `[n, POLICY_ENTRIES]`.
pub(crate) fn policy_loss(table: &Tensor<2>, batch: &TrainingBatch, device: &Device) -> Tensor<1> {
    /// Added to the logits of a row's padding. It is so low that their probabilities are 0.
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
    let logits = indices.gather(table, device) + tensor(offsets, [n, width], device); // [n, width]
    cross_entropy(logits, tensor(targets, [n, width], device))
}

/// Mean over rows of `-Σ target · log softmax(logits)`.
pub(crate) fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    let n = logits.dims()[0];
    sum_of(log_softmax(logits, 1) * targets).div_scalar(-(n as f32))
}
