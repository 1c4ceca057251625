//! A training batch: inputs and targets as flat arrays.

use tablut_net::InputBatch;

/// One training batch: inputs and targets.
#[derive(Clone, Debug, Default)]
pub struct TrainingBatch {
    /// Encoded positions with their legal moves.
    pub input: InputBatch,
    /// Target probability of each of `input.moves`. They sum to 1 in each row.
    pub policy: Vec<f32>,
    /// Target probabilities of attackers win, draw, defenders win, `[n]`.
    pub wdl: Vec<[f32; 3]>,
    /// Plies from the position to the end of its game, `[n]`.
    pub moves_left: Vec<f32>,
}

impl TrainingBatch {
    /// Both batches' rows, one after the other.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        let moves_before = self.input.moves.len() as u32;
        self.input.n += other.input.n;
        self.input.planes.extend(other.input.planes);
        self.input.features.extend(other.input.features);
        self.input.moves.extend(other.input.moves);
        self.input.move_ends.extend(other.input.move_ends.iter().map(|end| end + moves_before));
        self.policy.extend(other.policy);
        self.wdl.extend(other.wdl);
        self.moves_left.extend(other.moves_left);
        self
    }
}
