//! Who thinks behind a bridge: a net, or a player without one.

use std::sync::Arc;
use tablut_players::{Baseline, NetPlayer, PlayerSpec, baseline};
use tablut_rules::{Game, Move, Rules};

/// Who thinks.
pub enum Mind {
    /// A net.
    Net(Box<NetPlayer>),
    /// A player that takes its own time, whatever it is told.
    Baseline(BaselineMind),
}

impl Mind {
    /// The player without a net that `spec` names, for games by `rules`; `None` for players of other kinds.
    pub fn baseline(spec: &PlayerSpec, rules: &Arc<Rules>, seed: u64) -> Option<Self> {
        let player = baseline(spec, rules, seed)?;
        Some(Self::Baseline(BaselineMind { spec: spec.clone(), seed, player }))
    }

    /// Turns to other rules.
    pub fn play_by(&mut self, rules: &Arc<Rules>) {
        if let Self::Baseline(mind) = self
            && let Some(player) = baseline(&mind.spec, rules, mind.seed)
        {
            mind.player = player;
        }
    }
}

/// A player without a net, and how to make it anew for other rules.
pub struct BaselineMind {
    spec: PlayerSpec,
    seed: u64,
    player: Box<dyn Baseline>,
}

impl BaselineMind {
    /// A legal move of `game`.
    ///
    /// # Panics
    /// If the game is over.
    pub fn choose(&mut self, game: &Game) -> Move {
        self.player.choose(game)
    }
}
