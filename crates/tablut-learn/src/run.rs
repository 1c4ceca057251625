//! A run, which is stored in a folder: how it starts and continues.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tablut_games::{GenerationFile, GenerationMetrics, RunFolder, RunFolderError, SHIPPED, load_net};
use tablut_net::durable::{self, FolderLock};
use tablut_rules::RuleSet;

use crate::checkpoint::{Checkpoint, remove_old_states};
use crate::config::{Difference, TrainConfig, resolve_opponents};
use crate::device::ComputeDevice;
use crate::learner::learning_rate_share;
use crate::opponents::keep_opponents;
use crate::rating::RatingOpponent;
use crate::run_settings::{config_of, config_so_far, damaged_state, load_games, reconcile, reconcile_rules};
use crate::start::{START_COPY, load_start, reconcile_start};
use crate::state::RunState;
use crate::time_budget::TimeSource;
use crate::train_error::TrainError;

/// An open run: its folder, and everything that the next generation starts from, which its fields are used as.
pub struct Run {
    pub folder: PathBuf,
    state: RunState,
    /// Keys that have changed since the run was last opened, and the device if it has changed. All may change.
    pub changed: Vec<Difference>,
    /// Held while the run is open.
    pub lock: FolderLock,
}

impl Deref for Run {
    type Target = RunState;

    fn deref(&self) -> &RunState {
        &self.state
    }
}

impl DerefMut for Run {
    fn deref_mut(&mut self) -> &mut RunState {
        &mut self.state
    }
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
        let rules = config.rules_with(kept)?;
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
        let metrics = RunFolder(folder).resume_metrics(next_generation)?;
        changed.extend(changed_device(&metrics, device.name()));
        let state = RunState { metrics, ..RunState::new(config, rules, start, checkpoint, device) };
        let mut run = Self { folder: folder.to_owned(), state, changed, lock };
        run.state.refill(|generation| Ok(load_games(folder, generation)?.games)).map_err(|error| match error {
            TrainError::Replay { path, error } => TrainError::Replay { path: folder.join(path), error },
            error => error,
        })?;
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

    /// As [`RunState::keep_to`], and stores the config.
    pub fn keep_to(&mut self, time: Duration, clock: TimeSource) -> Result<(), TrainError> {
        let folder = &self.folder;
        let changed = self.state.keep_to(time, clock, |generation| has_games(folder, generation));
        if changed { self.save_config() } else { Ok(()) }
    }

    /// Plans the coming generations, if the run has a time budget.
    pub(crate) fn follow_time(&mut self) -> Result<(), TrainError> {
        let folder = &self.folder;
        let changed = self.state.follow_time(|generation| has_games(folder, generation));
        if changed { self.save_config() } else { Ok(()) }
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
}

/// Whether the games of `generation` are in the folder.
fn has_games(folder: &Path, generation: u64) -> bool {
    RunFolder(folder).file(GenerationFile::Games, generation).exists()
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
