//! Puzzles: positions from self-play games in which the side to move has a proven shortest win.
//!
//! A puzzle's position is the start of its own game, without the moves that led to it. The exhaustive solver has proven
//! the win and that there is no shorter one; it shares no code with the search. [`mine`] finds puzzles in self-play, a
//! [`PuzzleSet`] is a file of them, and [`solve`] measures how many a search solves.

mod file;
mod mine;
mod solve;

pub use file::PuzzleSet;
pub use mine::{Mine, MineError, mine};
pub use solve::{DistanceReport, SolveConfig, SolveReport, solve};

use serde::{Deserialize, Serialize};
use tablut_rules::{Move, Position};

/// The longest distance of a puzzle, in moves of the side to move.
pub const MAX_DISTANCE: u32 = 4;
/// [`MAX_DISTANCE`] in plies.
pub const MAX_PLIES: u32 = 2 * MAX_DISTANCE - 1;

/// A position with a proven shortest win of the side to move.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    pub position: Position,
    /// Moves of the side to move until it has won, 1 to [`MAX_DISTANCE`].
    pub distance: u32,
    /// All moves after which it wins within that distance, in the order of `Rules::legal_moves`.
    pub solutions: Vec<Move>,
    /// The number of its game in the search for puzzles.
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
