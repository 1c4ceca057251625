//! Which games of a generation are special, and what they are played with: unequal searches, other starts.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use tablut_rules::{Position, PositionError, Rules};

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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecialSet {
    /// Simulations of a search of attackers and of defenders in games with unequal searches, if there are any.
    pub simulations: Option<[u32; 2]>,
    /// Start positions for `selfplay.regret_starts`.
    pub starts: Vec<StartPosition>,
}

/// A position of an earlier game from which a new game can start.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct StartPosition {
    generation: u64,
    position: Position,
}

impl StartPosition {
    /// A position of a game of `generation`. No game can start without a king.
    pub fn new(generation: u64, position: Position) -> Result<Self, PositionError> {
        position.king().map(|_| Self { generation, position }).ok_or(PositionError::NoKing)
    }

    /// The generation of the game that it is from.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The position.
    pub fn position(&self) -> Position {
        self.position
    }
}

/// How one game differs from ordinary self-play.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GamePlan {
    /// Simulations of a search of attackers and of defenders, if they differ.
    pub simulations: Option<[u32; 2]>,
    /// Another start position than that of the rules.
    pub start: Option<StartPosition>,
    /// Whether the side moves first that does not by the rules.
    pub other_first: bool,
}

impl GamePlan {
    /// The plan of game number `index` of a generation, in which `rules` take turns. It has a random generator
    /// of its own. Each technique draws its numbers in every game, so none changes the games of another.
    pub fn draw(
        seed: u64,
        generation: u64,
        index: u64,
        rules: &[Arc<Rules>],
        config: &SelfPlayConfig,
        special: &SpecialGames,
    ) -> Self {
        let mut rng = plan_rng(seed, generation, index);
        // The first number of each kind is not used.
        let [_, uneven, start, first]: [f32; 4] = std::array::from_fn(|_| rng.random_range(0.0..1.0));
        let [_, which_start]: [u64; 2] = std::array::from_fn(|_| rng.next_u64());
        let n_sets = rules.len().max(1) as u64;
        let place = (index % n_sets) as usize;
        let set = special.sets.get(place);
        // Where the first side is drawn there is no other one.
        let has_first = rules.get(place).is_some_and(|rules| rules.set().first.side().is_some());
        let simulations = set.and_then(|set| set.simulations);
        let starts = set.map_or(&[][..], |set| &set.starts[..]);
        let start = drawn(starts, which_start).filter(|_| start < config.regret_starts).copied();
        Self {
            simulations: simulations.filter(|_| uneven < config.balance_share),
            other_first: has_first && start.is_none() && first < config.both_first_movers,
            start,
        }
    }

    /// What the game's record says of it, without what the game itself shows.
    pub fn notes(&self) -> GameNotes {
        GameNotes {
            simulations: self.simulations,
            start_from: self.start.map(|start| start.generation),
            other_first: self.other_first,
            correction: None,
        }
    }
}

/// One of `all`.
fn drawn<T>(all: &[T], number: u64) -> Option<&T> {
    Some(&all[number.checked_rem(all.len() as u64)? as usize])
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
