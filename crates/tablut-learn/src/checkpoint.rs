//! Checkpoints: after each generation a model file that plays, and the learner's state that goes on.
//!
//! `gen-00012.safetensors` is an ordinary model file with the averaged weights. `gen-00012.state.safetensors` holds
//! weights, moments and average of every tensor, and counters in its metadata; it is written last, so a generation
//! counts as done when its state is there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tablut_net::{
    Model, ModelFileError, ModelFileErrorKind as Kind, NetShape, Tensor, TrainingSummary, container, durable,
};

use crate::learner::LearnerState;
use crate::optimizer::Slot;

/// Version of the state's layout.
const STATE_VERSION: u32 = 1;
/// States kept, the latest ones; models are all kept.
const STATES_KEPT: usize = 2;

/// Everything that the next generation starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The generation that is done, from 0.
    pub generation: u64,
    /// Weights and optimiser.
    pub learner: LearnerState,
    /// Counts of the run so far.
    pub training: TrainingSummary,
}

/// Where the model of a generation lies.
pub fn model_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("gen-{generation:05}.safetensors"))
}

/// Where the learner's state of a generation lies.
pub fn state_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("gen-{generation:05}.state.safetensors"))
}

impl Checkpoint {
    /// The net that plays.
    pub fn model(&self, rules: &[String]) -> Model {
        Model { weights: self.learner.averaged_weights(), rules: rules.to_vec(), training: self.training.clone() }
    }

    /// Writes model and state into `folder`, the state last, and removes states that are no longer needed.
    pub fn save(&self, folder: &Path, rules: &[String]) -> Result<(), ModelFileError> {
        self.model(rules).save(&model_path(folder, self.generation))?;
        let path = state_path(folder, self.generation);
        let write = || Ok(durable::write(&path, &self.state_bytes()?)?);
        write().map_err(|kind| ModelFileError { path: path.clone(), kind })?;
        if let Some(old) = self.generation.checked_sub(STATES_KEPT as u64) {
            // A state that cannot be removed does no harm.
            let _ = fs::remove_file(state_path(folder, old));
        }
        Ok(())
    }

    /// The latest checkpoint in `folder`; `None` when there is none yet.
    pub fn latest(folder: &Path) -> Result<Option<Self>, ModelFileError> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ModelFileError { path: folder.to_owned(), kind: error.into() }),
        };
        let names = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
        let generation = |name: String| name.strip_prefix("gen-")?.strip_suffix(".state.safetensors")?.parse().ok();
        let Some(latest) = names.filter_map(generation).max() else { return Ok(None) };
        Self::load(folder, latest).map(Some)
    }

    /// The checkpoint of `generation`.
    pub fn load(folder: &Path, generation: u64) -> Result<Self, ModelFileError> {
        let path = state_path(folder, generation);
        let read = || Self::from_state_bytes(generation, &fs::read(&path)?);
        read().map_err(|kind| ModelFileError { path: path.clone(), kind })
    }

    fn state_bytes(&self) -> Result<Vec<u8>, Kind> {
        let training = serde_json::to_string(&self.training).map_err(|error| Kind::Format(error.to_string()))?;
        let metadata = BTreeMap::from([
            ("format", STATE_VERSION.to_string()),
            ("shape", self.learner.shape.to_string()),
            ("steps", self.learner.steps.to_string()),
            ("hash", state_hash(&self.learner, &training)),
            ("training", training),
        ]);
        let mut tensors = BTreeMap::new();
        for (spec, slot) in self.learner.shape.tensors().into_iter().zip(&self.learner.slots) {
            for (part, data) in parts(slot) {
                tensors.insert(format!("{}#{part}", spec.name), Tensor { dims: spec.dims.clone(), data: data.clone() });
            }
        }
        container::serialize(&metadata, tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)))
    }

    fn from_state_bytes(generation: u64, bytes: &[u8]) -> Result<Self, Kind> {
        let (metadata, mut tensors) = container::deserialize(bytes)?;
        let value = |key: &'static str| metadata.get(key).map(String::as_str).ok_or(Kind::MissingKey(key));
        let bad = |key: &'static str, reason: String| Kind::BadKey { key, reason };
        let found = value("format")?;
        if found != STATE_VERSION.to_string() {
            return Err(Kind::Version { what: "format", found: found.to_owned(), expected: STATE_VERSION });
        }
        let shape: NetShape = value("shape")?.parse()?;
        let steps = value("steps")?.parse().map_err(|error| bad("steps", format!("{error}")))?;
        let training_text = value("training")?;
        let training = serde_json::from_str(training_text).map_err(|error| bad("training", error.to_string()))?;
        let mut slots = Vec::new();
        for spec in shape.tensors() {
            let mut take = |part: &str| {
                let name = format!("{}#{part}", spec.name);
                let tensor = tensors.remove(&name).ok_or_else(|| tablut_net::NetError::MissingTensor(name.clone()))?;
                if tensor.dims == spec.dims {
                    return Ok(tensor.data);
                }
                Err(tablut_net::NetError::Dimensions { name, found: tensor.dims, expected: spec.dims.clone() })
            };
            slots.push(Slot {
                weights: take("weights")?,
                momentum: take("momentum")?,
                square: take("square")?,
                average: take("average")?,
                decays: spec.fan_in > 0,
            });
        }
        let learner = LearnerState { shape, slots, steps };
        let (found, expected) = (state_hash(&learner, training_text), value("hash")?.to_owned());
        if found != expected {
            return Err(Kind::Hash { found, expected });
        }
        Ok(Self { generation, learner, training })
    }
}

fn parts(slot: &Slot) -> [(&'static str, &Vec<f32>); 4] {
    [("weights", &slot.weights), ("momentum", &slot.momentum), ("square", &slot.square), ("average", &slot.average)]
}

/// BLAKE3 of all numbers of the state and of the summary's text.
fn state_hash(learner: &LearnerState, training: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(training.as_bytes());
    hasher.update(&learner.steps.to_le_bytes());
    for (_, data) in learner.slots.iter().flat_map(parts) {
        for value in data {
            hasher.update(&value.to_le_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_net::Weights;

    fn checkpoint(generation: u64) -> Checkpoint {
        let mut learner = LearnerState::new(&Weights::initial(NetShape::new(2, 16).unwrap(), 5));
        learner.steps = 41;
        learner.slots[0].momentum[3] = 0.25;
        Checkpoint { generation, learner, training: TrainingSummary { games: 9, ..TrainingSummary::default() } }
    }

    #[test]
    fn the_latest_checkpoint_comes_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Checkpoint::latest(folder.path()).unwrap(), None);
        for generation in 0..4 {
            checkpoint(generation).save(folder.path(), &[]).unwrap();
        }
        assert_eq!(Checkpoint::latest(folder.path()).unwrap(), Some(checkpoint(3)));
        assert!(!state_path(folder.path(), 1).exists());
        assert!(model_path(folder.path(), 0).exists());
    }

    #[test]
    fn a_damaged_state_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        checkpoint(0).save(folder.path(), &[]).unwrap();
        let path = state_path(folder.path(), 0);
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 4;
        fs::write(&path, &bytes).unwrap();
        let error = Checkpoint::latest(folder.path()).unwrap_err().to_string();
        assert!(error.contains("gen-00000.state") && error.contains("damaged"), "{error}");
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Checkpoint::latest(folder.path()).is_err());
    }
}
