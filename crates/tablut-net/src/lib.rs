//! Nets for Tablut, without a training framework: architecture, inputs, outputs, and the model file.
//!
//! - [`Architecture`]: a net's architecture as data.
//! - [`layers`]: its layers and parameters. All code that stores, runs, trains or exports a net uses them.
//! - [`encode`], [`View`], [`PLANES`], [`FEATURES`]: positions as planes and features.
//! - [`PolicyIndex`]: moves as entries of the policy table.
//! - [`InputBatch`], [`OutputBatch`], [`Inference`]: running a net.
//! - [`NetEvaluator`]: lets a search use a net.
//! - [`Engine`]: runs a net on the CPU. [`Simd`] is the instruction set that it uses.
//! - [`Processor`]: where nets run, on the CPU or on a device, which is a [`NetDevice`].
//! - [`onnx::encode`]: the net for other runtimes.
//! - [`Weights`], [`Model`]: a net's tensors, and the file with everything that is needed to play. [`Card`]:
//!   information for the users of a net.
//! - [`Weights::specialist_for`], [`rule_features`]: separate weights for some rule sets.
//! - [`StatedRules`], [`choose_rules`]: the rules that files contain in full, and the rules that a command uses.

mod architecture;
mod batch;
mod card;
pub mod durable;
mod encoding;
mod engine;
mod error;
mod features;
pub mod layers;
pub mod lines;
mod model_file;
pub mod onnx;
mod policy;
mod processor;
pub mod protobuf;
mod rules_choice;
mod specialists;
mod stated_rules;
mod weights;

pub use architecture::{ARCHITECTURE_VERSION, Architecture, BlockKind, LineShape, PolicyWidths, Residual, ValueWidths};
pub use batch::{Inference, InputBatch, OutputBatch, Predictions};
pub use card::{Card, CardInterval, CardScore};
pub use encoding::{ENCODING_VERSION, NetEvaluator, encode, encode_symmetric};
pub use engine::{Engine, EngineOptions};
pub use error::{ModelFileError, ModelFileErrorKind, NetError};
pub use features::{FEATURES, PLANES, View};
pub use layers::{MOVES_LEFT_UNIT, Parameter};
pub use model_file::{FORMAT_VERSION, MAX_PLAY_SIMULATIONS, Model, TrainingSummary, container};
pub use policy::{DISTANCES, POLICY_ENTRIES, POLICY_PLANES, PolicyIndex};
pub use processor::{DeviceChoice, LoadedNet, NetDevice, Processor};
pub use rules_choice::{KnownRules, RulesChoice, choose_rules, rules_of_file};
pub use specialists::{RULE_FEATURES, rule_features};
pub use stated_rules::{StatedRules, clauses_hash};
pub use tablut_kernels::Simd;
pub use weights::{Tensor, Weights};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
