//! A position with what of its game an evaluation may depend on.

use std::sync::Arc;

use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;

/// A position with all that an evaluation of it may depend on: the rules (`R`), what of the history counts, the legal moves (`M`).
///
/// [`crate::Game::situation`] gives one that borrows rules and moves; what must wait for its evaluation owns them.
#[derive(Copy, Clone, Debug)]
pub struct Situation<R, M> {
    /// The rules of the game that the position comes from.
    pub rules: R,
    /// Board and side to move.
    pub position: Position,
    /// Earlier occurrences of the position in its game, as the rule set's repetition rule counts them.
    pub occurrences: u32,
    /// Plies played since the last capture.
    pub plies_since_capture: u32,
    /// The legal moves, in the order of [`Rules::legal_moves`].
    pub moves: M,
}

impl Situation<Arc<Rules>, Vec<Move>> {
    /// The same, with rules and moves borrowed.
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
