//! The training config: one TOML file, every key with a default, a unit and a range.

mod differences;
mod ranges;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablut_games::{Concurrency, SelfPlayConfig};
use tablut_net::Architecture;
use tablut_rules::{shown, shown_lines};
use tablut_search::SearchConfig;

use crate::backend::Backend;
use crate::loss_parts::LossWeights;
use crate::optimizer::OptimizerConfig;
pub use differences::{Difference, differences};

/// All settings of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Rule sets to train on, by name or by the path of a rule file; games alternate between them.
    pub rules: Vec<String>,
    /// The net's architecture: a short name such as `b4c32`, or a table of its fields.
    pub shape: Architecture,
    /// Seed of everything random in the run (default 1).
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Generations and how much each one plays.
    #[serde(default)]
    pub schedule: ScheduleConfig,
    /// How self-play games go.
    #[serde(default)]
    pub selfplay: SelfPlayConfig,
    /// The search of self-play; its simulations are those of the schedule.
    #[serde(default)]
    pub search: SearchConfig,
    /// How the net learns from the games.
    #[serde(default)]
    pub learning: LearningConfig,
    /// Constants of the optimiser.
    #[serde(default)]
    pub optimizer: OptimizerConfig,
    /// Weights of the loss.
    #[serde(default)]
    pub loss: LossWeights,
    /// How the net is measured.
    #[serde(default)]
    pub evaluation: EvaluationConfig,
    /// How the net plays when it is used.
    #[serde(default)]
    pub play: PlayConfig,
    /// Threads and batches; changes no result.
    #[serde(default)]
    pub machine: MachineConfig,
}

/// Most rule sets of a run.
const MAX_RULE_SETS: usize = 1000;

fn default_seed() -> u64 {
    1
}

/// Generations and how much each one plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScheduleConfig {
    /// Generations of self-play and learning, 1 to 100,000.
    pub generations: u64,
    /// Self-play games a generation, 1 to 1,000,000.
    pub games: usize,
    /// Steps of `(generation, simulations)`: from that generation on, a full search takes so many simulations. The
    /// first step is for generation 0. Few simulations early give more games for the same time (progressive simulation).
    pub simulations: Vec<(u64, u32)>,
    /// Generations between a net and the games that it plays, 0 or 1 (default 0). With 0 a generation is played with the
    /// net of the one before. With 1 it is played with the net before that, so that it can be played by others while the
    /// one before is being learnt: nobody waits, and the games are a little older.
    pub lag: u64,
}

impl Default for ScheduleConfig {
    fn default() -> Self {
        Self { generations: 100, games: 512, simulations: vec![(0, 16), (20, 32), (50, 64)], lag: 0 }
    }
}

impl ScheduleConfig {
    /// Simulations of a full search in `generation`.
    pub fn simulations_at(&self, generation: u64) -> u32 {
        self.simulations.iter().take_while(|step| step.0 <= generation).last().map_or(1, |step| step.1)
    }
}

/// How the net learns from the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningConfig {
    /// Positions of one step, 1 to 65,536.
    pub batch_size: usize,
    /// How often each new position is drawn on average, which sets the steps of a generation; above 0, to 100.
    pub draws_per_position: f32,
    /// Most positions in the replay window; the latest generation is always in it. A position takes about 200 bytes, and
    /// [`tablut_games::ReplayWindow::most_bytes`] is a bound.
    pub window_positions: usize,
    /// Peak learning rate, above 0, to 1.
    pub learning_rate: f32,
    /// Steps over which the learning rate rises to its peak.
    pub warmup_steps: u64,
    /// Share of the generations, at the end, over which the learning rate falls to a twentieth; 0 to 1.
    pub decay_share: f32,
    /// Share of the search's value in the value target, the rest is the game's outcome; 0 to 1.
    pub value_share: f32,
    /// What computes the steps: `cpu`, the program's own kernels (the default), or `burn`, the reference.
    pub backend: Backend,
    /// Share of each rule set's games that is not learnt from, but only measured on; 0 (the default) to 0.5. Without it
    /// each generation's games are measured on before they are learnt from, which costs none of them.
    pub held_out_share: f32,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            batch_size: 256,
            draws_per_position: 4.0,
            window_positions: 500_000,
            learning_rate: 0.002,
            warmup_steps: 100,
            decay_share: 0.3,
            value_share: 0.25,
            backend: Backend::Cpu,
            held_out_share: 0.0,
        }
    }
}

/// How the net is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Opponents of the final match, as players are written everywhere: `random`, `greedy`, `alphabeta:2`.
    pub against: Vec<String>,
    /// Games against each opponent at the end of the run, even, to 1,000,000; 0 measures nothing.
    pub games: u32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self { against: vec!["random".to_owned(), "greedy".to_owned()], games: 200 }
    }
}

/// How the net plays when it is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlayConfig {
    /// Simulations a move, written into the model file, 1 to 1,000,000.
    pub simulations: u32,
}

impl Default for PlayConfig {
    fn default() -> Self {
        Self { simulations: 64 }
    }
}

/// Threads and batches; changes no result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MachineConfig {
    /// Self-play threads; 0 (the default) for one a core.
    pub workers: usize,
    /// Games that each thread plays at once, which makes its batches; 0 (the default) for 64.
    pub games_per_worker: usize,
    /// Whether event files for TensorBoard are written into the run's folder `tensorboard` (default false).
    pub tensorboard: bool,
}

impl MachineConfig {
    /// The threads of self-play, and the games that each keeps going.
    pub fn concurrency(&self) -> Concurrency {
        let default = Concurrency::default();
        let or = |value: usize, default: usize| if value == 0 { default } else { value };
        Concurrency {
            workers: or(self.workers, default.workers),
            tasks_per_worker: or(self.games_per_worker, default.tasks_per_worker),
        }
    }
}

/// A config that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainConfigError {
    /// The file cannot be read.
    #[error("config {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The text is no config: a misspelt key, a value of the wrong type, broken TOML.
    #[error("config {path}: {}", shown_lines(reason))]
    Text {
        /// The file.
        path: PathBuf,
        /// What and where.
        reason: String,
    },
    /// An override is not `key=value`.
    #[error("--set `{}`: expected key=value, such as learning.batch_size=128", shown(.0))]
    Override(String),
    /// An override names no key, or gives a value that does not fit.
    #[error("--set `{}`: {}", shown(assignment), shown(reason))]
    OverrideValue {
        /// The override as it was typed.
        assignment: String,
        /// What is wrong.
        reason: String,
    },
    /// Values out of range.
    #[error("config: {}", .0.join("; "))]
    Range(Vec<String>),
}

impl TrainConfig {
    /// Reads a config file and applies `overrides`, each `key=value` with a dotted key.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self, TrainConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|error| TrainConfigError::Io { path: path.to_owned(), error })?;
        Self::parse(&text, path, overrides)
    }

    /// Reads a config from its text; `path` is what errors call it.
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self, TrainConfigError> {
        let wrong = |reason: String| TrainConfigError::Text { path: path.to_owned(), reason };
        // The text is read as a config first, because only then do errors know their line.
        let _: Self = toml::from_str(text).map_err(|error| wrong(format!("\n{error}")))?;
        let mut table: toml::Table = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for assignment in overrides {
            apply_override(&mut table, assignment)?;
            let checked: Result<Self, _> = serde_path_to_error::deserialize(table.clone());
            checked.map_err(|error| TrainConfigError::OverrideValue {
                assignment: assignment.clone(),
                reason: format!("{}: {}", error.path(), error.inner().message()),
            })?;
        }
        let config: Self = serde_path_to_error::deserialize(table).map_err(|error| wrong(error.to_string()))?;
        config.check_ranges()?;
        Ok(config)
    }

    /// The config as TOML: every key that has an effect, a list in one line.
    ///
    /// # Panics
    /// Never for a value that was read or checked: every field has a form in TOML.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).expect("every field has a form in TOML");
        let mut in_search = false;
        let has_effect = |line: &&str| {
            if line.starts_with('[') {
                in_search = line.trim_end() == "[search]";
            }
            // A search's simulations are those of the schedule.
            !(in_search && line.starts_with("simulations = "))
        };
        text.split_inclusive('\n').filter(has_effect).collect()
    }
}

/// Sets one dotted key of `table`; the value is TOML, or text where it is not.
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

    pub(super) const MINIMAL: &str = "rules = [\"kvasir\"]\nshape = \"b2c32\"\n";

    pub(super) fn load(text: &str, overrides: &[&str]) -> Result<TrainConfig, TrainConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.toml");
        std::fs::write(&path, text).unwrap();
        TrainConfig::load(&path, &overrides.iter().map(|&o| o.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_config_reads_back_what_it_writes() {
        let config = load(MINIMAL, &["schedule.games=7", "selfplay.full_share=0.25"]).unwrap();
        assert_eq!(config.schedule.games, 7);
        assert_eq!(load(&config.to_toml(), &[]).unwrap(), config);
    }

    #[test]
    fn an_architecture_without_a_name_is_a_table_of_its_fields() {
        let table = "rules = [\"kvasir\"]\nseed = 3\n[shape]\nversion = 1\nchannels = 32\nblocks = [\"plain\", \"plain\"]\n\
                     policy = { channels = 32 }\nvalue = { channels = 16, hidden = 48 }\n";
        let config = load(table, &[]).unwrap();
        assert_eq!(config.shape.to_string(), "b2c32 (pooled none; policy 32; value 16, 48)");
        assert_eq!(load(&config.to_toml(), &[]).unwrap(), config);
        let fault = load(&table.replace("hidden = 48", "hidden = 47"), &[]).unwrap_err().to_string();
        assert!(fault.contains("value.hidden = 47"), "{fault}");
    }

    #[test]
    fn faults_name_key_and_place() {
        let fault = |text: &str, overrides: &[&str]| load(text, overrides).unwrap_err().to_string();
        let misspelt = fault(&format!("{MINIMAL}[learning]\nlearning_rat = 0.1\n"), &[]);
        assert!(misspelt.contains("line 4") && misspelt.contains("learning_rat"), "{misspelt}");
        let shape = fault("rules = [\"kvasir\"]\nshape = \"b2c33\"\n", &[]);
        assert!(shape.contains("line 2") && shape.contains("b2c33"), "{shape}");
        let range = fault(&format!("{MINIMAL}[learning]\nbatch_size = 0\nvalue_share = 2.0\n"), &[]);
        assert!(range.contains("learning.batch_size = 0: expected 1 to 65536"), "{range}");
        assert!(range.contains("learning.value_share = 2"), "{range}");
        let search = fault(&format!("{MINIMAL}[search]\nmax_nodes = 0\n"), &[]);
        assert!(search.contains("search.max_nodes"), "{search}");
        let simulations = fault(MINIMAL, &["search.simulations=800"]);
        assert!(simulations.contains("search.simulations = 800") && simulations.contains("schedule.simulations"));
        let set = fault(MINIMAL, &["learning.batch_siz=3"]);
        assert!(set.contains("learning.batch_siz=3") && set.contains("unknown field"), "{set}");
        assert!(fault(MINIMAL, &["learning"]).contains("expected key=value"));
        let table = fault(MINIMAL, &["seed.x=1"]);
        assert!(table.contains("seed: invalid type: map, expected u64"), "{table}");
        let value = fault(&format!("seed = 3\n{MINIMAL}"), &["seed.x=1"]);
        assert!(value.contains("`seed` is a value, not a table"), "{value}");
    }

    #[test]
    fn what_is_shown_is_what_runs_in_few_lines() {
        let text = load(MINIMAL, &["schedule.games=7"]).unwrap().to_toml();
        let search = text.split_once("[search]").unwrap().1.split('[').next().unwrap();
        assert!(!search.contains("simulations ="), "the schedule's simulations count:\n{text}");
        assert!(
            text.contains("\nsimulations = [[0, 16], [20, 32], [50, 64]]\n") && text.contains("\ngames = 7\n"),
            "{text}"
        );
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

    #[test]
    fn simulations_follow_their_steps() {
        let schedule = ScheduleConfig { simulations: vec![(0, 8), (3, 16)], ..ScheduleConfig::default() };
        assert_eq!([0, 2, 3, 99].map(|g| schedule.simulations_at(g)), [8, 8, 16, 16]);
    }
}
