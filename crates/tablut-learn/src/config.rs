//! The training config: one TOML file, every key with a default, a unit and a range.

mod differences;
mod ranges;
mod tables;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablut_games::{SHIPPED, SelfPlayConfig};
use tablut_net::{Architecture, Weights};
use tablut_rules::{plain_words, shown, shown_lines};
use tablut_search::SelfPlaySearch;

use crate::optimizer::OptimizerConfig;
pub use differences::{Difference, differences};
pub use tables::{EvaluationConfig, LearningConfig, MachineConfig, PlayConfig, ScheduleConfig};

/// All settings of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Rule sets, each a name or the path of a rule file (`.toml`), or one of these alone. Games alternate between them.
    #[serde(deserialize_with = "one_or_several")]
    pub rules: Vec<String>,
    /// The net's architecture: a short name such as `lines32x2`.
    #[serde(default = "default_shape")]
    pub shape: Architecture,
    /// Seed of all randomness in the run.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The net that the run begins with, of the same shape: a model file, the folder of a run, or `shipped`, the net that
    /// comes with the program. The run keeps a copy. Default: an untrained net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<PathBuf>,
    /// Number of generations, and the games of each.
    #[serde(default)]
    pub schedule: ScheduleConfig,
    /// How self-play games are played.
    #[serde(default)]
    pub selfplay: SelfPlayConfig,
    /// The search in self-play. Its simulations come from the schedule.
    #[serde(default)]
    pub search: SelfPlaySearch,
    /// How the net learns from the games.
    #[serde(default)]
    pub learning: LearningConfig,
    /// The settings of the optimiser.
    #[serde(default)]
    pub optimizer: OptimizerConfig,
    /// How the net's strength is measured.
    #[serde(default)]
    pub evaluation: EvaluationConfig,
    /// How the net plays after training.
    #[serde(default)]
    pub play: PlayConfig,
    /// Threads, batches and the device. Threads and batches do not change results.
    #[serde(default)]
    pub machine: MachineConfig,
}

const MAX_RULE_SETS: usize = 1000;

/// The maximum size of a config in bytes. One with a thousand long names of rule files is smaller.
const MAX_BYTES: u64 = 1 << 20;

pub(crate) const MAX_GENERATIONS: u64 = 100_000;
pub(crate) const MAX_GAMES: usize = 1_000_000;

/// A text, or a list of texts.
fn one_or_several<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text or a list of texts")]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Texts::deserialize(from)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    })
}

fn default_shape() -> Architecture {
    "lines32x2".parse().expect("the name of a shape")
}

fn default_seed() -> u64 {
    1
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainConfigError {
    #[error("config {path}: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    /// The text is not a config: a misspelt key, a value of the wrong type, or broken TOML.
    #[error("config {path}: {}", shown_lines(reason))]
    Text { path: PathBuf, reason: String },
    #[error("--set `{}`: expected key=value, such as learning.batch_size=128", shown(.0))]
    Override(String),
    #[error("--set `{}`: {}", shown(assignment), shown(reason))]
    OverrideValue { assignment: String, reason: String },
    #[error("config: {}", .0.join("; "))]
    Range(Vec<String>),
}

impl TrainConfig {
    /// The defaults, for these rule sets and the shape of the quickstart.
    pub fn new(rules: Vec<String>) -> Self {
        Self {
            rules,
            shape: default_shape(),
            seed: default_seed(),
            start: None,
            schedule: ScheduleConfig::default(),
            selfplay: SelfPlayConfig::default(),
            search: SelfPlaySearch::default(),
            learning: LearningConfig::default(),
            optimizer: OptimizerConfig::default(),
            evaluation: EvaluationConfig::default(),
            play: PlayConfig::default(),
            machine: MachineConfig::default(),
        }
    }

    /// Reads a config file and applies `overrides`, each `key=value` with a dotted key. Paths in the file are relative
    /// to its folder, those in overrides to the working folder. All become absolute.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self, TrainConfigError> {
        let io = |error| TrainConfigError::Io { path: path.to_owned(), error };
        let bytes = std::fs::File::open(path).and_then(|file| tablut_rules::read_at_most(file, MAX_BYTES));
        let text = bytes.and_then(tablut_rules::decode).map_err(io)?;
        let folder = std::path::absolute(path).map_err(io)?;
        let mut config = Self::read(&text, path, overrides, folder.parent())?;
        config.resolve_paths(&std::path::absolute(".").map_err(io)?);
        Ok(config)
    }

    /// Makes all relative paths relative to `folder`: those of `start`, of rule files, and of the opponents' nets.
    fn resolve_paths(&mut self, folder: &Path) {
        let is_word = |start: &Path| start == Path::new(SHIPPED) && !folder.join(start).exists();
        if let Some(start) = self.start.as_mut().filter(|start| !is_word(start)) {
            *start = folder.join(&start);
        }
        for rules in self.rules.iter_mut().filter(|rules| is_rule_file(rules)) {
            *rules = folder.join(&rules).display().to_string();
        }
        resolve_opponents(&mut self.evaluation.against, folder);
    }

    /// Reads a config from its text. Paths in it do not change. `path` is its name in errors.
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self, TrainConfigError> {
        Self::read(text, path, overrides, None)
    }

    /// Like [`Self::parse`]. Paths in the text are relative to `folder`, if there is one.
    fn read(text: &str, path: &Path, overrides: &[String], folder: Option<&Path>) -> Result<Self, TrainConfigError> {
        let wrong = |reason: String| TrainConfigError::Text { path: path.to_owned(), reason: plain_words(&reason) };
        if text.len() as u64 > MAX_BYTES {
            return Err(wrong(format!("{} bytes, expected at most {MAX_BYTES}", text.len())));
        }
        let mut file: Self = toml::from_str(text).map_err(|error| wrong(format!("\n{error}")))?;
        if let Some(folder) = folder {
            file.resolve_paths(folder);
        }
        file.with(overrides)
    }

    /// The config with `overrides`, each `key=value` with a dotted key.
    pub fn with(&self, overrides: &[String]) -> Result<Self, TrainConfigError> {
        let mut table = toml::Table::try_from(self).expect("every field can be written as TOML");
        for assignment in overrides {
            apply_override(&mut table, assignment)?;
            let checked: Result<Self, _> = serde_path_to_error::deserialize(table.clone());
            checked.map_err(|error| TrainConfigError::OverrideValue {
                assignment: assignment.clone(),
                reason: format!("{}: {}", error.path(), plain_words(error.inner().message())),
            })?;
        }
        let config: Self = table.try_into().expect("each change was checked");
        config.check_ranges()?;
        Ok(config)
    }

    /// The weights of the untrained net.
    pub fn initial_weights(&self) -> Weights {
        Weights::initial(&self.shape, self.seed)
    }

    /// The part of the config that determines a run's results, as TOML: all tables except the last, `machine`.
    pub(crate) fn without_machine(&self) -> String {
        let text = self.to_toml();
        text.split_once("\n[machine]").map_or_else(|| text.clone(), |(before, _)| before.to_owned())
    }

    /// The config as TOML, with each list on one line.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field can be written as TOML")
    }
}

/// Whether an entry of `rules` is the path of a rule file, and not a rule set's name.
fn is_rule_file(rules: &str) -> bool {
    Path::new(rules).extension().is_some_and(|extension| extension == "toml")
}

/// Makes the relative paths of the opponents' nets relative to `folder`.
pub(crate) fn resolve_opponents(against: &mut [String], folder: &Path) {
    for player in against {
        if let Some((before, file, after)) = net_of_opponent(player) {
            *player = format!("{before}{}{after}", folder.join(file).display());
        }
    }
}

/// The model file of an opponent, with the text before and after it: `best=net:`, `FILE`, `@64`. `None` for a player
/// without a net, and for the built-in net.
pub(crate) fn net_of_opponent(player: &str) -> Option<(&str, &Path, &str)> {
    let name = player.split_once('=').filter(|(name, _)| !name.contains(':')).map_or(0, |(name, _)| name.len() + 1);
    let kind = ["net:", "policy:"].into_iter().find(|kind| player[name..].starts_with(kind))?;
    let (before, net) = player.split_at(name + kind.len());
    let end = if kind == "net:" { net.rfind('@').unwrap_or(net.len()) } else { net.len() };
    let (file, after) = net.split_at(end);
    (file != SHIPPED).then(|| (before, Path::new(file), after))
}

/// Sets one dotted key of `table`. The value is TOML, or text if it is not valid TOML.
fn apply_override(table: &mut toml::Table, assignment: &str) -> Result<(), TrainConfigError> {
    let bad = || TrainConfigError::Override(assignment.to_owned());
    let (key, value) = assignment.split_once('=').ok_or_else(bad)?;
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}")).ok();
    let value = parsed.and_then(|mut table| table.remove("value")).unwrap_or_else(|| value.into());
    let mut path: Vec<&str> = key.trim().split('.').collect();
    let last = path.pop().filter(|last| !last.is_empty()).ok_or_else(bad)?;
    let mut table = table;
    for part in path {
        let entry = table.entry(part).or_insert_with(|| toml::Table::new().into());
        table = entry.as_table_mut().ok_or_else(|| TrainConfigError::OverrideValue {
            assignment: assignment.to_owned(),
            reason: format!("`{part}` is a value, not a table"),
        })?;
    }
    table.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const MINIMAL: &str = "rules = [\"kvasir\"]\nshape = \"lines32x2\"\n";

    pub(super) fn load(text: &str, overrides: &[&str]) -> Result<TrainConfig, TrainConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.toml");
        std::fs::write(&path, text).unwrap();
        TrainConfig::load(&path, &overrides.iter().map(|&o| o.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_config_reads_back_what_it_writes() {
        let config = load(MINIMAL, &["schedule.games=7", "selfplay.balance=0.25"]).unwrap();
        assert_eq!(config.schedule.games, [(0, 7)]);
        assert_eq!(load(&config.to_toml(), &[]).unwrap(), config);
    }

    #[test]
    fn a_config_has_at_most_45_keys() {
        fn leaves(value: &toml::Value) -> usize {
            match value {
                toml::Value::Table(table) => table.values().map(leaves).sum(),
                _ => 1,
            }
        }
        let config = load(MINIMAL, &["start=net.tablut"]).unwrap();
        let n_keys = leaves(&toml::Value::Table(toml::from_str(&config.to_toml()).unwrap()));
        assert!(n_keys > 20 && n_keys <= 45, "{n_keys} keys:\n{}", config.to_toml());
    }

    #[test]
    fn faults_name_key_and_place() {
        let fault = |text: &str, overrides: &[&str]| load(text, overrides).unwrap_err().to_string();
        let misspelt = fault(&format!("{MINIMAL}[learning]\nlearning_rat = 0.1\n"), &[]);
        assert!(misspelt.contains("line 4") && misspelt.contains("learning_rat"), "{misspelt}");
        let shape = fault("rules = [\"kvasir\"]\nshape = \"lines33x2\"\n", &[]);
        assert!(shape.contains("line 2") && shape.contains("lines33x2"), "{shape}");
        let range = fault(&format!("{MINIMAL}[learning]\nbatch_size = 0\nvalue_share = 2.0\n"), &[]);
        assert!(range.contains("learning.batch_size = 0: expected 1 to 65536"), "{range}");
        assert!(range.contains("learning.value_share = 2"), "{range}");
        let search = fault(&format!("{MINIMAL}[search]\nmax_considered = 0\n"), &[]);
        assert!(search.contains("search.max_considered"), "{search}");
        let simulations = fault(MINIMAL, &["search.simulations=800"]);
        assert!(simulations.contains("search.simulations: unknown field `simulations`"), "{simulations}");
        let set = fault(MINIMAL, &["learning.batch_siz=3"]);
        assert!(set.contains("learning.batch_siz=3") && set.contains("unknown field"), "{set}");
        assert!(fault(MINIMAL, &["learning"]).contains("expected key=value"));
        let table = fault(MINIMAL, &["seed.x=1"]);
        assert!(table.contains("`seed` is a value, not a table"), "{table}");
        let text = fault(MINIMAL, &["schedule.generations=many"]);
        assert!(text.contains("schedule.generations: found the text \"many\", expected a whole number"), "{text}");
        let list = fault("rules = 3\n", &[]);
        assert!(list.contains("expected a text or a list of texts"), "{list}");
    }

    #[test]
    fn what_is_shown_is_what_runs_in_few_lines() {
        let text = load(MINIMAL, &["schedule.games=7"]).unwrap().to_toml();
        assert!(text.contains("\nsimulations = [[0, 16], [3, 32]]\n") && text.contains("\ngames = 7\n"), "{text}");
        assert!(text.lines().all(|line| line.is_empty() || line.starts_with('[') || line.contains(" = ")), "{text}");
    }

    #[test]
    fn messages_repeat_little_of_a_config_and_nothing_that_steers_a_terminal() {
        for text in [format!("x = {}", "[".repeat(400_000)), "\u{1b}[31m".to_owned(), "\"\u{1b}[31m\" = 1".to_owned()] {
            let error = load(&text, &[]).unwrap_err().to_string();
            assert!(error.len() < 4_000 && !error.contains('\u{1b}'), "{} bytes: {error:.200}", error.len());
        }
        let error = load(MINIMAL, &[&format!("seed={}", "9".repeat(100_000))]).unwrap_err().to_string();
        assert!(error.len() < 4_000, "{} bytes", error.len());
    }
}
