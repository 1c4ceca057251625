//! Checkpoints. Each generation has a model file that can play, and a training state from which the run continues.
//!
//! `gen-00012.safetensors` is an ordinary model file with the averaged weights. `gen-00012.state.safetensors` contains
//! weights, moments and average of every tensor, and counters in its metadata. It is written last, so a generation is
//! complete when its state exists.

use std::collections::BTreeMap;
use std::fs;

use tablut_games::{GenerationFile, RunFolder};
use tablut_net::{
    Architecture, Model, ModelFileError, ModelFileErrorKind as Kind, NetError, StatedRules, Tensor, TrainingSummary,
    container, durable,
};

use crate::learner::LearnerState;
use crate::optimizer::ParamState;

const STATE_VERSION: u32 = 2;
/// The number of latest states that are kept. All models are kept.
const STATES_KEPT: usize = 2;

/// Everything that the next generation starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The completed generation, from 0.
    pub generation: u64,
    pub learner: LearnerState,
    /// Counts of the run so far.
    pub training: TrainingSummary,
}

impl Checkpoint {
    pub fn model(&self, rules: &[StatedRules]) -> Model {
        Model {
            weights: self.learner.averaged_weights(),
            rules: rules.to_vec(),
            training: self.training.clone(),
            card: None,
        }
    }

    /// Writes model and state, the state last, and removes states that are no longer needed.
    pub fn save(&self, run: RunFolder<'_>, rules: &[StatedRules]) -> Result<(), ModelFileError> {
        self.model(rules).save(&run.file(GenerationFile::Model, self.generation))?;
        let path = run.file(GenerationFile::State, self.generation);
        let write = || Ok(durable::write(&path, &self.state_bytes()?)?);
        write().map_err(|kind| ModelFileError { path: path.clone(), kind })?;
        remove_old_states(run, self.generation);
        Ok(())
    }

    /// The checkpoint of `generation`.
    pub fn load(run: RunFolder<'_>, generation: u64) -> Result<Self, ModelFileError> {
        let path = run.file(GenerationFile::State, generation);
        let read = || Self::from_state_bytes(generation, &fs::read(&path)?);
        read().map_err(|kind| ModelFileError { path: path.clone(), kind })
    }

    /// The bytes of the state.
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

/// Removes states that are no longer needed after `generation`. There may be several if the process was killed before
/// it removed the oldest. A state that cannot be removed does no harm.
pub(crate) fn remove_old_states(run: RunFolder<'_>, generation: u64) {
    for (old, path) in run.files(GenerationFile::State).unwrap_or_default() {
        if old + (STATES_KEPT as u64) <= generation {
            let _ = fs::remove_file(path);
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
    fn a_checkpoint_comes_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder(folder.path());
        for generation in 0..4 {
            checkpoint(generation).save(run, &[]).unwrap();
        }
        assert_eq!(Checkpoint::load(run, 3).unwrap(), checkpoint(3));
        assert!(!run.file(GenerationFile::State, 1).exists());
        assert!(run.file(GenerationFile::Model, 0).exists());
    }

    #[test]
    fn states_that_a_kill_has_left_are_removed_and_strangers_stay() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder(folder.path());
        let checkpoints = folder.path().join("checkpoints");
        fs::create_dir(&checkpoints).unwrap();
        let strangers = ["gen-7.state.safetensors", "gen-18446744073709551615.state.safetensors", "notes.txt"];
        for name in strangers {
            fs::write(checkpoints.join(name), "mine").unwrap();
        }
        for generation in 0..2 {
            checkpoint(generation).save(run, &[]).unwrap();
        }
        // The state of the folder after a kill between two steps of `save`.
        let whole = fs::read(run.file(GenerationFile::State, 1)).unwrap();
        fs::write(run.file(GenerationFile::State, 2), &whole).unwrap();
        let states = || run.files(GenerationFile::State).unwrap().into_keys().collect::<Vec<_>>();
        assert_eq!(states(), [0, 1, 2]);
        remove_old_states(run, 2);
        assert_eq!(states(), [1, 2]);
        checkpoint(4).save(run, &[]).unwrap();
        assert_eq!(states(), [4]);
        assert!(strangers.iter().all(|name| checkpoints.join(name).exists()));
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
        let run = RunFolder(folder.path());
        checkpoint(0).save(run, &[]).unwrap();
        let path = run.file(GenerationFile::State, 0);
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 4;
        fs::write(&path, &bytes).unwrap();
        let error = Checkpoint::load(run, 0).unwrap_err().to_string();
        assert!(error.contains("gen-00000.state") && error.contains("damaged"), "{error}");
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Checkpoint::load(run, 0).is_err());
    }
}
