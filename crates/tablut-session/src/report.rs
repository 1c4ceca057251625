//! What happens in a move, and how games end.

use serde::Serialize;
use tablut_rules::{Applied, Game, Move, Outcome, Piece, Position, Side, Square};

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct GameEnding {
    /// The winner. `None` for a draw.
    pub winner: Option<Side>,
    /// The reason in the rules, `resigned`, `out-of-time` or `agreed`.
    pub reason: &'static str,
}

/// The king's escape routes after a move (clause C11).
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alarm {
    Raichi,
    /// Two escape routes or more.
    Tuichi,
}

impl Alarm {
    pub fn of_routes(routes: u32) -> Option<Self> {
        match routes {
            0 => None,
            1 => Some(Self::Raichi),
            _ => Some(Self::Tuichi),
        }
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MoveReport {
    pub side: Side,
    pub piece: Piece,
    pub mv: Move,
    pub captured: Vec<(Square, Piece)>,
    pub alarm: Option<Alarm>,
    /// How often the position has occurred before, counted by the rule set's repetition rule.
    pub occurrences: u32,
    pub outcome: Option<Outcome>,
}

impl MoveReport {
    /// The report of a move, from the position before it and the game after it.
    pub(crate) fn new(before: &Position, mv: Move, applied: &Applied, game: &Game) -> Self {
        let piece_at = |square| before.piece_at(square).expect("pieces that move or are captured stand on the board");
        Self {
            side: before.side_to_move(),
            piece: piece_at(mv.from),
            mv,
            captured: applied.captured.iter().map(|square| (square, piece_at(square))).collect(),
            alarm: Alarm::of_routes(game.routes()),
            occurrences: game.occurrences(),
            outcome: game.outcome(),
        }
    }
}
