//! Nets of lines: one small network describes each row and column of a position by itself, so its outputs can be read from
//! a table. `docs/how-net.md` explains the net.
//!
//! [`LineLayers`] is the description. `patterns` finds the lines of a position, `network` is the line network,
//! [`LineLearner`] the forward and backward pass in f32 for training, `engine` the forward pass in integers for play, and `tables`
//! its memory of lines.

mod description;
mod engine;
mod learning;
mod moves;
mod network;
mod patterns;
mod tables;

pub(crate) use description::{ADDED_PLANES, DISTANCES_FROM_EDGE, ENDS, LINE_WIDTH, PAIR, SPECIAL_PLANES, TAPS, TOP};
pub use description::{LineBlock, LineLayers, LineNetwork};
pub(crate) use engine::{LineNet, LineSpace};
pub use learning::LineLearner;
pub(crate) use learning::PAIR_SCALE;
pub(crate) use moves::{Entry, MoveEntry, entries};
