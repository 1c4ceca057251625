//! Players of Tablut, matches between them, and numbers that mean something.

pub mod alphabeta;
pub mod baseline;
pub mod elo;
pub mod openings;
pub mod ratings;
pub mod rollouts;
pub mod score;
pub mod spec;
pub mod sprt;

pub use baseline::{Baseline, baseline};
pub use openings::{Opening, OpeningError, openings};
pub use ratings::{PairingResult, Rating, RatingError, Ratings, rate};
pub use score::{HalfPoints, Pentanomial, ScoreEstimate, Wdl};
pub use spec::{PLAYER_FORMS, PlayerSpec, PlayerSpecError, SearchLimit};
pub use sprt::{SprtBounds, SprtError, SprtState, Verdict};
