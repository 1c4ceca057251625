//! A player between its games: its name, what it needs, and how it sits down to a game.

use crate::baseline::maker;
use crate::nets::NetSearch;
use crate::player::Player;
use crate::search_player::SearchPlayer;
use crate::spec::PlayerSpec;
use std::fmt;
use std::sync::Arc;
use tablut_rules::{Rules, Side};

/// What a player's games need of the machine.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Demand {
    /// Nothing: many of its games share a thread.
    Shared,
    /// A thread for each game: it watches the clock, or another program computes for it.
    OwnThread,
    /// All threads: only one of its games can be played at a time.
    OneAtATime,
}

/// Makes the player that sits on a side of one game; its randomness comes from the number alone.
type Sit = Arc<dyn Fn(&Arc<Rules>, Side, u64) -> Box<dyn Player> + Send + Sync>;

/// A player that takes part in games.
#[derive(Clone)]
pub struct Contestant {
    /// The name in reports.
    pub name: String,
    /// Which of the worker's evaluators answers what it asks; none for a player without a net.
    pub evaluator: Option<usize>,
    /// What its games need.
    pub demand: Demand,
    sit: Sit,
}

impl fmt::Debug for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, evaluator, demand, .. } = self;
        f.debug_struct("Contestant")
            .field("name", name)
            .field("evaluator", evaluator)
            .field("demand", demand)
            .finish_non_exhaustive()
    }
}

impl Contestant {
    /// A player of any kind: `sit` makes its player for a side of a game, all of whose randomness comes from the number alone.
    pub fn new(
        name: String,
        evaluator: Option<usize>,
        demand: Demand,
        sit: impl Fn(&Arc<Rules>, Side, u64) -> Box<dyn Player> + Send + Sync + 'static,
    ) -> Self {
        Self { name, evaluator, demand, sit: Arc::new(sit) }
    }

    /// A net that searches.
    pub fn net(name: String, search: NetSearch) -> Self {
        let demand = if search.limit.is_reproducible() { Demand::Shared } else { Demand::OwnThread };
        let evaluator = Some(search.evaluator);
        Self::new(name, evaluator, demand, move |_, _, seed| Box::new(SearchPlayer::new(&search, seed)))
    }

    /// The player without a net that `spec` names; `None` for players of other kinds.
    pub fn baseline(name: String, spec: &PlayerSpec) -> Option<Self> {
        let demand = if spec.is_reproducible() { Demand::Shared } else { Demand::OwnThread };
        let make = maker(spec)?;
        Some(Self::new(name, None, demand, move |rules, _, seed| make(rules, seed)))
    }

    /// The player for `side` of a game by `rules`.
    pub fn sit(&self, rules: &Arc<Rules>, side: Side, seed: u64) -> Box<dyn Player> {
        (self.sit)(rules, side, seed)
    }
}
