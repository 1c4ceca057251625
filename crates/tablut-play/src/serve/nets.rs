//! The nets of a server: each read once, with an evaluator for every worker.

use crate::shipped::shipped_net;
use std::path::{Path, PathBuf};
use tablut_net::{Engine, Model, ModelFileError, ModelFileErrorKind, NetError, NetEvaluator, StatedRules};
use tablut_search::Evaluator;

/// Checkpoints that a slider shows.
const MAX_CHECKPOINTS: usize = 32;

/// Why a net cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServedNetError {
    /// Its file cannot be read.
    #[error(transparent)]
    File(#[from] ModelFileError),
    /// The built-in net is damaged.
    #[error("the built-in net: {0}")]
    Shipped(ModelFileErrorKind),
    /// A run's folder holds no checkpoints.
    #[error("{folder}: {reason}")]
    Run {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is no net at all.
    #[error("no net is built into this program: give a model file")]
    None,
    /// It cannot be run on this machine.
    #[error("{name}: {reason}")]
    Engine {
        /// The net's name.
        name: String,
        /// What is wrong.
        reason: NetError,
    },
}

/// Nets in memory.
pub struct ServedNets {
    /// The nets that play, then those of the checkpoints.
    loaded: Vec<(String, Engine)>,
    n_playing: usize,
    /// What there is to say about those that play.
    about: Vec<serde_json::Value>,
}

impl ServedNets {
    /// The nets of these files, or the one that is built in where there are none, and those of a run's checkpoints.
    pub fn load(files: &[PathBuf], run: Option<&Path>) -> Result<Self, ServedNetError> {
        let mut models = Vec::new();
        for file in files {
            models.push((name(file), Model::load(file)?));
        }
        if models.is_empty() {
            let bytes = shipped_net().ok_or(ServedNetError::None)?;
            models.push(("built in".to_owned(), Model::from_bytes(bytes).map_err(ServedNetError::Shipped)?));
        }
        let n_playing = models.len();
        let about = models.iter().map(|(name, model)| about(name, model)).collect();
        for file in run.map(checkpoints).transpose()?.unwrap_or_default() {
            models.push((name(&file), Model::load(&file)?));
        }
        let engine = |(name, model): (String, Model)| match Engine::with_threads(&model.weights, 1) {
            Ok(engine) => Ok((name, engine)),
            Err(reason) => Err(ServedNetError::Engine { name, reason }),
        };
        Ok(Self { loaded: models.into_iter().map(engine).collect::<Result<_, _>>()?, n_playing, about })
    }

    /// The names of the nets that play.
    pub fn names(&self) -> Vec<String> {
        self.loaded[..self.n_playing].iter().map(|(name, _)| name.clone()).collect()
    }

    /// What the nets that play are, one object each: name, architecture, specialists, rules, training, hash, and the card if there is one.
    pub fn about(&self) -> Vec<serde_json::Value> {
        self.about.clone()
    }

    /// The names of the checkpoints, the earliest first.
    pub fn checkpoint_names(&self) -> Vec<String> {
        self.loaded[self.n_playing..].iter().map(|(name, _)| name.clone()).collect()
    }

    /// One evaluator for each net, for one worker.
    pub fn evaluators(&self) -> Result<Vec<Box<dyn Evaluator>>, ServedNetError> {
        let share = |(name, engine): &(String, Engine)| match engine.share(1) {
            Ok(engine) => Ok(Box::new(NetEvaluator::new(Box::new(engine))) as Box<dyn Evaluator>),
            Err(reason) => Err(ServedNetError::Engine { name: name.clone(), reason }),
        };
        self.loaded.iter().map(share).collect()
    }
}

fn about(name: &str, model: &Model) -> serde_json::Value {
    let architecture = model.weights.architecture();
    serde_json::json!({
        "name": name,
        "shape": architecture.to_string(),
        "parameters": architecture.parameters(),
        "specialists": model.weights.specialists().collect::<Vec<_>>(),
        "rules": model.rules.iter().map(StatedRules::name).collect::<Vec<_>>(),
        "training": model.training,
        "hash": model.weights.hash(),
        "card": model.card,
    })
}

/// The model files of a run's folder, or of its folder of checkpoints, the earliest first. Where there are many, as many as a
/// slider shows, evenly spread; the first and the last are among them.
fn checkpoints(folder: &Path) -> Result<Vec<PathBuf>, ServedNetError> {
    let within = folder.join("checkpoints");
    let folder = if within.is_dir() { within } else { folder.to_owned() };
    let unread = |reason| ServedNetError::Run { folder: folder.clone(), reason };
    let entries = std::fs::read_dir(&folder).map_err(|error| unread(error.to_string()))?;
    let is_model = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("gen-") && name.ends_with(".safetensors") && !name.ends_with(".state.safetensors")
    };
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_model).collect();
    files.sort();
    if files.is_empty() {
        return Err(unread("no checkpoints there, expected files such as gen-00000.safetensors".to_owned()));
    }
    Ok(spread(files, MAX_CHECKPOINTS))
}

/// At most `most` of the items, evenly spread, the first and the last among them.
fn spread<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let n = items.len();
    if n <= most {
        return items;
    }
    let mut wanted = (0..most).map(|index| index * (n - 1) / (most - 1)).peekable();
    let keep = |(index, item): (usize, T)| wanted.next_if_eq(&index).map(|_| item);
    items.into_iter().enumerate().filter_map(keep).collect()
}

/// What a net is called: its file's name, without control characters.
fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    stem.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_spread_evenly_with_both_ends() {
        assert_eq!(spread((0..5).collect(), 8), [0, 1, 2, 3, 4]);
        assert_eq!(spread((0..9).collect(), 5), [0, 2, 4, 6, 8]);
        assert_eq!(spread((0..100).collect(), 4), [0, 33, 66, 99]);
    }

    #[test]
    fn a_folder_without_checkpoints_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("gen-00001.state.safetensors"), "").unwrap();
        let error = ServedNets::load(&[], Some(folder.path())).err().expect("there are none").to_string();
        assert!(error.contains("no checkpoints") && error.contains(folder.path().to_str().unwrap()), "{error}");
    }
}
