//! Players without a net, from their text.

use crate::alphabeta::AlphaBeta;
use crate::player::Player;
use crate::rollouts::Rollouts;
use crate::simple::{Greedy, Random};
use crate::spec::PlayerSpec;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_rules::{Game, Move, Rules};

/// Creates a player for games under some rules. All its randomness comes from the number.
type Make = Box<dyn Fn(&Arc<Rules>, u64) -> Box<dyn Player> + Send + Sync>;

/// Creates the player without a net that `spec` names. `None` for other kinds of players.
pub(crate) fn maker(spec: &PlayerSpec) -> Option<Make> {
    let rng = ChaCha8Rng::seed_from_u64;
    Some(match *spec {
        PlayerSpec::Random => Box::new(move |_, seed| Box::new(Random::new(rng(seed)))),
        PlayerSpec::Greedy => Box::new(move |_, seed| Box::new(Greedy::new(rng(seed)))),
        PlayerSpec::AlphaBeta(limit) => Box::new(move |rules, seed| Box::new(AlphaBeta::new(rules, limit, rng(seed)))),
        PlayerSpec::Rollouts { playouts } => Box::new(move |_, seed| Box::new(Rollouts::new(playouts, rng(seed)))),
        PlayerSpec::Net { .. }
        | PlayerSpec::Policy { .. }
        | PlayerSpec::Engine { .. }
        | PlayerSpec::OpenTafl { .. }
        | PlayerSpec::Challenge { .. } => return None,
    })
}

/// A player without a net, outside a match. It answers at once.
pub struct Baseline {
    make: Make,
    seed: u64,
    player: Box<dyn Player>,
}

impl Baseline {
    /// The player that `spec` names, for games under `rules`. `None` for other kinds of players. All its randomness
    /// comes from `seed`.
    pub fn new(spec: &PlayerSpec, rules: &Arc<Rules>, seed: u64) -> Option<Self> {
        let make = maker(spec)?;
        let player = make(rules, seed);
        Some(Self { make, seed, player })
    }

    /// Changes the rules.
    pub fn play_by(&mut self, rules: &Arc<Rules>) {
        self.player = (self.make)(rules, self.seed);
    }

    /// A legal move of `game`.
    ///
    /// # Panics
    /// If the game is over.
    pub fn choose(&mut self, game: &Game) -> Move {
        match self.player.poll(game, &mut Vec::new()) {
            Ok(Some(mv)) => mv,
            _ => unreachable!("a player without a net answers at once"),
        }
    }
}
