//! A run in memory: everything that the next generation starts from. It has no files, no clock and no threads, so it is
//! the same in the program and in a browser.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tablut_games::{GameOrder, GameRecord, GenerationFile, GenerationMetrics, ReplayWindow, RunFolder};
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};
use tablut_rules::{RuleSet, Rules};

use crate::checkpoint::Checkpoint;
use crate::config::TrainConfig;
use crate::device::ComputeDevice;
use crate::history::{GENERATIONS_COUNTED, GameHistory};
use crate::learner::LearnerState;
use crate::needed::{is_held_out, window_of};
use crate::time_budget::{TimeBudget, TimeSource};
use crate::train_error::TrainError;

/// A run without its files.
pub struct RunState {
    pub config: TrainConfig,
    /// The rule sets of the config, compiled.
    pub rules: Vec<Arc<Rules>>,
    /// The net that the run began with, or `None` for an untrained one.
    pub(crate) start: Option<Model>,
    pub learner: LearnerState,
    pub training: TrainingSummary,
    pub window: ReplayWindow,
    pub next_generation: u64,
    pub metrics: Vec<GenerationMetrics>,
    /// Where it plays and learns.
    pub device: ComputeDevice,
    /// The results of the last generations' games.
    pub(crate) history: GameHistory,
    pub(crate) time: Option<TimeBudget>,
}

impl RunState {
    /// The state after `checkpoint`, or before the first generation. Until [`Self::refill`] it has no games.
    pub fn new(
        config: TrainConfig,
        rules: Vec<Arc<Rules>>,
        start: Option<Model>,
        checkpoint: Option<Checkpoint>,
        device: ComputeDevice,
    ) -> Self {
        let next_generation = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.generation + 1);
        let (learner, training) = match checkpoint {
            Some(checkpoint) => (checkpoint.learner, checkpoint.training),
            None => fresh_learner(&config, start.as_ref()),
        };
        let window = ReplayWindow::new(rules.clone(), config.learning.window_positions);
        let (metrics, history, time) = (Vec::new(), GameHistory::default(), None);
        Self { config, rules, start, learner, training, window, next_generation, metrics, device, history, time }
    }

    /// Restores window and history after the last completed generation, with the games of earlier ones. Returns the first
    /// generation whose games are needed.
    pub fn refill(
        &mut self,
        mut games_of: impl FnMut(u64) -> Result<Vec<GameRecord>, TrainError>,
    ) -> Result<u64, TrainError> {
        let next = self.next_generation;
        let mut latest = Vec::new();
        let mut needed = window_of(&self.config, next, &mut games_of, |generation, games| {
            latest.push((generation, games));
        })?;
        self.window = ReplayWindow::new(self.rules.clone(), self.config.learning.window_positions);
        for (generation, games) in latest.into_iter().rev() {
            let path = RunFolder("".as_ref()).file(GenerationFile::Games, generation);
            self.window.push(&games).map_err(|error| TrainError::Replay { path, error })?;
        }
        if self.config.selfplay.balance > 0.0 {
            let first = next.saturating_sub(GENERATIONS_COUNTED);
            needed = needed.min(first);
            for generation in first..next {
                self.history.push(&self.rules, &games_of(generation)?);
            }
        }
        Ok(needed)
    }

    /// Everything that determines the games of `generation`, which the net of these weights plays.
    pub fn order(&self, generation: u64, weights: Weights) -> GameOrder {
        let order = self.config.order(&self.rules, generation, weights);
        let full = self.config.schedule.simulations_at(generation);
        let handicaps = self.history.handicaps(self.rules.len(), self.config.selfplay.balance, full);
        GameOrder { handicaps, ..order }
    }

    /// Adds the next generation's games to the results that determine handicaps.
    pub fn count_results(&mut self, games: &[GameRecord]) {
        self.history.push(&self.rules, games);
    }

    pub(crate) fn starting_weights(&self) -> Weights {
        self.config.weights_of_start(self.start.as_ref())
    }

    /// The rule sets, in the form of model files.
    pub fn stated_rules(&self) -> Vec<StatedRules> {
        self.rules.iter().map(|rules| StatedRules::of(rules)).collect()
    }

    /// The net of the last completed generation, or the untrained one.
    pub fn model(&self) -> Model {
        Model {
            weights: self.learner.averaged_weights(),
            rules: self.stated_rules(),
            training: self.training.clone(),
            card: None,
        }
    }

    /// The state as a checkpoint of `generation`, which it has just learnt from.
    pub fn checkpoint(&self, generation: u64) -> Checkpoint {
        Checkpoint { generation, learner: self.learner.clone(), training: self.training.clone() }
    }

    /// Whether all generations of the config are complete.
    pub fn is_finished(&self) -> bool {
        self.next_generation >= self.config.schedule.generations
    }

    /// Plans the games of the coming generations during the run, so that the run and the final match take about `time`.
    /// It includes the seconds of generations that were completed before. `clock` returns the time since the command
    /// began. A finished run gets further generations if `time` is longer than it took.
    ///
    /// `has_begun` says whether games of a generation were played already. Returns whether the config has changed.
    pub fn keep_to(&mut self, time: Duration, clock: TimeSource, has_begun: impl Fn(u64) -> bool) -> bool {
        let budget = TimeBudget::new(time, clock, &self.metrics);
        let further = if self.is_finished() { budget.further_generations(&self.config, &self.metrics) } else { 0 };
        self.config.schedule.generations += further;
        self.time = Some(budget);
        self.follow_time(has_begun) || further > 0
    }

    /// Plans the coming generations, if the run has a time budget. Returns whether the config has changed.
    pub fn follow_time(&mut self, has_begun: impl Fn(u64) -> bool) -> bool {
        let Some(mut budget) = self.time.take() else { return false };
        let next = self.next_generation;
        // Games that were played or that workers play already are not planned again.
        let has_begun = |generation: u64| generation < next + self.config.schedule.lag || has_begun(generation);
        let first = (next..=next + 1).find(|&generation| !has_begun(generation)).unwrap_or(next + 1);
        let changed = budget.plan(&mut self.config, &self.metrics, next, first);
        self.time = Some(budget);
        changed
    }

    /// Divides a generation's games, which have these indices, into those for training and those that are held out.
    pub(crate) fn split<T>(&self, games: Vec<T>, index: impl Fn(&T) -> u64) -> (Vec<T>, Vec<T>) {
        let (share, sets) = (self.config.learning.held_out_share, self.rules.len());
        games.into_iter().partition(|game| !is_held_out(index(game), sets, share))
    }

    /// Adds a generation to the summary of the training.
    pub(crate) fn count(&mut self, games: usize, positions: usize, evaluations: u64) {
        self.training.generations += 1;
        self.training.games += games as u64;
        self.training.positions += positions as u64;
        self.training.evaluations += evaluations;
        self.training.steps = self.learner.steps;
        self.training.play_simulations = self.config.play.simulations;
        self.training.config = self.config.without_machine();
    }
}

fn fresh_learner(config: &TrainConfig, start: Option<&Model>) -> (LearnerState, TrainingSummary) {
    let training = TrainingSummary {
        seed: config.seed,
        start: start.map(|model| model.weights.hash()),
        play_simulations: config.play.simulations,
        ..TrainingSummary::default()
    };
    (LearnerState::new(&config.weights_of_start(start)), training)
}

impl TrainConfig {
    /// The rule sets of the config, in its order. A rule set in `kept` replaces the one of the same name.
    pub fn rules_with(&self, kept: &BTreeMap<String, RuleSet>) -> Result<Vec<Arc<Rules>>, TrainError> {
        let load = |name: &String| -> Result<Arc<Rules>, TrainError> {
            Ok(Arc::new(kept.get(name).map_or_else(|| Rules::load(name), |set| Rules::new(set.clone()))?))
        };
        let rules = self.rules.iter().map(load);
        let rules: Vec<Arc<Rules>> = rules.collect::<Result<_, TrainError>>()?;
        for (place, set) in rules.iter().enumerate() {
            if rules[..place].iter().any(|earlier| earlier.name() == set.name()) {
                return Err(TrainError::DuplicateRules(set.name().to_owned()));
            }
        }
        Ok(rules)
    }

    /// The order of the games of `generation` under `rules`, played by the net of `weights`. It has no handicaps,
    /// because these depend on earlier generations.
    pub fn order(&self, rules: &[Arc<Rules>], generation: u64, weights: Weights) -> GameOrder {
        GameOrder {
            seed: self.seed,
            generation,
            games: self.schedule.games_at(generation),
            rules: rules.to_vec(),
            selfplay: self.selfplay.clone(),
            search: self.search.clone(),
            simulations: self.schedule.simulations_at(generation),
            weights: Arc::new(weights),
            handicaps: Vec::new(),
        }
    }
}
