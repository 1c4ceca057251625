//! A training batch: inputs and targets as flat arrays.

use std::ops::Range;

use tablut_net::{InputBatch, PolicyIndex};
use tablut_rules::Bitboard;

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
    /// The squares of attackers and of defenders, including the king, in the game's last position, `[n]`.
    pub ownership: Vec<[Bitboard; 2]>,
    /// The squares of all pieces, and those of the pieces that are captured within the next
    /// [`CAPTURE_PLIES`](crate::CAPTURE_PLIES) plies, `[n]`. Empty unless the window makes this target.
    pub captures: Vec<[Bitboard; 2]>,
    /// What the search of the next ply found. Without rows unless the window makes this target.
    pub replies: Replies,
}

/// The policy of the search of the ply after each position, the opponent's reply to the move that was played. It has a
/// row for each position of the batch.
#[derive(Clone, Debug, Default)]
pub struct Replies {
    /// Policy indices of the legal moves of the next position, row by row, turned as the position is. A row is empty if
    /// the game ended, or if a quick search chose the next move.
    pub moves: Vec<PolicyIndex>,
    /// Target probability of each of `moves`. They sum to 1 in each row that is not empty.
    pub policy: Vec<f32>,
    /// For each row, the end of its moves in `moves`, `[n]`.
    pub move_ends: Vec<u32>,
}

impl Replies {
    /// The range of row `row` in [`Replies::moves`].
    pub fn range(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.move_ends[row - 1] as usize };
        start..self.move_ends[row] as usize
    }

    fn extend(&mut self, other: Self) {
        let moves_before = self.moves.len() as u32;
        self.moves.extend(other.moves);
        self.policy.extend(other.policy);
        self.move_ends.extend(other.move_ends.iter().map(|end| end + moves_before));
    }
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
        self.ownership.extend(other.ownership);
        self.captures.extend(other.captures);
        self.replies.extend(other.replies);
        self
    }
}
