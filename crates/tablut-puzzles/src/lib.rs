//! Puzzles: positions from real games in which the side to move has a proven shortest win.
//!
//! A puzzle's position is a game of its own, without the moves that led to it; the exhaustive solver, which shares nothing
//! with the search, has proven the win and that there is no shorter one. [`mine`] finds puzzles in self-play, a
//! [`PuzzleSet`] is a file of them, [`solve`] tells how a search does on them.

mod file;
mod mine;
mod puzzle;
mod solve;

pub use file::{PuzzleFileError, PuzzleSet};
pub use mine::{Mine, MineError, mine};
pub use puzzle::{MAX_DISTANCE, MAX_PLIES, Puzzle};
pub use solve::{DistanceReport, SolveConfig, SolveReport, solve};
