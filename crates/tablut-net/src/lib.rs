//! Nets for Tablut, without a training framework: architecture, inputs, outputs, and the model file.
//!
//! - [`Architecture`]: a net's architecture as data.
//! - [`layers`]: parameters of layers. [`lines`]: a net's layers, and the net that learns.
//! - [`encode`], [`PLANES`], [`FEATURES`]: positions as planes and features.
//! - [`PolicyIndex`]: moves as entries of the policy table.
//! - [`InputBatch`], [`OutputBatch`], [`Inference`]: running a net.
//! - [`NetEvaluator`]: lets a search use a net.
//! - [`Engine`]: runs a net on the CPU. [`Simd`] is the instruction set that it uses.
//! - [`NetPool`]: nets that are loaded once and run by many threads. [`NetDevice`]: a GPU that runs nets.
//! - [`onnx::encode`]: the net for other runtimes.
//! - [`Weights`], [`Model`]: a net's tensors, and the file with everything that is needed to play. [`Card`]:
//!   information for the users of a net.
//! - [`StatedRules`], [`choose_rules`]: the rules that files contain in full, and the rules that a command uses.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod architecture;
mod batch;
mod card;
mod device;
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
mod pool;
pub mod protobuf;
mod rules_choice;
mod stated_rules;
mod weights;

pub use architecture::{ARCHITECTURE_VERSION, Architecture};
pub use batch::{BatchPart, Inference, InputBatch, OutputBatch, Predictions};
pub use card::{Card, CardInterval, CardScore};
pub use device::{DeviceChoice, NetDevice};
pub use encoding::{ENCODING_VERSION, NetEvaluator, encode, encode_symmetric};
pub use engine::{Engine, EngineOptions};
pub use error::{ModelFileError, ModelFileErrorKind, NetError};
pub use features::{FEATURES, PLANES, RULE_FEATURES};
pub use layers::{MOVES_LEFT_UNIT, Parameter};
pub use model_file::{FORMAT_VERSION, MAX_MODEL_BYTES, MAX_PLAY_SIMULATIONS, Model, TrainingSummary, container};
pub use policy::{PolicyIndex, policy_entries, policy_planes};
pub use pool::{NetPool, PooledNet};
pub use rules_choice::{KnownRules, RulesChoice, choose_rules, rules_of_file};
pub use stated_rules::{StatedRules, clauses_hash};
pub use tablut_kernels::Simd;
pub use weights::{Tensor, Weights};
