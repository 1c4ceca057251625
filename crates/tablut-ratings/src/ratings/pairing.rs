//! The input of ratings: pairs of games between two players, and players with given ratings.

use crate::pairs::PairTable;
use serde::{Deserialize, Serialize};

/// All pairs of games between two players. The players are given by their indices.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct Pairing {
    /// The player whose results `pairs` counts.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// How the pairs ended.
    pub pairs: PairTable,
}

/// A player with a given rating.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The player's index.
    pub player: usize,
    /// Its rating in Elo points.
    pub elo: f64,
}
