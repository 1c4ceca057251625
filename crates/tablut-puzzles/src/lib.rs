//! Puzzles: positions from real games in which the side to move has a proven shortest win.
//!
//! A puzzle's position is the start of its own game, without the moves that led to it. The exhaustive solver has proven
//! the win and that there is no shorter one; it shares no code with the search. [`mine`] finds puzzles in self-play, a
//! [`PuzzleSet`] is a file of them, and [`solve`] measures how many a search solves.

mod file;
mod mine;
mod puzzle;
mod solve;

pub use file::{PuzzleFileError, PuzzleSet};
pub use mine::{Mine, MineError, mine};
pub use puzzle::{MAX_DISTANCE, MAX_PLIES, Puzzle};
pub use solve::{DistanceReport, SolveConfig, SolveReport, solve};
