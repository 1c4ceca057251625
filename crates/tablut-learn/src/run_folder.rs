//! The files of a run's folder other than checkpoints and metrics: config, rules, lock, games.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tablut_games::{RecordFile, read_records};
use tablut_net::{ModelFileError, durable};
use tablut_rules::{RuleSet, RuleSetError, Rules};

use crate::checkpoint::{Checkpoint, model_path, state_path, states};
use crate::config::{Difference, TrainConfig, differences};
use crate::start::START_COPY;
use crate::train_error::TrainError;

/// The file of a generation's games in the run's folder.
pub(crate) fn games_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join("games").join(format!("gen-{generation:05}.games"))
}

/// The model file of the last generation of the run in `folder`.
///
/// # Errors
/// Returns an error if the folder cannot be read or contains no complete generation.
pub fn newest_net(folder: &Path) -> Result<PathBuf, TrainError> {
    let checkpoints = folder.join("checkpoints");
    let generations = states(&checkpoints).map_err(|error| TrainError::Io { path: checkpoints.clone(), error })?;
    let newest = generations.last().map(|&generation| model_path(&checkpoints, generation));
    newest.ok_or_else(|| TrainError::NoNet(folder.to_owned()))
}

/// The games of a generation, from the run's folder.
pub(crate) fn load_games(folder: &Path, generation: u64) -> Result<RecordFile, TrainError> {
    let damaged = |error| TrainError::DamagedGames { error, generation, run: folder.to_owned() };
    read_records(&games_path(folder, generation)).map_err(damaged)
}

/// The rule sets of the config, in its order. A rule set in `kept` replaces the one of the same name.
pub(crate) fn load_rules(
    config: &TrainConfig,
    kept: &BTreeMap<String, RuleSet>,
) -> Result<Vec<Arc<Rules>>, TrainError> {
    let load = |name: &String| -> Result<Arc<Rules>, TrainError> {
        Ok(Arc::new(kept.get(name).map_or_else(|| Rules::load(name), |set| Rules::new(set.clone()))?))
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

impl TrainConfig {
    /// The rule sets of the config, compiled. A rule set that the run in the folder `run` has stored is used instead of
    /// the built-in one or its file.
    ///
    /// # Errors
    /// Returns an error if a rule set is unknown or not valid, or if two have the same name.
    pub fn load_rules(&self, run: Option<&Path>) -> Result<Vec<Arc<Rules>>, TrainError> {
        load_rules(self, &run.map(kept_rules).transpose()?.unwrap_or_default())
    }
}

/// The config of the run in `folder`, with `overrides` as in [`TrainConfig::load`].
pub(crate) fn config_of(folder: &Path, overrides: &[String]) -> Result<TrainConfig, TrainError> {
    let path = folder.join("config.toml");
    if !path.exists() {
        return Err(TrainError::NoRun(folder.to_owned()));
    }
    Ok(TrainConfig::load(&path, overrides)?)
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
pub(crate) fn damaged_state(checkpoints: &Path, error: ModelFileError) -> TrainError {
    let states = states(checkpoints).unwrap_or_default();
    let advice = match states.split_last() {
        None => return error.into(),
        Some((newest, before)) => {
            let newest = state_path(checkpoints, *newest);
            match before.iter().rev().find(|&&generation| Checkpoint::load(checkpoints, generation).is_ok()) {
                Some(whole) => format!(
                    "The state of generation {whole} is intact. Delete {} to continue from there; the games stay.",
                    newest.display()
                ),
                None => format!(
                    "No earlier state is intact. Delete {} to learn again from all of the run's games.",
                    newest.display()
                ),
            }
        }
    };
    TrainError::DamagedState { error, advice }
}

/// Locks the folder for this process. The system releases the lock when the process ends or is killed.
pub(crate) fn lock(folder: &Path) -> Result<File, TrainError> {
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

/// The config that the run in `folder` has had so far, or `None` for a new run. It is the one in the last state,
/// because a user may edit `config.toml`. Before the first state it is the one in `config.toml`.
pub(crate) fn config_so_far(folder: &Path, checkpoint: Option<&Checkpoint>) -> Result<Option<TrainConfig>, TrainError> {
    let path = folder.join("config.toml");
    let on_disk = if path.exists() { Some(TrainConfig::load(&path, &[])?) } else { None };
    let Some(checkpoint) = checkpoint else { return Ok(on_disk.map(TrainConfig::with_start_copy)) };
    let state = state_path(&folder.join("checkpoints"), checkpoint.generation);
    let mut config = TrainConfig::parse(&checkpoint.training.config, &state, &[])?;
    config.machine = on_disk.map(|config| config.machine).unwrap_or_default();
    Ok(Some(config))
}

impl TrainConfig {
    /// The config as the run stores it. Rules are names, and `start` is the copy of the net in the run's folder.
    pub(crate) fn in_run(mut self, rules: &[Arc<Rules>]) -> Self {
        self.rules = rules.iter().map(|rules| rules.name().to_owned()).collect();
        self.with_start_copy()
    }

    fn with_start_copy(mut self) -> Self {
        self.start = self.start.map(|_| START_COPY.into());
        self
    }
}

/// Compares the config with the run's config so far, and writes it. Returns the keys that changed.
pub(crate) fn reconcile(
    folder: &Path,
    so_far: Option<&TrainConfig>,
    config: &TrainConfig,
) -> Result<Vec<Difference>, TrainError> {
    let changed = so_far.map_or_else(Vec::new, |so_far| differences(so_far, config));
    let unsafe_changes: Vec<_> = changed.iter().filter(|difference| !difference.safe).cloned().collect();
    if !unsafe_changes.is_empty() {
        return Err(TrainError::ConfigChanged { path: folder.to_owned(), differences: unsafe_changes });
    }
    let (path, text) = (folder.join("config.toml"), config.to_toml());
    if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        durable::write(&path, text.as_bytes()).map_err(|error| TrainError::Io { path, error })?;
    }
    Ok(changed)
}

/// Stores the rule sets in the folder of a new run. Returns an error if an existing run has different ones, for example
/// because a rule file was edited.
pub(crate) fn reconcile_rules(folder: &Path, rules: &[Arc<Rules>]) -> Result<(), TrainError> {
    let path = folder.join("rules.toml");
    let io = |error| TrainError::Io { path: path.clone(), error };
    let sets: BTreeMap<&str, &RuleSet> = rules.iter().map(|rules| (rules.name(), rules.set())).collect();
    let text = toml::to_string_pretty(&sets).expect("every rule set can be written as TOML");
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
