//! What a run's folder keeps of its settings, config and rules, and how they may change. Also its lock and its games.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use tablut_games::{GenerationFile, RecordFile, RunFolder, RunFolderError, read_records};
use tablut_net::{ModelFileError, durable};
use tablut_rules::{RuleSet, Rules};

use crate::checkpoint::Checkpoint;
use crate::config::{Difference, TrainConfig, differences};
use crate::start::START_COPY;
use crate::train_error::TrainError;

/// The games of a generation, from the run's folder.
pub(crate) fn load_games(folder: &Path, generation: u64) -> Result<RecordFile, TrainError> {
    let damaged = |error| TrainError::DamagedGames { error, generation, run: folder.to_owned() };
    read_records(&RunFolder(folder).file(GenerationFile::Games, generation)).map_err(damaged)
}

impl TrainConfig {
    /// The rule sets of the config, compiled. A rule set that the run in the folder `run` has stored is used instead of
    /// the built-in one or its file.
    pub fn load_rules(&self, run: Option<&Path>) -> Result<Vec<Arc<Rules>>, TrainError> {
        self.rules_with(&run.map(|run| RunFolder(run).read_rules()).transpose()?.unwrap_or_default())
    }
}

/// The config of the run in `folder`, with `overrides` as in [`TrainConfig::load`].
pub(crate) fn config_of(folder: &Path, overrides: &[String]) -> Result<TrainConfig, TrainError> {
    let path = RunFolder(folder).config();
    if !path.exists() {
        return Err(RunFolderError::NoRun(folder.to_owned()).into());
    }
    Ok(TrainConfig::load(&path, overrides)?)
}

/// The error for a state that cannot be read, with the earlier states to go back to.
pub(crate) fn damaged_state(run: RunFolder<'_>, error: ModelFileError) -> TrainError {
    let states = run.files(GenerationFile::State).unwrap_or_default();
    let mut newest_first = states.iter().rev();
    let Some((_, newest)) = newest_first.next() else { return error.into() };
    let newest = newest.display();
    let whole = newest_first.find(|&(&generation, _)| Checkpoint::load(run, generation).is_ok());
    let advice = if let Some((whole, _)) = whole {
        format!("The state of generation {whole} is intact. Delete {newest} to continue from there; the games stay.")
    } else {
        let checkpoints = run.0.join("checkpoints");
        let checkpoints = checkpoints.display();
        format!("No earlier state is intact. Delete {checkpoints} to learn again from all of the run's games.")
    };
    TrainError::DamagedState { error, advice }
}

/// The config that the run in `folder` has had so far, or `None` for a new run. It is the one in the last state,
/// because a user may edit `config.toml`. Before the first state it is the one in `config.toml`.
pub(crate) fn config_so_far(folder: &Path, checkpoint: Option<&Checkpoint>) -> Result<Option<TrainConfig>, TrainError> {
    let files = RunFolder(folder);
    let path = files.config();
    let on_disk = if path.exists() { Some(TrainConfig::load(&path, &[])?) } else { None };
    let Some(checkpoint) = checkpoint else { return Ok(on_disk.map(TrainConfig::with_start_copy)) };
    let state = files.file(GenerationFile::State, checkpoint.generation);
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
    next_generation: u64,
) -> Result<Vec<Difference>, TrainError> {
    let mut changed = so_far.map_or_else(Vec::new, |so_far| differences(so_far, config));
    if let Some(so_far) = so_far {
        // With `--time` the games of generations that have not begun change.
        let played =
            |config: &TrainConfig| (0..next_generation).map(|g| config.schedule.games_at(g)).collect::<Vec<_>>();
        let same = next_generation > 0 && played(so_far) == played(config);
        changed.retain(|difference| !same || difference.key != "schedule.games");
    }
    let unsafe_changes: Vec<_> = changed.iter().filter(|difference| !difference.safe).cloned().collect();
    if !unsafe_changes.is_empty() {
        return Err(TrainError::ConfigChanged { path: folder.to_owned(), differences: unsafe_changes });
    }
    let (path, text) = (RunFolder(folder).config(), config.to_toml());
    if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        durable::write(&path, text.as_bytes()).map_err(RunFolderError::io(path))?;
    }
    Ok(changed)
}

/// Stores the rule sets in the folder of a new run. Returns an error if an existing run has different ones, for example
/// because a rule file was edited.
pub(crate) fn reconcile_rules(folder: &Path, rules: &[Arc<Rules>]) -> Result<(), TrainError> {
    let path = RunFolder(folder).rules();
    let sets: BTreeMap<&str, &RuleSet> = rules.iter().map(|rules| (rules.name(), rules.set())).collect();
    let text = toml::to_string_pretty(&sets).expect("every rule set can be written as TOML");
    if !path.exists() {
        return Ok(durable::write(&path, text.as_bytes()).map_err(RunFolderError::io(path))?);
    }
    let before = fs::read_to_string(&path).map_err(RunFolderError::io(&path))?;
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
