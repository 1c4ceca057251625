//! The model file: one safetensors file with everything that is needed to play.
//!
//! Metadata keys:
//!
//! - `format`: the version of this layout
//! - `encoding`: the version of planes, features and policy index
//! - `architecture`: an [`Architecture`] as JSON
//! - `shape`: its short name, for readers of the file
//! - `rules`: names of the rule sets that the net was trained on, a JSON array
//! - `rule_sets`: the same rule sets in full, a JSON array of [`StatedRules`]
//! - `training`: a [`TrainingSummary`] as JSON
//! - `hash`: BLAKE3 of the weights
//! - `card`: a [`Card`] as JSON, if the file has one
//!
//! Tensors are f32 with the names of [`Architecture::tensors`].

pub mod container;
mod first_encoding;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tablut_rules::{json_fault, read_at_most};

use crate::architecture::Architecture;
use crate::card::Card;
use crate::durable;
use crate::encoding::ENCODING_VERSION;
use crate::error::{ModelFileError, ModelFileErrorKind as Kind};
use crate::stated_rules::StatedRules;
use crate::weights::{self, Weights};

/// Version of the file's layout.
pub const FORMAT_VERSION: u32 = 1;

/// The maximum size of a model file in bytes. The largest nets have a few megabytes.
pub const MAX_MODEL_BYTES: u64 = 256 << 20;

/// The largest number of simulations per move in a model file.
pub const MAX_PLAY_SIMULATIONS: u32 = 1_000_000;

/// A net with information about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The weights, with their architecture.
    pub weights: Weights,
    /// The rule sets that it was trained on.
    pub rules: Vec<StatedRules>,
    /// How it was trained.
    pub training: TrainingSummary,
    /// The model card, if the file has one.
    pub card: Option<Card>,
}

/// Information about a model's training. Every count is for the whole run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingSummary {
    /// Generations of self-play and training.
    pub generations: u64,
    /// Self-play games.
    pub games: u64,
    /// Positions played in them.
    pub positions: u64,
    /// Evaluations by the net in self-play.
    pub evaluations: u64,
    /// Optimiser steps.
    pub steps: u64,
    /// Simulations per move that play commands use by default, up to [`MAX_PLAY_SIMULATIONS`]. It is 0 if unknown.
    pub play_simulations: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Hash of the net that the run started from. Its own training is not in these counts. `None` for an untrained net.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The run's config as TOML, without threads and device. It is empty if the net does not come from a run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub config: String,
}

impl Model {
    /// Reads and checks a model file.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or is not a model file of this version.
    pub fn load(path: &Path) -> Result<Self, ModelFileError> {
        let read = || Self::from_bytes(&read_at_most(fs::File::open(path)?, MAX_MODEL_BYTES)?);
        read().map_err(|kind| ModelFileError { path: path.to_owned(), kind })
    }

    /// Writes a model file completely or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), ModelFileError> {
        let write = || Ok(durable::write(path, &self.to_bytes()?)?);
        write().map_err(|kind| ModelFileError { path: path.to_owned(), kind })
    }

    /// The file's bytes. Equal models have equal bytes.
    ///
    /// # Errors
    /// If a part of the model cannot be written as JSON or safetensors.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Kind> {
        let json = |value: serde_json::Result<String>| value.map_err(|error| Kind::Format(error.to_string()));
        let mut metadata = BTreeMap::from([
            ("format", FORMAT_VERSION.to_string()),
            ("encoding", ENCODING_VERSION.to_string()),
            ("architecture", self.weights.architecture().to_json()),
            ("shape", self.weights.architecture().to_string()),
            ("rules", json(serde_json::to_string(&names(&self.rules)))?),
            ("rule_sets", json(serde_json::to_string(&self.rules))?),
            ("training", json(serde_json::to_string(&self.training))?),
            ("hash", self.weights.hash()),
        ]);
        if let Some(card) = &self.card {
            metadata.insert("card", json(serde_json::to_string(card))?);
        }
        container::serialize(&metadata, self.weights.iter())
    }

    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// If the bytes are damaged or are not a model file of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Kind> {
        let (metadata, mut tensors) = container::deserialize(bytes)?;
        if !metadata.contains_key("encoding") && metadata.contains_key("steps") {
            return Err(Kind::OtherKind("a learner's state; the model beside it has the same name without `.state`"));
        }
        let version = |key, what, expected: u32| {
            let found = lookup(&metadata, key)?;
            if found == expected.to_string() {
                return Ok(());
            }
            Err(Kind::Version { what, found: found.to_owned(), expected })
        };
        version("format", "format", FORMAT_VERSION)?;
        let first = lookup(&metadata, "encoding")? == "1";
        if !first {
            version("encoding", "encoding", ENCODING_VERSION)?;
        }
        let architecture = Architecture::from_json(lookup(&metadata, "architecture")?)?;
        let (found, expected) = (weights::hash(&tensors), lookup(&metadata, "hash")?.to_owned());
        if found != expected {
            return Err(Kind::Hash { found, expected });
        }
        if first {
            first_encoding::convert(&mut tensors);
        }
        let weights = Weights::new(architecture, tensors)?;
        let training: TrainingSummary = from_json(&metadata, "training")?;
        let simulations = training.play_simulations;
        if simulations > MAX_PLAY_SIMULATIONS {
            let reason = format!("play_simulations is {simulations}, expected 0 to {MAX_PLAY_SIMULATIONS}");
            return Err(Kind::BadKey { key: "training", reason });
        }
        let card = metadata.get("card").map(|json| Card::from_json(json)).transpose();
        let card = card.map_err(|reason| Kind::BadKey { key: "card", reason })?;
        Ok(Self { weights, rules: stated_rules(&metadata)?, training, card })
    }
}

/// The rule sets. Their names must be those that `rules` lists.
fn stated_rules(metadata: &HashMap<String, String>) -> Result<Vec<StatedRules>, Kind> {
    let named: Vec<String> = from_json(metadata, "rules")?;
    let rules: Vec<StatedRules> = from_json(metadata, "rule_sets")?;
    if names(&rules) == named {
        return Ok(rules);
    }
    let reason = format!("it holds {}, but `rules` lists {}", names(&rules).join(", "), named.join(", "));
    Err(Kind::BadKey { key: "rule_sets", reason })
}

fn names(rules: &[StatedRules]) -> Vec<&str> {
    rules.iter().map(StatedRules::name).collect()
}

fn lookup<'a>(metadata: &'a HashMap<String, String>, key: &'static str) -> Result<&'a str, Kind> {
    metadata.get(key).map(String::as_str).ok_or(Kind::MissingKey(key))
}

fn from_json<T: for<'de> Deserialize<'de>>(metadata: &HashMap<String, String>, key: &'static str) -> Result<T, Kind> {
    serde_json::from_str(lookup(metadata, key)?).map_err(|error| Kind::BadKey { key, reason: json_fault(&error) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CardInterval, CardScore};

    fn model() -> Model {
        Model {
            weights: Weights::initial(&"lines32x1".parse().unwrap(), 3),
            rules: vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())],
            training: TrainingSummary { games: 12, ..TrainingSummary::default() },
            card: None,
        }
    }

    #[test]
    fn a_model_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.safetensors");
        model().save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model());
        assert_eq!(fs::read(&path).unwrap(), model().to_bytes().unwrap());
    }

    #[test]
    fn a_card_comes_back_and_changes_no_hash() {
        let interval = CardInterval { mean: 0.75, low: 0.6, high: 0.9 };
        let score = CardScore {
            rules: "kvasir".to_owned(),
            play: "128".to_owned(),
            opponent: "alphabeta:2".to_owned(),
            games: 60,
            score: interval,
            as_attackers: interval,
            as_defenders: interval,
            elo: None,
        };
        let card = Card { about: "A net\nfor tests".to_owned(), scores: vec![score], ..Card::default() };
        let with_card = Model { card: Some(card), ..model() };
        assert_eq!(Model::from_bytes(&with_card.to_bytes().unwrap()).unwrap(), with_card);
        assert_eq!(with_card.weights.hash(), model().weights.hash());
        let strange = Card { licence: "\u{1b}[31m".to_owned(), ..Card::default() };
        let error = Model::from_bytes(&Model { card: Some(strange), ..model() }.to_bytes().unwrap()).unwrap_err();
        assert!(error.to_string().contains("control characters"), "{error}");
        let long = Card { config: "x".repeat(70_000), ..Card::default() };
        let error = Model::from_bytes(&Model { card: Some(long), ..model() }.to_bytes().unwrap()).unwrap_err();
        assert!(error.to_string().contains("expected at most 65536"), "{error}");
        let unknown = with_metadata(&[("card", Some("{\"price\":3}"))]).unwrap_err().to_string();
        assert!(unknown.contains("`card`") && unknown.contains("price"), "{unknown}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Model::load(Path::new("no/such.safetensors")).unwrap_err().to_string();
        assert!(error.contains("no/such.safetensors") && error.contains("No such file"), "{error}");
    }

    /// The bytes of a model file with other metadata.
    fn with_metadata(changes: &[(&str, Option<&str>)]) -> Result<Model, Kind> {
        let (metadata, _) = container::deserialize(&model().to_bytes().unwrap()).unwrap();
        let mut metadata: BTreeMap<&str, String> = metadata.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
        for &(key, value) in changes {
            match value {
                Some(value) => metadata.insert(key, value.to_owned()),
                None => metadata.remove(key),
            };
        }
        Model::from_bytes(&container::serialize(&metadata, model().weights.iter()).unwrap())
    }

    #[test]
    fn rules_come_back_in_full() {
        let slow = tablut_rules::RuleSet::from_toml("base = \"kvasir\"\nname = \"slow\"\n[king]\nreach = 2").unwrap();
        let rules = vec![StatedRules::of(&tablut_rules::Rules::new(slow).unwrap())];
        let model = Model { rules, ..model() };
        assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
        for key in ["architecture", "rule_sets"] {
            let error = with_metadata(&[(key, None)]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{key}` is missing")), "{error}");
        }
    }

    #[test]
    fn metadata_is_not_trusted() {
        for (changes, expected) in [
            (&[("training", Some("{\"play_simulations\":4294967295}"))][..], "play_simulations is 4294967295"),
            (&[("training", Some("{\"play_simulations\":1000001}"))], "expected 0 to 1000000"),
            (&[("rules", Some("[\"\\u001b[31m\"]"))], "\\u{1b}[31m"),
            (&[("rules", Some("[\"tartu\"]"))], "it holds kvasir, but `rules` lists tartu"),
            (&[("rules", Some("\u{1b}[31m"))], "metadata key `rules`"),
            (&[("format", Some("\u{1b}[31m"))], "format version \\u{1b}[31m"),
            (&[("hash", Some("\u{1b}[31m"))], "expected \\u{1b}[31m"),
        ] {
            let error = with_metadata(changes).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains('\u{1b}'), "{error:?}, not {expected:?}");
        }
    }

    #[test]
    fn other_files_are_called_by_their_kind() {
        let kind = |bytes: &[u8]| Model::from_bytes(bytes).unwrap_err().to_string();
        assert_eq!(
            kind(b"rules = [\"kvasir\"]\n"),
            "not a model file; it seems to be TOML text, such as a config or a rule set"
        );
        assert!(kind(b"").contains("an empty file"));
        let state = BTreeMap::from([("format", "1".to_owned()), ("steps", "3".to_owned())]);
        assert!(
            kind(&container::serialize(&state, std::iter::empty::<(&str, _)>()).unwrap()).contains("a learner's state")
        );
    }

    #[test]
    fn a_flipped_bit_anywhere_in_the_header_is_found() {
        let bytes = model().to_bytes().unwrap();
        let header_len = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        for at in 0..header_len {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Model::from_bytes(&damaged).is_err(), "a flipped bit in byte {at} went unnoticed");
        }
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = model().to_bytes().unwrap();
        for length in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
            assert!(Model::from_bytes(&bytes[..length]).is_err(), "{length} bytes were read as a model");
        }
    }

    #[test]
    fn a_flipped_bit_in_a_weight_is_found() {
        let mut bytes = model().to_bytes().unwrap();
        let last = bytes.len() - 2;
        bytes[last] ^= 1;
        assert!(matches!(Model::from_bytes(&bytes), Err(Kind::Hash { .. })));
    }

    #[test]
    fn a_model_of_another_encoding_or_architecture_is_refused() {
        let error = with_metadata(&[("encoding", Some("9"))]).unwrap_err().to_string();
        assert!(error.contains("encoding version 9"), "{error}");
        let wider = Architecture::new(64, 1).unwrap().to_json();
        let error = with_metadata(&[("architecture", Some(&wider))]).unwrap_err().to_string();
        assert!(error.contains("dimensions"), "{error}");
    }
}
