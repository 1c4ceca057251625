//! Estimates the strength of players from games in pairs, with error bars. The crate is independent of any particular
//! game.
//!
//! - [`Wdl`], [`Pentanomial`], [`PairTable`]: results; [`ScoreEstimate`]: a mean score with its interval.
//! - [`elo`]: scores as differences in strength; [`rate`]: ratings of many players.
//! - [`RatedGeneration`]: the rating games of one generation of a training run.
//! - [`SequentialTest`]: a test that stops as soon as it has enough evidence.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod elo;
pub mod pairs;
pub mod ratings;
pub mod score;
pub mod sequential_test;
#[cfg(test)]
#[path = "../tests/support/simulated.rs"]
mod simulated;

pub use pairs::{PairTable, RatedGeneration, RatedMatch};
pub use ratings::{Anchor, Pairing, Rating, RatingError, Ratings, pairings_by_name, rate};
pub use score::{HalfPoints, Pentanomial, ScoreEstimate, Wdl};
pub use sequential_test::{SequentialTest, TestBounds, TestBoundsError, TestState, TestVerdict};
