//! Puzzles: positions from self-play games in which one move of the side to move begins the proven shortest win.
//!
//! A puzzle's position is the start of its own game, without the moves that led to it. The exhaustive solver has proven
//! the win, that there is no shorter one, and that no other first move wins as fast; it shares no code with the search.
//! [`mine`] finds puzzles in self-play, a [`PuzzleSet`] is a file of them, and [`solve`] measures how many a search
//! solves.

mod file;
mod mine;
mod solve;

pub use file::PuzzleSet;
pub use mine::{Mine, MineError, mine};
pub use solve::{DistanceReport, SolveConfig, SolveReport, solve};

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use tablut_rules::{Move, Position};

/// The distances of puzzles, in moves of the side to move.
pub const DISTANCES: RangeInclusive<u32> = 2..=MAX_DISTANCE;
const MAX_DISTANCE: u32 = 5;
/// The longest distance in plies.
const MAX_PLIES: u32 = 2 * MAX_DISTANCE - 1;

/// A position with a proven shortest win of the side to move.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    pub position: Position,
    /// Moves of the side to move until it has won, one of [`DISTANCES`].
    pub distance: u32,
    /// The moves after which it wins within that distance: exactly one.
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

/// The index of a distance in a list with one entry for each of [`DISTANCES`].
fn distance_index(distance: u32) -> usize {
    (distance - DISTANCES.start()) as usize
}
