//! The net that a run begins with: the one that the config names, or an untrained one. The run keeps a copy, so it does
//! not need the original file, and its later nets can play against it.

use std::path::Path;
use std::sync::Arc;

use tablut_games::{RunFolder, load_net};
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};
use tablut_rules::Rules;

use crate::config::{Difference, TrainConfig};
use crate::train_error::TrainError;

/// The name of the copy in the run's folder and in the run's own config.
pub(crate) const START_COPY: &str = "start.safetensors";

/// The net that the config names, from its file.
pub(crate) fn load_start(config: &TrainConfig) -> Result<Option<Model>, TrainError> {
    config.start.as_deref().map(|path| load(path, config)).transpose()
}

fn load(path: &Path, config: &TrainConfig) -> Result<Model, TrainError> {
    let model = load_net(path)?;
    let found = model.weights.architecture();
    if found != config.shape {
        let (found, expected) = (found.to_string(), config.shape.to_string());
        return Err(TrainError::Shape { path: path.to_owned(), found, expected });
    }
    Ok(model)
}

/// Stores the net that a run begins with in its folder, also an untrained one. Returns an error if an existing run began
/// with a different net.
pub(crate) fn reconcile_start(
    folder: &Path,
    config: &TrainConfig,
    start: Option<&Model>,
    rules: &[Arc<Rules>],
) -> Result<(), TrainError> {
    let path = folder.join(START_COPY);
    match start {
        Some(model) if path.exists() => {
            let (before, after) = (Model::load(&path)?.weights.hash(), model.weights.hash());
            if before == after {
                return Ok(());
            }
            let difference = Difference { key: "the net in `start`".to_owned(), before, after, safe: false };
            Err(TrainError::ConfigChanged { path: folder.to_owned(), differences: vec![difference] })
        }
        // The run began without a net. The comparison of configs reports the change.
        Some(_) if RunFolder(folder).config().exists() => Ok(()),
        Some(model) => Ok(model.save(&path)?),
        None if path.exists() => Ok(()),
        None => {
            let rules = rules.iter().map(|rules| StatedRules::of(rules)).collect();
            let training = TrainingSummary { seed: config.seed, ..TrainingSummary::default() };
            Ok(Model { weights: config.initial_weights(), rules, training, card: None }.save(&path)?)
        }
    }
}

impl TrainConfig {
    /// The weights that a run begins with: those of the net that the config names, or an untrained net's.
    pub fn starting_weights(&self) -> Result<Weights, TrainError> {
        Ok(self.weights_of_start(load_start(self)?.as_ref()))
    }

    /// Like [`Self::starting_weights`], with the loaded net.
    pub(crate) fn weights_of_start(&self, start: Option<&Model>) -> Weights {
        start.map_or_else(|| self.initial_weights(), |model| model.weights.clone())
    }
}
