//! The player of our program as an engine: a net, or a player without a net.

use std::sync::Arc;
use tablut_players::{Baseline, NetPlayer};
use tablut_rules::Rules;

/// The player.
pub enum BridgePlayer {
    /// A net.
    Net(Box<NetPlayer>),
    /// A player without a net. It ignores limits on its time.
    Baseline(Baseline),
}

impl BridgePlayer {
    /// Changes the rules.
    pub fn set_rules(&mut self, rules: &Arc<Rules>) {
        if let Self::Baseline(player) = self {
            player.play_by(rules);
        }
    }
}
