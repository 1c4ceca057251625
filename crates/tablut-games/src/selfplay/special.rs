//! Which games of a generation are special, and what they are played with: earlier nets, unequal searches, other starts.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use tablut_net::Weights;
use tablut_rules::{Position, PositionError, Rules, Side};

use super::config::SelfPlayConfig;
use crate::notes::{GameNotes, PastSide};

/// What the special games of a generation are played with. If it is empty, all games have the ordinary players and
/// starts, whatever the config says.
#[derive(Clone, Debug, Default)]
pub struct SpecialGames {
    /// Earlier nets of the run, for `selfplay.past_share`.
    pub past: Vec<PastNet>,
    /// What each rule set's games need, in the order of the rule sets; or nothing.
    pub sets: Vec<SpecialSet>,
}

/// An earlier net of the run.
#[derive(Clone, Debug)]
pub struct PastNet {
    /// The generation after which it was saved.
    pub generation: u64,
    /// The net.
    pub weights: Arc<Weights>,
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
    /// The side of an earlier net, and the net's place in [`SpecialGames::past`].
    pub past: Option<(PastSide, usize)>,
    /// Simulations of a search of attackers and of defenders, if they differ.
    pub simulations: Option<[u32; 2]>,
    /// Another start position than that of the rules.
    pub start: Option<StartPosition>,
    /// Whether the side moves first that does not by the rules.
    pub other_first: bool,
}

impl GamePlan {
    /// The plan of game number `index` of a generation, in which `rules` take turns. It has a random generator
    /// of its own. Each technique draws its numbers in every game, so none changes the games of another. A game against an
    /// earlier net has equal searches.
    pub fn draw(
        seed: u64,
        generation: u64,
        index: u64,
        rules: &[Arc<Rules>],
        config: &SelfPlayConfig,
        special: &SpecialGames,
    ) -> Self {
        let mut rng = plan_rng(seed, generation, index);
        let [past, uneven, start, first]: [f32; 4] = std::array::from_fn(|_| rng.random_range(0.0..1.0));
        let [which_net, which_start]: [u64; 2] = std::array::from_fn(|_| rng.next_u64());
        let n_sets = rules.len().max(1) as u64;
        let place = (index % n_sets) as usize;
        let set = special.sets.get(place);
        let turn = index / n_sets + generation;
        // Where the first side is drawn there is no other one.
        let has_first = rules.get(place).is_some_and(|rules| rules.set().first.side().is_some());
        let past_net = drawn(&special.past, which_net).filter(|_| past < config.past_share);
        let past = past_net.map(|(place, net)| {
            let side = if turn.is_multiple_of(2) { Side::Attackers } else { Side::Defenders };
            (PastSide { side, generation: net.generation }, place)
        });
        let simulations = set.and_then(|set| set.simulations);
        let starts = set.map_or(&[][..], |set| &set.starts[..]);
        let start = drawn(starts, which_start).filter(|_| start < config.regret_starts).map(|(_, start)| *start);
        Self {
            simulations: simulations.filter(|_| past.is_none() && uneven < config.balance_share),
            other_first: has_first && start.is_none() && first < config.both_first_movers,
            past,
            start,
        }
    }

    /// What the game's record says of it, without what the game itself shows.
    pub fn notes(&self) -> GameNotes {
        GameNotes {
            past: self.past.map(|(past, _)| past),
            simulations: self.simulations,
            start_from: self.start.map(|start| start.generation),
            other_first: self.other_first,
            correction: None,
        }
    }
}

/// One of `all`, with its place.
fn drawn<T>(all: &[T], number: u64) -> Option<(usize, &T)> {
    let place = number.checked_rem(all.len() as u64)? as usize;
    Some((place, &all[place]))
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
