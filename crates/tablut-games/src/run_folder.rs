//! A run's folder: the names of its files, the generations that have them, and what is in them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tablut_rules::{RuleSet, RuleSetError};

/// The folder of a run, which need not exist yet. `docs/formats.md` describes the files.
#[derive(Copy, Clone, Debug)]
pub struct RunFolder<'a>(pub &'a Path);

/// A file that a run has for each generation.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum GenerationFile {
    /// The games of self-play.
    Games,
    /// The net after the generation.
    Model,
    /// The state of training after the generation.
    State,
}

/// A run's folder or a file in it cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RunFolderError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{0}: no run of `tablut train`: expected config.toml in the folder")]
    NoRun(PathBuf),
    #[error("{0}: expected a model file, or the folder of a run with a finished generation")]
    NoNet(PathBuf),
    #[error(
        "{path}, line {line}: {reason}; expected the metrics of one generation as a JSON object. Repair or remove the \
         line; the run can continue without it"
    )]
    Metrics { path: PathBuf, line: usize, reason: String },
    #[error(transparent)]
    Rules(#[from] RuleSetError),
}

impl RunFolderError {
    /// Adds the path of a file or folder to the system's reason.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, error }
    }
}

impl GenerationFile {
    /// The folder in the run's folder, and the ending of the names.
    const fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Games => ("games", ".games"),
            Self::Model => ("checkpoints", ".safetensors"),
            Self::State => ("checkpoints", ".state.safetensors"),
        }
    }

    /// The files of this kind in `folder`, by generation. There are none if the folder does not exist. Names that this
    /// program does not write, such as `gen-7.games`, are ignored.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn list(self, folder: &Path) -> Result<BTreeMap<u64, PathBuf>, RunFolderError> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
            entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(RunFolderError::io(folder))?,
        };
        let (_, ending) = self.place();
        let generation = |name: &str| {
            let generation = name.strip_prefix("gen-")?.strip_suffix(ending)?.parse().ok()?;
            (generation < u64::MAX && name == file_name(generation, ending)).then_some(generation)
        };
        let found =
            entries.into_iter().filter_map(|entry| Some((generation(entry.file_name().to_str()?)?, entry.path())));
        Ok(found.collect())
    }
}

fn file_name(generation: u64, ending: &str) -> String {
    format!("gen-{generation:05}{ending}")
}

impl RunFolder<'_> {
    /// The config with all its values.
    pub fn config(self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// The metrics of all generations.
    pub fn metrics(self) -> PathBuf {
        self.0.join("metrics.jsonl")
    }

    /// The rule sets in full.
    pub fn rules(self) -> PathBuf {
        self.0.join("rules.toml")
    }

    /// The matches of the last net.
    pub fn evaluation(self) -> PathBuf {
        self.0.join("evaluation.json")
    }

    /// A generation's file of this kind.
    pub fn file(self, kind: GenerationFile, generation: u64) -> PathBuf {
        let (folder, ending) = kind.place();
        self.0.join(folder).join(file_name(generation, ending))
    }

    /// All files of this kind, by generation.
    ///
    /// # Errors
    /// Returns an error if the files cannot be listed.
    pub fn files(self, kind: GenerationFile) -> Result<BTreeMap<u64, PathBuf>, RunFolderError> {
        kind.list(&self.0.join(kind.place().0))
    }

    /// The model file of the last complete generation.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or contains no complete generation.
    pub fn newest_net(self) -> Result<PathBuf, RunFolderError> {
        let states = self.files(GenerationFile::State)?;
        let (&generation, _) = states.last_key_value().ok_or_else(|| RunFolderError::NoNet(self.0.to_owned()))?;
        Ok(self.file(GenerationFile::Model, generation))
    }

    /// The rule sets that the run was started with, by name, or none if it has not started.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or a rule set is not valid.
    pub fn read_rules(self) -> Result<BTreeMap<String, RuleSet>, RunFolderError> {
        let path = self.rules();
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
            text => text.map_err(RunFolderError::io(&path))?,
        };
        let malformed = |error: toml::de::Error| RuleSetError::Malformed {
            origin: path.display().to_string(),
            reason: error.to_string(),
        };
        let sets: BTreeMap<String, RuleSet> = toml::from_str(&text).map_err(malformed)?;
        sets.values().try_for_each(RuleSet::check)?;
        Ok(sets)
    }
}

/// The values of a config by dotted key, as TOML.
pub fn dotted_keys(config: toml::Table) -> BTreeMap<String, String> {
    fn flatten(prefix: &str, value: toml::Value, leaves: &mut BTreeMap<String, String>) {
        let text = match value {
            toml::Value::Table(table) => {
                let dot = if prefix.is_empty() { "" } else { "." };
                table.into_iter().for_each(|(key, value)| flatten(&format!("{prefix}{dot}{key}"), value, leaves));
                return;
            }
            // Settings are single precision. As a double, 0.002 would be 0.0020000000949949026.
            toml::Value::Float(number) => format!("{:?}", number as f32),
            leaf => leaf.to_string(),
        };
        leaves.insert(prefix.to_owned(), text);
    }
    let mut leaves = BTreeMap::new();
    flatten("", toml::Value::Table(config), &mut leaves);
    leaves
}
