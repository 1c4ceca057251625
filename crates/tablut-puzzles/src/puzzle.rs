//! One puzzle: a position, the distance of its win, and all moves that win within that distance.

use tablut_rules::{Move, Position};

/// The longest distance of a puzzle, in moves of the side to move.
pub const MAX_DISTANCE: u32 = 4;
/// The same in plies.
pub const MAX_PLIES: u32 = 2 * MAX_DISTANCE - 1;

/// A position with a proven shortest win of the side to move.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Puzzle {
    /// The position.
    pub position: Position,
    /// Moves of the side to move until it has won, 1 to [`MAX_DISTANCE`].
    pub distance: u32,
    /// All moves after which it wins within that distance, in the order of `Rules::legal_moves`.
    pub solutions: Vec<Move>,
    /// The number of the game that the position comes from.
    pub game: u64,
    /// Plies played in that game before the position.
    pub ply: u32,
}

impl Puzzle {
    /// Plies of the shortest win.
    pub fn plies(&self) -> u32 {
        2 * self.distance - 1
    }
}
