//! What results of games in pairs say of the players' strength, and how surely. Knows no game.
//!
//! - [`Wdl`], [`Pentanomial`], [`PairTable`]: results; [`ScoreEstimate`]: a mean score with its interval.
//! - [`elo`]: scores as differences in strength; [`rate`]: ratings of many players.
//! - [`SequentialTest`]: a test that ends as soon as the pairs say enough.

pub mod elo;
pub mod pairs;
pub mod ratings;
pub mod score;
pub mod sequential_test;
pub mod simulated;

pub use pairs::PairTable;
pub use ratings::{Anchor, Anchored, Pairing, Rating, RatingError, Ratings, rate};
pub use score::{HalfPoints, Pentanomial, ScoreEstimate, Wdl};
pub use sequential_test::{SequentialTest, TestBounds, TestBoundsError, TestState, TestVerdict};
