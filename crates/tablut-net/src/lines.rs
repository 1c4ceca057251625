//! Nets of lines: one small network describes each row and column of a position by itself, so its outputs can be read from
//! a table. `docs/how-net.md` explains the net.
//!
//! - [`LineLayers`]: the description.
//! - `patterns`: the lines of a position. `moves`: the lines of moves.
//! - `network`, `line_gradients`: the line network, forward and backward.
//! - [`LineLearner`]: the whole net in f32, forward and backward, for training.
//! - `engine`, `tables`: the forward pass in integers, for play, and its memory of lines.

mod dense;
mod description;
mod engine;
mod learning;
mod line_gradients;
mod moves;
mod network;
mod patterns;
mod tables;

pub use description::{
    ADDED_PLANES, BOTH, DISTANCES, DISTANCES_AHEAD, DISTANCES_FROM_EDGE, DISTANCES_FROM_END, ENDS, LINE_WIDTH,
    LineBlock, LineLayers, LineNetwork, PAIR, PAIR_SCALE, PAIRS, SPECIAL_PLANES, TAPS, TOP, ValueHead,
};
pub(crate) use engine::{LineNet, LineSpace};
pub use learning::LineLearner;
pub use moves::{Entry, MoveEntry, entries};
pub use network::place_rows;
