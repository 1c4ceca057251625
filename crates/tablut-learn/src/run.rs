//! A run, which is stored in a folder: how it starts and continues.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tablut_games::{GenerationFile, GenerationMetrics, ReplayWindow, RunFolder, RunFolderError, SHIPPED, load_net};
use tablut_net::durable::{self, FolderLock};
use tablut_net::{Model, TrainingSummary, Weights};
use tablut_rules::{RuleSet, Rules};

use crate::checkpoint::{Checkpoint, remove_old_states};
use crate::config::{Difference, TrainConfig, resolve_opponents};
use crate::device::ComputeDevice;
use crate::history::{GENERATIONS_COUNTED, GameHistory};
use crate::learner::{LearnerState, learning_rate_share};
use crate::needed::{is_held_out, window_of};
use crate::opponents::keep_opponents;
use crate::rating::RatingOpponent;
use crate::run_settings::{
    config_of, config_so_far, damaged_state, load_games, load_rules, reconcile, reconcile_rules,
};
use crate::start::{START_COPY, load_start, reconcile_start};
use crate::time_budget::{TimeBudget, TimeSource};
use crate::train_error::TrainError;

/// An open run: folder, config, and everything that the next generation starts from.
pub struct Run {
    pub folder: PathBuf,
    pub config: TrainConfig,
    /// The rule sets of the config, compiled.
    pub rules: Vec<Arc<Rules>>,
    /// The net that the run began with, or `None` for an untrained one.
    start: Option<Model>,
    pub learner: LearnerState,
    pub training: TrainingSummary,
    pub window: ReplayWindow,
    pub next_generation: u64,
    pub metrics: Vec<GenerationMetrics>,
    /// Where it plays and learns.
    pub device: ComputeDevice,
    /// Keys that have changed since the run was last opened, and the device if it has changed. All may change.
    pub changed: Vec<Difference>,
    /// The results of the last generations' games.
    pub(crate) history: GameHistory,
    pub(crate) time: Option<TimeBudget>,
    /// Held while the run is open.
    pub lock: FolderLock,
}

/// The device as a difference, if the last generation used another device than `now`.
fn changed_device(metrics: &[GenerationMetrics], now: &str) -> Option<Difference> {
    let before = metrics.last()?.device.as_deref().unwrap_or("cpu");
    let [before, after] = [before, now].map(str::to_owned);
    (before != after).then(|| Difference { key: "the device".to_owned(), before, after, safe: true })
}

/// The learning rate of `generation`, if the config `so_far` gives another one than `config`. A run that is extended returns
/// to the peak.
fn changed_learning_rate(so_far: Option<&TrainConfig>, config: &TrainConfig, generation: u64) -> Option<Difference> {
    let rate = |config: &TrainConfig| {
        let (learning, total) = (&config.learning, config.schedule.generations as f32);
        learning.learning_rate * learning_rate_share(generation as f32, total, learning.decay_share)
    };
    let [before, after] = [so_far?, config].map(|config| rate(config).to_string());
    let key = format!("the learning rate of generation {generation}");
    (before != after).then_some(Difference { key, before, after, safe: true })
}

impl Run {
    /// Starts a run in `folder`, or continues the run in this folder from its last checkpoint.
    pub fn open(folder: &Path, config: TrainConfig) -> Result<Self, TrainError> {
        config.check_ranges()?;
        // The run's folder contains the rule sets that came from files.
        let mut kept = RunFolder(folder).read_rules()?;
        kept.retain(|name, _| RuleSet::named(name).is_err());
        Self::open_with(folder, config, &kept)
    }

    /// Like [`Self::open`], with the config and the rules of the run in the folder `other`.
    pub fn repeat(folder: &Path, config: TrainConfig, other: &Path) -> Result<Self, TrainError> {
        config.check_ranges()?;
        Self::open_with(folder, config, &RunFolder(other).read_rules()?)
    }

    /// Continues the run in `folder` with its own config and rules. The config file and rule files are not needed.
    /// `overrides` change keys of the config as in [`TrainConfig::load`].
    pub fn resume(folder: &Path, overrides: &[String]) -> Result<Self, TrainError> {
        Self::open_with(folder, config_of(folder, overrides)?, &RunFolder(folder).read_rules()?)
    }

    /// Opens the run with the rule sets of the config. A rule set in `kept` replaces the one of the same name.
    fn open_with(folder: &Path, config: TrainConfig, kept: &BTreeMap<String, RuleSet>) -> Result<Self, TrainError> {
        // The device is opened before anything is written, so that a run that cannot start creates no folder.
        let device = ComputeDevice::open(config.machine.device)?;
        let rules = load_rules(&config, kept)?;
        let start = load_start(&config)?;
        let mut config = config.in_run(&rules);
        let lock = lock_and_clean(folder)?;
        let checkpoint = latest_checkpoint(folder)?;
        let so_far = config_so_far(folder, checkpoint.as_ref())?;
        reconcile_start(folder, &config, start.as_ref(), &rules)?;
        config.evaluation.against = keep_opponents(folder, &config.evaluation.against)?;
        let next_generation = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.generation + 1);
        let mut changed = reconcile(folder, so_far.as_ref(), &config, next_generation)?;
        reconcile_rules(folder, &rules)?;
        changed.extend(changed_learning_rate(so_far.as_ref(), &config, next_generation));
        let (learner, training) = match checkpoint {
            Some(checkpoint) => (checkpoint.learner, checkpoint.training),
            None => fresh_learner(&config, start.as_ref()),
        };
        let window = ReplayWindow::new(rules.clone(), 0);
        let metrics = RunFolder(folder).resume_metrics(next_generation)?;
        changed.extend(changed_device(&metrics, device.name()));
        let mut run = Self {
            folder: folder.to_owned(),
            config,
            rules,
            start,
            learner,
            training,
            window,
            next_generation,
            metrics,
            device,
            changed,
            history: GameHistory::default(),
            time: None,
            lock,
        };
        run.refill_window()?;
        run.refill_history()?;
        Ok(run)
    }

    /// The opponents of the config, with the paths of their nets in the run's folder.
    pub fn opponents(&self) -> Vec<String> {
        let mut against = self.config.evaluation.against.clone();
        resolve_opponents(&mut against, &self.folder);
        against
    }

    /// The file of the net that the run began with.
    pub fn start_file(&self) -> PathBuf {
        self.folder.join(START_COPY)
    }

    /// The nets that every run plays against: the one that it began with, and the one that comes with the program. These
    /// may be the same net.
    pub fn net_opponents(&self) -> Vec<RatingOpponent> {
        let start = self.start.as_ref().map(|model| &model.weights);
        match load_net(Path::new(SHIPPED)) {
            Ok(shipped) if Some(&shipped.weights) == start => vec![RatingOpponent::Shipped],
            Ok(_) => vec![RatingOpponent::Start, RatingOpponent::Shipped],
            Err(_) => vec![RatingOpponent::Start],
        }
    }

    /// A hash of everything that determines the run's results, which is config, rules and starting net, in sixteen
    /// hexadecimal digits.
    pub fn id(&self) -> String {
        let mut config = self.config.clone();
        // The keys that may change during a run, and the names of rule sets and net, are left out.
        config.schedule.generations = 0;
        config.schedule.games.truncate(1);
        config.learning.decay_share = 0.0;
        (config.evaluation, config.play, config.machine) = Default::default();
        config.rules.clear();
        config.start = None;
        let rules: Vec<String> = self.rules.iter().map(|rules| rules.set().to_toml()).collect();
        let start = self.start.as_ref().map(|model| model.weights.hash()).unwrap_or_default();
        let text = format!("{}{}{start}", config.to_toml(), rules.concat());
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }

    pub(crate) fn starting_weights(&self) -> Weights {
        self.config.weights_of_start(self.start.as_ref())
    }

    /// Plans the games of the coming generations during the run, so that the run and the final match take about `time`.
    /// It includes the seconds of generations that were completed before. `clock` returns the time since the command
    /// began. A finished run gets further generations if `time` is longer than it took.
    pub fn keep_to(&mut self, time: Duration, clock: TimeSource) -> Result<(), TrainError> {
        let budget = TimeBudget::new(time, clock, &self.metrics);
        if self.is_finished() {
            let further = budget.further_generations(&self.config, &self.metrics);
            if further > 0 {
                self.config.schedule.generations += further;
                self.save_config()?;
            }
        }
        self.time = Some(budget);
        self.follow_time()
    }

    /// Whether all generations of the config are complete.
    pub fn is_finished(&self) -> bool {
        self.next_generation >= self.config.schedule.generations
    }

    /// Plans the coming generations, if the run has a time budget.
    pub(crate) fn follow_time(&mut self) -> Result<(), TrainError> {
        let Some(mut budget) = self.time.take() else { return Ok(()) };
        let next = self.next_generation;
        // Games that are on disk or that workers play already are not planned again.
        let has_begun = |generation: u64| {
            generation < next + self.config.schedule.lag || self.file(GenerationFile::Games, generation).exists()
        };
        let first = (next..=next + 1).find(|&generation| !has_begun(generation)).unwrap_or(next + 1);
        if budget.plan(&mut self.config, &self.metrics, next, first) {
            self.save_config()?;
        }
        self.time = Some(budget);
        Ok(())
    }

    pub(crate) fn save_config(&self) -> Result<(), TrainError> {
        let path = self.files().config();
        Ok(durable::write(&path, self.config.to_toml().as_bytes()).map_err(RunFolderError::io(path))?)
    }

    /// Checks that the folder was not moved or replaced since the run was opened. What is written to its path then would
    /// damage another run.
    pub fn check_folder(&self) -> Result<(), TrainError> {
        if self.lock.is_in_place() { Ok(()) } else { Err(TrainError::Moved(self.folder.clone())) }
    }

    pub fn files(&self) -> RunFolder<'_> {
        RunFolder(&self.folder)
    }

    /// A generation's file in its folder.
    pub fn file(&self, kind: GenerationFile, generation: u64) -> PathBuf {
        self.files().file(kind, generation)
    }

    /// Divides a generation's games, which have these indices, into those for training and those that are held out.
    pub(crate) fn split<T>(&self, games: Vec<T>, index: impl Fn(&T) -> u64) -> (Vec<T>, Vec<T>) {
        let (share, sets) = (self.config.learning.held_out_share, self.rules.len());
        games.into_iter().partition(|game| !is_held_out(index(game), sets, share))
    }

    /// Fills the history from the games of the last completed generations, if the config needs it.
    fn refill_history(&mut self) -> Result<(), TrainError> {
        if self.config.selfplay.balance > 0.0 {
            for generation in self.next_generation.saturating_sub(GENERATIONS_COUNTED)..self.next_generation {
                self.history.push(&self.rules, &load_games(&self.folder, generation)?.games);
            }
        }
        Ok(())
    }

    /// Restores the window after the last completed generation. It has the latest generations that fit.
    fn refill_window(&mut self) -> Result<(), TrainError> {
        let mut latest = Vec::new();
        window_of(&self.folder, &self.config, self.next_generation, |generation, games| {
            latest.push((generation, games));
        })?;
        self.window = ReplayWindow::new(self.rules.clone(), self.config.learning.window_positions);
        for (generation, games) in latest.into_iter().rev() {
            let path = self.file(GenerationFile::Games, generation);
            self.window.push(&games).map_err(|error| TrainError::Replay { path, error })?;
        }
        Ok(())
    }
}

/// Locks the folder, and removes temporary files of a killed process.
pub(crate) fn lock_and_clean(folder: &Path) -> Result<FolderLock, TrainError> {
    let lock = FolderLock::new(folder).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => TrainError::Locked(folder.to_owned()),
        _ => RunFolderError::io(folder)(error).into(),
    })?;
    for part in ["", "games", "checkpoints", "opponents"].map(|part| folder.join(part)) {
        durable::remove_leftovers(&part).map_err(RunFolderError::io(part))?;
    }
    Ok(lock)
}

/// The state to continue from, or `None` if there is none yet. Removes older states that are not needed.
fn latest_checkpoint(folder: &Path) -> Result<Option<Checkpoint>, TrainError> {
    let run = RunFolder(folder);
    let states = run.files(GenerationFile::State)?;
    let Some((&generation, _)) = states.last_key_value() else {
        // The net of generation 0 may exist, because it is written before the first state.
        return match run.files(GenerationFile::Model)?.pop_last().filter(|(generation, _)| *generation > 0) {
            Some((generation, net)) => Err(TrainError::NoState { run: folder.to_owned(), generation, net }),
            None => Ok(None),
        };
    };
    let checkpoint = Checkpoint::load(run, generation).map_err(|error| damaged_state(run, error))?;
    remove_old_states(run, generation);
    Ok(Some(checkpoint))
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
