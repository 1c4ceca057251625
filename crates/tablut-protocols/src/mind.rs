//! The player behind a bridge: a net, or a player without a net.

use std::sync::Arc;
use tablut_players::{Baseline, NetPlayer};
use tablut_rules::Rules;

/// The player.
pub enum Mind {
    /// A net.
    Net(Box<NetPlayer>),
    /// A player without a net. It ignores limits on its time.
    Baseline(Baseline),
}

impl Mind {
    /// Changes the rules.
    pub fn play_by(&mut self, rules: &Arc<Rules>) {
        if let Self::Baseline(player) = self {
            player.play_by(rules);
        }
    }
}
