//! Players of Tablut, matches between them, and numbers that mean something.

pub mod elo;
pub mod ratings;
pub mod score;
pub mod sprt;

pub use ratings::{PairingResult, Rating, RatingError, Ratings, rate};
pub use score::{HalfPoints, Pentanomial, ScoreEstimate, Wdl};
pub use sprt::{SprtBounds, SprtError, SprtState, Verdict};
