//! A position with the part of its history that an evaluation may depend on.

use std::sync::Arc;

use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;

/// A position with everything else that an evaluation may depend on: the rules (`R`), the counts from its history, and
/// the legal moves (`M`).
///
/// [`crate::Game::situation`] returns one that borrows the rules and the moves. An evaluation that happens later needs
/// one that owns them.
#[derive(Copy, Clone, Debug)]
pub struct Situation<R, M> {
    /// The rules of the game.
    pub rules: R,
    /// Board and side to move.
    pub position: Position,
    /// The number of earlier occurrences of the position in its game that count under the repetition rule.
    pub occurrences: u32,
    /// The number of plies since the last capture.
    pub plies_since_capture: u32,
    /// The legal moves, in the order of [`Rules::legal_moves`].
    pub moves: M,
}

impl Situation<Arc<Rules>, Vec<Move>> {
    /// The same situation, with borrowed rules and moves.
    #[must_use]
    pub fn borrowed(&self) -> Situation<&Rules, &[Move]> {
        Situation {
            rules: &self.rules,
            position: self.position,
            occurrences: self.occurrences,
            plies_since_capture: self.plies_since_capture,
            moves: &self.moves,
        }
    }
}
