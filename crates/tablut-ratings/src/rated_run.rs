//! Games by which a run of training rates itself: against players that stay the same, and against its own earlier nets.

use crate::pairs::PairTable;
use serde::{Deserialize, Serialize};

/// The rating games of one generation, all of its newest net.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RatedGeneration {
    /// Simulations of each of the nets' moves.
    pub simulations: u32,
    /// Wall time in seconds.
    pub seconds: f64,
    /// The games by rule set and opponent.
    pub matches: Vec<RatedMatch>,
}

/// Pairs of games of the newest net against one opponent under one rule set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RatedMatch {
    /// The rule set's name.
    pub rules: String,
    /// The opponent: a player that stays the same, `untrained`, or `generation N`.
    pub opponent: String,
    /// The generation that an opponent of the run's own came of; none for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// The pairs, by the newest net's results.
    pub pairs: PairTable,
}
