//! The settings of self-play: plain data, readable from TOML.

use serde::{Deserialize, Serialize};

/// How self-play games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// A game starts with random plies (default 4). Their number is random from 0 to this. So games differ, and the net
    /// sees positions that it would not choose.
    pub opening_plies: u32,
    /// A game that reaches this many plies is a draw (default 200).
    pub max_plies: u32,
    /// Lead of one side in a rule set's ordinary games, as a share of them, up to which its games have equal searches: 0
    /// to below 1. Beyond it, in `balance_share` of the games the losing side searches more and the winning side less, up
    /// to 16 to 1, with equal cost. Default 0: all searches are equal, whatever the lead.
    pub balance: f32,
    /// Share of a lopsided rule set's games with unequal searches, 0 to 0.9 (default 0.25). The rest show whether it still
    /// is lopsided.
    pub balance_share: f32,
    /// Random openings of equal length from which each game takes the one that the net finds most even, 2 to 64. Default
    /// 0: one opening, without a choice.
    pub balanced_openings: u32,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self { opening_plies: 4, max_plies: 200, balance: 0.0, balance_share: 0.25, balanced_openings: 0 }
    }
}
