//! The moves of a batch as indices into the policy tables of a device, so that only their logits are gathered there.

use burn::tensor::{Device, Int, Tensor, TensorData};
use tablut_net::PolicyIndex;

use crate::model::tensor;

/// The rows' moves, padded to the longest row. Every array is `[rows, width]`.
pub(crate) struct PaddedIndices {
    /// Moves of the longest row, at least 1.
    pub width: usize,
    rows: usize,
    entries: Vec<i32>,
    /// Entries of chosen captures, and 1 where there is one. `None` if the batch has none.
    choices: Option<(Vec<i32>, Vec<f32>)>,
}

impl PaddedIndices {
    /// The moves of each row, with rows without moves up to `rows`. Moves after a row's last get an arbitrary entry.
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

    /// The moves' logits in policy tables of 32 bits: `[rows, POLICY_ENTRIES]` → `[rows, width]`.
    pub fn gather(&self, table: &Tensor<2>, device: &Device) -> Tensor<2> {
        let dims = [self.rows, self.width];
        let entries = Tensor::<2, Int>::from_data(TensorData::new(self.entries.clone(), dims), device);
        let logits = table.clone().gather(1, entries); // [rows, width]
        let Some((choices, present)) = &self.choices else { return logits };
        let choices = Tensor::<2, Int>::from_data(TensorData::new(choices.clone(), dims), device);
        logits + table.clone().gather(1, choices) * tensor(present.clone(), dims, device)
    }
}
