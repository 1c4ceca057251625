//! Who thinks behind a bridge: a net, or a player without one.

use std::sync::Arc;
use tablut_players::{Baseline, NetPlayer};
use tablut_rules::Rules;

/// Who thinks.
pub enum Mind {
    /// A net.
    Net(Box<NetPlayer>),
    /// A player that takes its own time, whatever it is told.
    Baseline(Baseline),
}

impl Mind {
    /// Turns to other rules.
    pub fn play_by(&mut self, rules: &Arc<Rules>) {
        if let Self::Baseline(player) = self {
            player.play_by(rules);
        }
    }
}
