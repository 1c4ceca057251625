//! A run is a folder. This file defines its contents, and how a run starts or continues.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tablut_games::{DoorError, ExamineError, GameRecord, RecordFileError, ReplayError, ReplayWindow, read_records};
use tablut_net::{ModelFileError, TrainingSummary, Weights, durable};
use tablut_rules::{RuleSet, RuleSetError, Rules};

use crate::checkpoint::{Checkpoint, remove_old_states, state_path, states};
use crate::config::{Difference, TrainConfig, TrainConfigError, differences};
use crate::error::StepError;
use crate::held_out::is_held_out;
use crate::learner::LearnerState;
use crate::metrics::{GenerationMetrics, MetricsError, resume_metrics};
use crate::run_precision::{PrecisionError, settle_precision};

/// The run cannot start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file or folder of the run.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// Another process trains in the folder.
    #[error("{0} is in use by another training process")]
    Locked(PathBuf),
    /// The config.
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    /// The run was started with another config.
    #[error("{path} was begun with another config; these keys cannot change while a run goes on:\n{}\n\
             Use another --run folder, or put the values back.", list(.differences))]
    ConfigChanged {
        /// The run.
        path: PathBuf,
        /// The keys that may not change.
        differences: Vec<Difference>,
    },
    /// The state in the folder belongs to a net with another shape than in the config.
    #[error("{path} holds a net of shape {found}, the config says {expected}")]
    Shape {
        /// The run.
        path: PathBuf,
        /// The state's shape.
        found: String,
        /// The config's shape.
        expected: String,
    },
    /// Two rule sets of the config have one name.
    #[error("rules: two rule sets are named `{0}`, and records could not tell them apart")]
    DuplicateRules(String),
    /// No ply of a generation had a full search.
    #[error(
        "no position to learn from in generation {0}: none of its plies was searched in full; raise \
         selfplay.full_share or schedule.games"
    )]
    NothingToLearn(u64),
    /// A rule set.
    #[error(transparent)]
    Rules(#[from] RuleSetError),
    /// A model or state file.
    #[error(transparent)]
    Model(#[from] ModelFileError),
    /// The state to continue from is damaged.
    #[error("{error}\nThe run cannot go on from it. {advice}")]
    DamagedState {
        /// The state, and the error.
        error: ModelFileError,
        /// What to do.
        advice: String,
    },
    /// The precision of self-play.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The folder does not contain a run.
    #[error("{0} holds no run: there is no config.toml in it")]
    NoRun(PathBuf),
    /// The run's metrics.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// A file of game records.
    #[error(transparent)]
    Records(#[from] RecordFileError),
    /// A record cannot be replayed.
    #[error("{path}: {error}")]
    Replay {
        /// The file of records.
        path: PathBuf,
        /// The game and the error.
        error: ReplayError,
    },
    /// The net could not be measured on a sample of the games.
    #[error("measuring the net on the generation's games: {0}")]
    Watching(#[from] ExamineError),
    /// A step of learning failed.
    #[error(transparent)]
    Learning(#[from] StepError),
    /// Games could not be collected, or a net could not be published.
    #[error("self-play: {0}")]
    Door(DoorError),
    /// The rating games of a net could not be played.
    #[error("rating the net: {0}")]
    Rating(DoorError),
    /// The run was asked to stop. All files on disk are complete.
    #[error("stopped on request")]
    Stopped,
}

impl From<DoorError> for TrainError {
    fn from(error: DoorError) -> Self {
        match error {
            DoorError::Stopped => Self::Stopped,
            error => Self::Door(error),
        }
    }
}

impl TrainError {
    pub(crate) fn of_rating(error: DoorError) -> Self {
        match error {
            DoorError::Stopped => Self::Stopped,
            error => Self::Rating(error),
        }
    }
}

fn list(differences: &[Difference]) -> String {
    let line = |d: &Difference| format!("  {}: was {}, is {}", d.key, d.before, d.after);
    differences.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// An open run: folder, config, and everything that the next generation starts from.
pub struct Run {
    /// The folder.
    pub folder: PathBuf,
    /// The config, as it is given now.
    pub config: TrainConfig,
    /// The rule sets of the config, compiled.
    pub rules: Vec<Arc<Rules>>,
    /// Weights and optimiser.
    pub learner: LearnerState,
    /// Counts so far.
    pub training: TrainingSummary,
    /// Training positions.
    pub window: ReplayWindow,
    /// The next generation to do.
    pub next_generation: u64,
    /// Metrics of the completed generations.
    pub metrics: Vec<GenerationMetrics>,
    /// Keys that have changed since the start of the run. All may change.
    pub changed: Vec<Difference>,
    /// Held while the run is open.
    _lock: File,
}

impl Run {
    /// Starts a run in `folder`, or continues the run there from its last checkpoint.
    pub fn open(folder: &Path, config: TrainConfig) -> Result<Self, TrainError> {
        config.check_ranges()?;
        let rules = load_rules(&config, &BTreeMap::new())?;
        Self::open_with(folder, config, rules)
    }

    /// Continues the run in `folder` with its own config and rules, so that neither the config file nor rule files are
    /// needed. `overrides` change keys of the config as in [`TrainConfig::load`].
    pub fn resume(folder: &Path, overrides: &[String]) -> Result<Self, TrainError> {
        let path = folder.join("config.toml");
        if !path.exists() {
            return Err(TrainError::NoRun(folder.to_owned()));
        }
        let config = TrainConfig::load(&path, overrides)?;
        let rules = load_rules(&config, &kept_rules(folder)?)?;
        Self::open_with(folder, config, rules)
    }

    fn open_with(folder: &Path, config: TrainConfig, rules: Vec<Arc<Rules>>) -> Result<Self, TrainError> {
        let lock = lock(folder)?;
        for part in [folder.to_owned(), folder.join("games"), folder.join("checkpoints")] {
            durable::remove_leftovers(&part).map_err(|error| TrainError::Io { path: part, error })?;
        }
        let config = settle_precision(folder, config)?;
        let changed = reconcile(folder, &config)?;
        reconcile_rules(folder, &rules)?;
        let checkpoints = folder.join("checkpoints");
        let checkpoint = Checkpoint::latest(&checkpoints).map_err(|error| damaged_state(&checkpoints, error))?;
        if let Some(checkpoint) = &checkpoint {
            remove_old_states(&checkpoints, checkpoint.generation);
        }
        let next_generation = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.generation + 1);
        let (learner, training) = if let Some(checkpoint) = checkpoint {
            if checkpoint.learner.architecture != config.shape {
                let (found, expected) = (checkpoint.learner.architecture.to_string(), config.shape.to_string());
                return Err(TrainError::Shape { path: folder.to_owned(), found, expected });
            }
            config.optimizer.kind.check(checkpoint.learner.optimizer)?;
            (checkpoint.learner, checkpoint.training)
        } else {
            let weights = Weights::initial(&config.shape, config.seed);
            let (play_simulations, selfplay_precision) = (config.play.simulations, config.selfplay.precision);
            let counts = TrainingSummary::default();
            let training = TrainingSummary { seed: config.seed, play_simulations, selfplay_precision, ..counts };
            let learner = LearnerState::new(&weights).with_optimizer(config.optimizer.kind);
            (learner.with_auxiliary_heads(&config.loss, config.seed), training)
        };
        let window = ReplayWindow::new(rules.clone(), 0);
        let metrics = resume_metrics(&folder.join("metrics.jsonl"), next_generation)?;
        let mut run = Self {
            folder: folder.to_owned(),
            config,
            rules,
            learner,
            training,
            window,
            next_generation,
            metrics,
            changed,
            _lock: lock,
        };
        run.refill_window()?;
        let (generations, positions) = (run.config.schedule.generations, run.window.len());
        tracing::info!(next_generation, generations, window_positions = positions, "run opened");
        for change in &run.changed {
            tracing::info!("config: {} was {}, is {}", change.key, change.before, change.after);
        }
        Ok(run)
    }

    /// Sixteen hexadecimal digits that stand for all that the run's results are a function of: config and rules.
    pub fn id(&self) -> String {
        let mut config = self.config.clone();
        // What may change while a run goes on, and the names under which rules were found.
        config.schedule.generations = 0;
        (config.evaluation, config.play, config.machine) = Default::default();
        config.rules.clear();
        let rules: Vec<String> = self.rules.iter().map(|rules| rules.set().to_toml()).collect();
        let text = format!("{}{}", config.to_toml(), rules.concat());
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }

    /// The file of a generation's games.
    pub fn games_path(&self, generation: u64) -> PathBuf {
        games_path(&self.folder, generation)
    }

    /// The folder of checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.folder.join("checkpoints")
    }

    /// Divides a generation's games into those for training and those that are held out.
    pub(crate) fn split(&self, games: Vec<GameRecord>) -> (Vec<GameRecord>, Vec<GameRecord>) {
        let (share, sets) = (self.config.learning.held_out_share, self.rules.len());
        games.into_iter().partition(|game| !is_held_out(game.index, sets, share))
    }

    /// Fills the window as it was after the last completed generation, with the latest generations that fit.
    fn refill_window(&mut self) -> Result<(), TrainError> {
        let (learning, seen) = (&self.config.learning, self.training.positions);
        let size = ReplayWindow::size_after(learning.window_positions, learning.window_power, seen);
        let (mut latest, mut kept) = (Vec::new(), 0);
        for generation in (0..self.next_generation).rev() {
            let path = self.games_path(generation);
            let (games, _) = self.split(read_records(&path)?.games);
            let positions = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some()).count();
            if kept + positions > size && !latest.is_empty() {
                break;
            }
            kept += positions;
            latest.push((path, games));
        }
        self.window = ReplayWindow::new(self.rules.clone(), learning.window_positions)
            .with_targets(self.config.targets())
            .growing(learning.window_power, seen.saturating_sub(kept as u64));
        for (path, games) in latest.into_iter().rev() {
            self.window.push(&games).map_err(|error| TrainError::Replay { path, error })?;
        }
        Ok(())
    }
}

/// The file of a generation's games in the run's folder.
pub(crate) fn games_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join("games").join(format!("gen-{generation:05}.games"))
}

/// The rule sets of the config, in its order. Those in `kept` are used, by name or by the name of their file.
fn load_rules(config: &TrainConfig, kept: &BTreeMap<String, RuleSet>) -> Result<Vec<Arc<Rules>>, TrainError> {
    let load = |name: &String| -> Result<Arc<Rules>, TrainError> {
        let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy());
        let kept = kept.get(name).or_else(|| kept.get(&*stem?));
        Ok(Arc::new(kept.map_or_else(|| Rules::load(name), |set| Rules::new(set.clone()))?))
    };
    let rules = config.rules.iter().map(load);
    let rules: Vec<Arc<Rules>> = rules.collect::<Result<_, TrainError>>()?;
    for (place, set) in rules.iter().enumerate() {
        if rules[..place].iter().any(|earlier| earlier.name() == set.name()) {
            return Err(TrainError::DuplicateRules(set.name().to_owned()));
        }
    }
    Ok(rules)
}

/// The rule sets that the run in `folder` was started with, by name, or none if it has not started.
pub(crate) fn kept_rules(folder: &Path) -> Result<BTreeMap<String, RuleSet>, TrainError> {
    let path = folder.join("rules.toml");
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        text => text.map_err(|error| TrainError::Io { path: path.clone(), error })?,
    };
    let malformed = |reason: String| RuleSetError::Malformed { origin: path.display().to_string(), reason };
    let sets: BTreeMap<String, RuleSet> = toml::from_str(&text).map_err(|error| malformed(error.to_string()))?;
    for set in sets.values() {
        set.check()?;
    }
    Ok(sets)
}

/// The error for a state that cannot be read, with the earlier states to go back to.
fn damaged_state(checkpoints: &Path, error: ModelFileError) -> TrainError {
    let states = states(checkpoints).unwrap_or_default();
    let advice = match states.split_last() {
        None => return error.into(),
        Some((newest, before)) => {
            let newest = state_path(checkpoints, *newest);
            match before.iter().rev().find(|&&generation| Checkpoint::load(checkpoints, generation).is_ok()) {
                Some(whole) => format!(
                    "The state of generation {whole} is whole: delete {} to go on from there; the games stay.",
                    newest.display()
                ),
                None => format!(
                    "No state before it is whole: delete {} to learn from the run's games again from the beginning.",
                    newest.display()
                ),
            }
        }
    };
    TrainError::DamagedState { error, advice }
}

/// Locks the folder for this process. The lock ends with the process, however it ends.
fn lock(folder: &Path) -> Result<File, TrainError> {
    let path = folder.join(".lock");
    let io = |error| TrainError::Io { path: path.clone(), error };
    fs::create_dir_all(folder).map_err(io)?;
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TrainError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

/// Compares the config with the one that the run was started with and writes the new one. Returns the keys that
/// changed.
fn reconcile(folder: &Path, config: &TrainConfig) -> Result<Vec<Difference>, TrainError> {
    let path = folder.join("config.toml");
    let changed = if path.exists() { differences(&TrainConfig::load(&path, &[])?, config) } else { Vec::new() };
    let unsafe_changes: Vec<_> = changed.iter().filter(|difference| !difference.safe).cloned().collect();
    if !unsafe_changes.is_empty() {
        return Err(TrainError::ConfigChanged { path: folder.to_owned(), differences: unsafe_changes });
    }
    if !path.exists() || !changed.is_empty() {
        let text = config.to_toml();
        durable::write(&path, text.as_bytes()).map_err(|error| TrainError::Io { path, error })?;
    }
    Ok(changed)
}

/// Stores the rule sets in the folder, and refuses to continue with different ones, because a rule file may have been
/// edited.
fn reconcile_rules(folder: &Path, rules: &[Arc<Rules>]) -> Result<(), TrainError> {
    let path = folder.join("rules.toml");
    let io = |error| TrainError::Io { path: path.clone(), error };
    let sets: BTreeMap<&str, &RuleSet> = rules.iter().map(|rules| (rules.name(), rules.set())).collect();
    let text = toml::to_string_pretty(&sets).expect("every rule set has a form in TOML");
    if !path.exists() {
        return durable::write(&path, text.as_bytes()).map_err(io);
    }
    let before = fs::read_to_string(&path).map_err(io)?;
    if before == text {
        return Ok(());
    }
    let lines = |from: &str, other: &str| {
        let differing = from.lines().filter(|line| !other.lines().any(|there| there == *line));
        differing.collect::<Vec<_>>().join(", ")
    };
    let difference = Difference {
        key: "the rules themselves".to_owned(),
        before: lines(&before, &text),
        after: lines(&text, &before),
        safe: false,
    };
    Err(TrainError::ConfigChanged { path: folder.to_owned(), differences: vec![difference] })
}
