//! A player in matches: its name, its requirements, and how it starts a game.

use crate::baseline::maker;
use crate::named::NamedPlayer;
use crate::net_search::NetSearch;
use crate::player::{Player, PlayerError};
use crate::searcher::SearchPlayer;
use crate::spec::PlayerSpec;
use std::fmt;
use std::sync::Arc;
use tablut_net::NetPool;
use tablut_rules::{Rules, Side};

/// The resources that a player's games need.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Demand {
    /// No separate threads. Many games share a thread.
    Shared,
    /// A thread for each game, because the player uses a clock or is another program.
    OwnThread,
    /// All threads: only one of its games can be played at a time.
    OneAtATime,
}

/// Starts another program as a player of games under some rules.
pub type StartProgram = fn(&NamedPlayer, &Arc<Rules>) -> Result<Contestant, PlayerError>;

/// Creates the player for one side of one game. All its randomness comes from the number.
type Sit = Arc<dyn Fn(&Arc<Rules>, Side, u64) -> Box<dyn Player> + Send + Sync>;

/// A player that takes part in games.
#[derive(Clone)]
pub struct Contestant {
    /// The name in reports.
    pub name: String,
    /// The index of the worker's evaluator that it uses, or `None` for a player without a net.
    pub evaluator: Option<usize>,
    /// The requirements of its games.
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
    /// A player of any kind. `sit` creates its player for one side of a game. All randomness comes from the number.
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

    /// The player without a net that `spec` names. `None` for other kinds of players.
    pub fn baseline(name: String, spec: &PlayerSpec) -> Option<Self> {
        let demand = if spec.is_reproducible() { Demand::Shared } else { Demand::OwnThread };
        let make = maker(spec)?;
        Some(Self::new(name, None, demand, move |rules, _, seed| make(rules, seed)))
    }

    /// The player that `named` describes, for games under `rules`: a player without a net, one of `nets`, or a program
    /// that `start_program` starts at once. No other code turns a player's text into a player of matches.
    ///
    /// # Errors
    /// If the player's model file was not loaded, or its program cannot be started.
    pub fn of(
        named: &NamedPlayer,
        rules: &Arc<Rules>,
        nets: &NetPool,
        start_program: StartProgram,
    ) -> Result<Self, PlayerError> {
        let name = named.name();
        if let Some(baseline) = Self::baseline(name.clone(), &named.spec) {
            return Ok(baseline);
        }
        if named.spec.model_file().is_none() {
            return start_program(named, rules);
        }
        match NetSearch::of(&named.spec, nets) {
            Some(search) => Ok(Self::net(name, search)),
            None => Err(PlayerError { name, reason: "its model file was not loaded".to_owned() }),
        }
    }

    /// The player for `side` of a game under `rules`.
    pub fn sit(&self, rules: &Arc<Rules>, side: Side, seed: u64) -> Box<dyn Player> {
        (self.sit)(rules, side, seed)
    }
}
