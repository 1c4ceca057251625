//! The interface between self-play and training.
//!
//! A run on one machine plays its games itself ([`LocalGames`]) and keeps its nets in its folder. Other processes may
//! also play the games. A game depends only on its [`GameOrder`] and its number, not on the process that plays it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablut_net::{Inference, Model, NetEvaluator, Weights};
use tablut_rules::Rules;
use tablut_search::SelfPlaySearch;

use crate::cancel::CancelToken;
use crate::executor::{Concurrency, Counters, RunError, run_tasks};
use crate::record::{GameRecord, Handicap};
use crate::selfplay::{GameWatch, SelfPlayConfig, SelfPlayGame, game_rng, has_handicap};

/// Share of the games with unequal searches under a rule set that one side leads.
const UNEQUAL_SHARE: f32 = 0.25;

/// Creates an inference engine for some weights. It is called once in each worker.
pub type MakeInference<'a> = &'a (dyn Fn(&Weights) -> Box<dyn Inference> + Sync);

/// The games of one generation: everything that they depend on.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct GameOrder {
    pub seed: u64,
    /// The generation, from 0.
    pub generation: u64,
    /// Number of games. They are numbered from 0.
    pub games: usize,
    /// The rule sets. Successive games use them in turn.
    pub rules: Vec<Arc<Rules>>,
    pub selfplay: SelfPlayConfig,
    pub search: SelfPlaySearch,
    /// Simulations of a search in games without a handicap.
    pub simulations: u32,
    pub weights: Arc<Weights>,
    /// For each rule set, in their order, the handicap of the games that have one. If the list is empty, no game has a
    /// handicap, regardless of the config.
    pub handicaps: Vec<Handicap>,
}

impl GameOrder {
    /// Game number `index`, before its first move.
    ///
    /// # Panics
    /// If the order has no rules.
    pub fn game(&self, index: usize) -> SelfPlayGame {
        let rng = game_rng(self.seed, self.generation, index as u64);
        let rules = self.rules_of(index);
        let mut game = SelfPlayGame::new(index as u64, rules, &self.selfplay, &self.search, self.simulations, rng);
        game.handicap = self.handicap(index);
        game
    }

    /// The handicap of game number `index`. A random share of each rule set's games has one.
    pub fn handicap(&self, index: usize) -> Handicap {
        let of_set = self.handicaps.get(index % self.rules.len().max(1)).copied().unwrap_or_default();
        if has_handicap(self.seed, self.generation, index as u64, UNEQUAL_SHARE) { of_set } else { Handicap::default() }
    }

    /// The rules of game number `index`.
    ///
    /// # Panics
    /// If the order has no rules.
    pub fn rules_of(&self, index: usize) -> &Arc<Rules> {
        &self.rules[index % self.rules.len()]
    }
}

/// The games of an order, with the cost of playing them.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct PlayedGames {
    pub games: Vec<GameRecord>,
    /// Total evaluations by the net. The order determines the number.
    pub evaluations: u64,
    pub seconds: f64,
    /// Mean number of positions evaluated at once.
    pub mean_batch: f64,
    /// Share of the games that a worker may play at once that have a position in a batch, on average, 0 to 1. It is 0
    /// if other processes played.
    pub batch_fill: f64,
    /// Share of the workers' time spent inside the net.
    pub net_share: f64,
    /// The workers, if other processes played.
    pub fleet: Option<FleetReport>,
}

/// The work of a fleet of workers for one generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct FleetReport {
    /// Workers with at least one accepted game, by name.
    pub workers: Vec<WorkerReport>,
    pub jobs: u64,
    /// Jobs that were given to another worker because the first one stopped answering.
    pub redeliveries: u64,
    /// Games that arrived more than once.
    pub duplicates: u64,
    /// Games or messages that were rejected as invalid.
    pub refused: u64,
    pub bytes: u64,
    /// The largest number of messages that waited at the broker when the learner read one. It is 0 if the learner keeps
    /// up.
    pub lag: u64,
    /// Seconds that training waited for games.
    pub waited_seconds: f64,
}

/// One worker's part of a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct WorkerReport {
    pub name: String,
    pub threads: usize,
    pub games: usize,
    /// Games per second while it played.
    pub games_per_second: f64,
}

/// A source cannot deliver games.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameSourceError {
    /// The run was cancelled.
    #[error("stopped on request")]
    Stopped,
    /// A game could not be played.
    #[error(transparent)]
    Play(RunError),
    /// Any other error, with its message.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl From<RunError> for GameSourceError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Stopped => Self::Stopped,
            error => Self::Play(error),
        }
    }
}

/// A source of self-play games.
pub trait GameSource {
    /// Announces that the games of `order` will be requested, so that other processes can start to play them. It does
    /// not wait for them.
    ///
    /// # Errors
    /// If the source fails.
    fn begin(&mut self, _order: &GameOrder) -> Result<(), GameSourceError> {
        Ok(())
    }

    /// Returns all games of `order`, by number. `on_game` is called with each game when it arrives, in any order, from
    /// any thread.
    ///
    /// # Errors
    /// If a game cannot be played, the source fails, or the run is cancelled.
    fn collect(
        &mut self,
        order: &GameOrder,
        counters: &Counters,
        cancel: &CancelToken,
        on_game: &(dyn Fn(&GameRecord) + Sync),
    ) -> Result<PlayedGames, GameSourceError>;

    /// Announces that the games of `generation` are stored elsewhere and will not be requested again.
    ///
    /// # Errors
    /// If the source fails.
    fn stored(&mut self, _generation: u64) -> Result<(), GameSourceError> {
        Ok(())
    }

    /// Receives each new net after it is in the run's folder.
    ///
    /// # Errors
    /// If the source fails.
    fn publish(&mut self, _model: &Model) -> Result<(), GameSourceError> {
        Ok(())
    }
}

/// Games that this process plays itself.
pub struct LocalGames<'a> {
    make_inference: MakeInference<'a>,
    concurrency: Concurrency,
    watch: Option<Arc<dyn GameWatch>>,
}

impl<'a> LocalGames<'a> {
    /// A source that plays on the threads of `concurrency`.
    pub fn new(make_inference: MakeInference<'a>, concurrency: Concurrency) -> Self {
        Self { make_inference, concurrency, watch: None }
    }

    /// The same source. It calls `watch` while the games are played.
    #[must_use]
    pub fn watched(self, watch: Arc<dyn GameWatch>) -> Self {
        Self { watch: Some(watch), ..self }
    }
}

impl GameSource for LocalGames<'_> {
    fn collect(
        &mut self,
        order: &GameOrder,
        counters: &Counters,
        cancel: &CancelToken,
        on_game: &(dyn Fn(&GameRecord) + Sync),
    ) -> Result<PlayedGames, GameSourceError> {
        let counts = || {
            let Counters { evaluations, batches, evaluator_micros, asking, slots, .. } = counters;
            [evaluations, batches, evaluator_micros, asking, slots].map(|counter| counter.load(Ordering::Relaxed))
        };
        let before = counts();
        let (start, paused) = (Instant::now(), cancel.paused());
        let games = run_tasks(
            order.games,
            self.concurrency,
            |index| {
                let mut game = order.game(index);
                game.watch.clone_from(&self.watch);
                game
            },
            || vec![Box::new(NetEvaluator::new((self.make_inference)(&order.weights)))],
            counters,
            cancel,
            |_, game| on_game(game),
        )?;
        let seconds = start.elapsed().saturating_sub(cancel.paused().saturating_sub(paused)).as_secs_f64();
        let after = counts();
        let [evaluations, batches, micros, asking, slots] = std::array::from_fn(|i| after[i] - before[i]);
        Ok(PlayedGames {
            games,
            evaluations,
            seconds,
            mean_batch: evaluations as f64 / batches.max(1) as f64,
            batch_fill: asking as f64 / slots.max(1) as f64,
            net_share: micros as f64 / 1e6 / (seconds * self.concurrency.workers as f64),
            fleet: None,
        })
    }
}
