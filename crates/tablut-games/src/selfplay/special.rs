//! Which games of a generation are special, and what they are played with.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use tablut_rules::Rules;

use super::config::SelfPlayConfig;
use crate::notes::GameNotes;

/// What the special games of a generation are played with. If it is empty, all games have the ordinary players and
/// starts, whatever the config says.
#[derive(Clone, Debug, Default)]
pub struct SpecialGames {
    /// What each rule set's games need, in the order of the rule sets; or nothing.
    pub sets: Vec<SpecialSet>,
}

/// What one rule set's special games need.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpecialSet {
    /// Simulations of a search of attackers and of defenders in games with unequal searches, if there are any.
    pub simulations: Option<[u32; 2]>,
}

/// The simulations of one game.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct GamePlan {
    /// Simulations of a search of ordinary self-play.
    pub simulations: u32,
    /// Simulations of a search of attackers and of defenders, if they differ.
    pub unequal: Option<[u32; 2]>,
}

impl GamePlan {
    /// A game of ordinary self-play, in which every search has this many simulations.
    pub fn equal(simulations: u32) -> Self {
        Self { simulations, unequal: None }
    }

    /// The plan of game number `index` of a generation, in which `rules` take turns. It has a random generator
    /// of its own. Each technique draws its numbers in every game, so none changes the games of another.
    pub fn draw(
        seed: u64,
        generation: u64,
        index: u64,
        rules: &[Arc<Rules>],
        (config, simulations): (&SelfPlayConfig, u32),
        special: &SpecialGames,
    ) -> Self {
        let mut rng = plan_rng(seed, generation, index);
        // The first number is not used.
        let [_, uneven]: [f32; 2] = std::array::from_fn(|_| rng.random_range(0.0..1.0));
        let n_sets = rules.len().max(1) as u64;
        let place = (index % n_sets) as usize;
        let set = special.sets.get(place);
        let unequal = set.and_then(|set| set.simulations);
        Self { simulations, unequal: unequal.filter(|_| uneven < config.balance_share) }
    }

    /// What the game's record says of it.
    pub fn notes(&self) -> GameNotes {
        GameNotes { simulations: self.unequal }
    }
}

/// The random generator of a game's plan.
fn plan_rng(seed: u64, generation: u64, game: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&generation.to_le_bytes());
    key[16..24].copy_from_slice(b"specials");
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(game);
    rng
}
