//! Checkpoints. Each generation has a model file that can play, and a training state from which the run continues.
//!
//! `gen-00012.safetensors` is an ordinary model file with the averaged weights. `gen-00012.state.safetensors` contains
//! weights, moments and average of every tensor, and counters in its metadata. It is written last, so a generation is
//! complete when its state exists.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tablut_net::{
    Architecture, Model, ModelFileError, ModelFileErrorKind as Kind, NetError, StatedRules, Tensor, TrainingSummary,
    container, durable,
};

use crate::learner::LearnerState;
use crate::optimizer::ParamState;

/// Version of the state's layout.
const STATE_VERSION: u32 = 2;
/// The number of latest states that are kept. All models are kept.
const STATES_KEPT: usize = 2;

/// Everything that the next generation starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The completed generation, from 0.
    pub generation: u64,
    /// Weights and optimiser.
    pub learner: LearnerState,
    /// Counts of the run so far.
    pub training: TrainingSummary,
}

/// The path of a generation's model.
pub fn model_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("gen-{generation:05}.safetensors"))
}

/// The path of a generation's training state.
pub fn state_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("gen-{generation:05}.state.safetensors"))
}

impl Checkpoint {
    /// The net that plays.
    pub fn model(&self, rules: &[StatedRules]) -> Model {
        Model {
            weights: self.learner.averaged_weights(),
            rules: rules.to_vec(),
            training: self.training.clone(),
            card: None,
        }
    }

    /// Writes model and state into `folder`, the state last, and removes states that are no longer needed.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn save(&self, folder: &Path, rules: &[StatedRules]) -> Result<(), ModelFileError> {
        self.model(rules).save(&model_path(folder, self.generation))?;
        let path = state_path(folder, self.generation);
        let write = || Ok(durable::write(&path, &self.state_bytes()?)?);
        write().map_err(|kind| ModelFileError { path: path.clone(), kind })?;
        remove_old_states(folder, self.generation);
        Ok(())
    }

    /// The latest checkpoint in `folder`, or `None` if there is none yet.
    ///
    /// # Errors
    /// Returns an error if the folder or the state cannot be read, or the state is damaged.
    pub fn latest(folder: &Path) -> Result<Option<Self>, ModelFileError> {
        let states = states(folder).map_err(|error| ModelFileError { path: folder.to_owned(), kind: error.into() })?;
        let Some(&latest) = states.last() else { return Ok(None) };
        Self::load(folder, latest).map(Some)
    }

    /// The checkpoint of `generation`.
    ///
    /// # Errors
    /// Returns an error if the state cannot be read or is damaged.
    pub fn load(folder: &Path, generation: u64) -> Result<Self, ModelFileError> {
        let path = state_path(folder, generation);
        let read = || Self::from_state_bytes(generation, &fs::read(&path)?);
        read().map_err(|kind| ModelFileError { path: path.clone(), kind })
    }

    /// The bytes of the state.
    ///
    /// # Errors
    /// Returns an error if a tensor does not have its dimensions.
    pub fn state_bytes(&self) -> Result<Vec<u8>, Kind> {
        let training = serde_json::to_string(&self.training).map_err(|error| Kind::Format(error.to_string()))?;
        let metadata = BTreeMap::from([
            ("format", STATE_VERSION.to_string()),
            ("architecture", self.learner.architecture.to_json()),
            ("steps", self.learner.steps.to_string()),
            ("hash", state_hash(&self.learner, &training)),
            ("training", training),
        ]);
        let mut tensors = BTreeMap::new();
        for param in &self.learner.params {
            for (part, values) in parts(param) {
                let tensor = Tensor::from_shape_vec(param.dims.clone(), values.clone());
                let tensor = tensor.map_err(|error| Kind::Format(error.to_string()))?;
                tensors.insert(format!("{}#{part}", param.name), tensor);
            }
        }
        container::serialize(&metadata, tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)))
    }

    /// Reads the bytes of a state.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a state of this version, a tensor is missing or has other dimensions, or
    /// the hash differs.
    pub fn from_state_bytes(generation: u64, bytes: &[u8]) -> Result<Self, Kind> {
        let (metadata, mut tensors) = container::deserialize(bytes)?;
        let value = |key: &'static str| metadata.get(key).map(String::as_str).ok_or(Kind::MissingKey(key));
        let bad = |key: &'static str, reason: String| Kind::BadKey { key, reason };
        let found = value("format")?;
        if found != STATE_VERSION.to_string() {
            return Err(Kind::Version { what: "format", found: found.to_owned(), expected: STATE_VERSION });
        }
        let architecture = Architecture::from_json(value("architecture")?)?;
        let steps = value("steps")?.parse().map_err(|error| bad("steps", format!("{error}")))?;
        let training_text = value("training")?;
        let training = serde_json::from_str(training_text).map_err(|error| bad("training", error.to_string()))?;
        let mut params = Vec::new();
        for tablut_net::Parameter { name, dims, .. } in architecture.tensors() {
            let mut take = |part: &str| -> Result<Vec<f32>, NetError> {
                let name = format!("{name}#{part}");
                let tensor = tensors.remove(&name).ok_or_else(|| NetError::MissingTensor(name.clone()))?;
                if tensor.shape() == dims {
                    return Ok(tensor.iter().copied().collect());
                }
                Err(NetError::Dimensions { name, found: tensor.shape().to_vec(), expected: dims.clone() })
            };
            params.push(ParamState {
                weights: take("weights")?,
                momentum: take("momentum")?,
                square: take("square")?,
                average: take("average")?,
                name,
                dims,
            });
        }
        let learner = LearnerState { architecture, params, steps };
        let (found, expected) = (state_hash(&learner, training_text), value("hash")?.to_owned());
        if found != expected {
            return Err(Kind::Hash { found, expected });
        }
        Ok(Self { generation, learner, training })
    }
}

/// The generations whose states are in `folder`, in increasing order. Empty if the folder does not exist.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn states(folder: &Path) -> std::io::Result<Vec<u64>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut generations = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let number = |name: &str| name.strip_prefix("gen-")?.strip_suffix(".state.safetensors")?.parse::<u64>().ok();
        let generation = name.to_str().and_then(number);
        // Names that this program does not write, such as `gen-7.state.safetensors`, are ignored.
        generations.extend(
            generation.filter(|&n| n < u64::MAX && state_path(folder, n).file_name() == Some(name.as_os_str())),
        );
    }
    generations.sort_unstable();
    Ok(generations)
}

/// Removes states that are no longer needed after `generation`. There may be several if the process was killed before
/// it removed the oldest. A state that cannot be removed does no harm.
pub(crate) fn remove_old_states(folder: &Path, generation: u64) {
    for old in states(folder).unwrap_or_default() {
        if old + (STATES_KEPT as u64) <= generation {
            let _ = fs::remove_file(state_path(folder, old));
        }
    }
}

fn parts(param: &ParamState) -> [(&'static str, &Vec<f32>); 4] {
    [("weights", &param.weights), ("momentum", &param.momentum), ("square", &param.square), ("average", &param.average)]
}

/// BLAKE3 of all numbers of the state and of the summary's text.
fn state_hash(learner: &LearnerState, training: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(training.as_bytes());
    hasher.update(&learner.steps.to_le_bytes());
    for (_, data) in learner.params.iter().flat_map(parts) {
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
        let mut learner = LearnerState::new(&Weights::initial(&"lines32x1".parse().unwrap(), 5));
        learner.steps = 41;
        learner.params[0].momentum[3] = 0.25;
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
    fn states_that_a_kill_has_left_are_removed_and_strangers_stay() {
        let folder = tempfile::tempdir().unwrap();
        let strangers = ["gen-7.state.safetensors", "gen-18446744073709551615.state.safetensors", "notes.txt"];
        for name in strangers {
            fs::write(folder.path().join(name), "mine").unwrap();
        }
        for generation in 0..2 {
            checkpoint(generation).save(folder.path(), &[]).unwrap();
        }
        // The state of the folder after a kill between two steps of `save`.
        let whole = fs::read(state_path(folder.path(), 1)).unwrap();
        fs::write(state_path(folder.path(), 2), &whole).unwrap();
        assert_eq!(states(folder.path()).unwrap(), [0, 1, 2]);
        remove_old_states(folder.path(), 2);
        assert_eq!(states(folder.path()).unwrap(), [1, 2]);
        checkpoint(4).save(folder.path(), &[]).unwrap();
        assert_eq!(states(folder.path()).unwrap(), [4]);
        assert!(strangers.iter().all(|name| folder.path().join(name).exists()));
    }

    #[test]
    fn every_truncation_and_flipped_bit_is_refused() {
        let bytes = checkpoint(3).state_bytes().unwrap();
        assert_eq!(Checkpoint::from_state_bytes(3, &bytes).unwrap(), checkpoint(3));
        for length in (0..bytes.len()).step_by(4001).chain([bytes.len() - 1]) {
            assert!(Checkpoint::from_state_bytes(3, &bytes[..length]).is_err(), "{length} bytes were read as a state");
        }
        let header_len = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        for at in (0..header_len).step_by(61).chain((header_len..bytes.len()).step_by(2503)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 2;
            match Checkpoint::from_state_bytes(3, &damaged) {
                Err(_) => {}
                // A flipped bit in a blank of the header, for example in a list, has no effect.
                Ok(read) => {
                    assert!(at < header_len && read == checkpoint(3), "a flipped bit in byte {at} went unnoticed");
                }
            }
        }
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
