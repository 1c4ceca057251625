//! Puzzles: positions from real games in which the side to move has a proven shortest win.
//!
//! A puzzle's position is a game of its own, without the moves that led to it; the exhaustive solver, which shares nothing
//! with the search, has proven the win and that there is no shorter one. [`mine`] finds puzzles in self-play, a
//! [`PuzzleSet`] is a file of them, [`solve`] tells how a search does on them.

mod file;
mod mine;
mod solve;

pub use file::{PuzzleFileError, PuzzleSet};
pub use mine::{Mine, MineError, mine};
pub use solve::{DistanceReport, SolveConfig, SolveReport, solve};

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
