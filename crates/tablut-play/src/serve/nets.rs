//! The nets of a server: each read once, with an evaluator for every worker.

use crate::shipped::shipped_net;
use std::path::{Path, PathBuf};
use tablut_games::NetEvaluator;
use tablut_net::{Engine, Model, ModelFileError, ModelFileErrorKind, NetError};
use tablut_search::Evaluator;

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
    loaded: Vec<(String, Engine)>,
}

impl ServedNets {
    /// The nets of these files, or the one that is built in where there are none.
    pub fn load(files: &[PathBuf]) -> Result<Self, ServedNetError> {
        let mut models = Vec::new();
        for file in files {
            models.push((name(file), Model::load(file)?));
        }
        if models.is_empty() {
            let bytes = shipped_net().ok_or(ServedNetError::None)?;
            models.push(("built in".to_owned(), Model::from_bytes(bytes).map_err(ServedNetError::Shipped)?));
        }
        let engine = |(name, model): (String, Model)| match Engine::with_threads(&model.weights, 1) {
            Ok(engine) => Ok((name, engine)),
            Err(reason) => Err(ServedNetError::Engine { name, reason }),
        };
        Ok(Self { loaded: models.into_iter().map(engine).collect::<Result<_, _>>()? })
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.loaded.iter().map(|(name, _)| name.clone()).collect()
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

/// What a net is called: its file's name, without control characters.
fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    stem.chars().filter(|c| !c.is_control()).take(60).collect()
}
