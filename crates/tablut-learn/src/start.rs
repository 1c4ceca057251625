//! The net that a run begins with, if the config names one. The run keeps a copy, so it does not need the original
//! file.

use std::path::Path;

use tablut_games::RunFolder;
use tablut_net::{Model, Weights};

use crate::config::{Difference, TrainConfig};
use crate::train_error::TrainError;

/// The name of the copy in the run's folder and in the run's own config.
pub(crate) const START_COPY: &str = "start.safetensors";

/// The net that the config names, from its file.
pub(crate) fn load_start(config: &TrainConfig) -> Result<Option<Model>, TrainError> {
    config.start.as_deref().map(|path| load(path, config)).transpose()
}

fn load(path: &Path, config: &TrainConfig) -> Result<Model, TrainError> {
    let model = Model::load(path)?;
    let found = model.weights.architecture();
    if found != config.shape {
        let (found, expected) = (found.to_string(), config.shape.to_string());
        return Err(TrainError::Shape { path: path.to_owned(), found, expected });
    }
    Ok(model)
}

/// Stores the net in the folder of a new run. Returns an error if an existing run began with a different net.
pub(crate) fn reconcile_start(folder: &Path, start: Option<&Model>) -> Result<(), TrainError> {
    let Some(model) = start else { return Ok(()) };
    let path = folder.join(START_COPY);
    if !RunFolder(folder).config().exists() {
        return Ok(model.save(&path)?);
    }
    if !path.exists() {
        // The run began without a net. The comparison of configs reports the change.
        return Ok(());
    }
    let (before, after) = (Model::load(&path)?.weights.hash(), model.weights.hash());
    if before == after {
        return Ok(());
    }
    let difference = Difference { key: "the net in `start`".to_owned(), before, after, safe: false };
    Err(TrainError::ConfigChanged { path: folder.to_owned(), differences: vec![difference] })
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
