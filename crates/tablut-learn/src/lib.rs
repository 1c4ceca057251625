//! Training: the only crate of the workspace that imports burn.
//!
//! In reading order:
//!
//! - [`TrainConfig`] contains the settings of a run.
//! - [`Run`] opens its folder, and [`train()`] runs the generations.
//! - [`RunState`] is a run without files, and [`GenerationSteps`] the learning of one generation: what [`train()`] calls,
//!   and a browser.
//! - A [`GradientBackend`] takes steps. [`CpuBackend`] trains nets with our own kernels and gradients written
//!   by hand. With the feature `burn`, `BurnBackend` trains them with burn's operations on any device.
//! - [`LearnerState`] is the state that the steps change. [`Checkpoint`] stores everything that a run needs to
//!   continue. [`check_run`] checks all files of a run, and [`prune`] deletes those that it does not need.
//! - [`benchmark`] and [`Forecast`] estimate the cost of a run in advance. [`GenerationPace`] estimates the rest of a
//!   run.
//!   [`TrainConfig::recipe`] and [`Run::keep_to`] make a run that takes a given time.
//! - A [`ComputeDevice`] is where a run learns: the CPU, or a GPU with the feature `gpu`.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod benchmark;
#[cfg(feature = "burn")]
mod burn_backend;
mod checkpoint;
mod config;
mod cpu_backend;
mod device;
mod forecast;
mod generation;
mod gradient_backend;
mod history;
mod learner;
mod loss;
mod measurements;
mod memory;
mod muon;
mod needed;
mod opponents;
mod optimizer;
mod prune;
mod rating;
mod recipe;
mod run;
mod run_settings;
mod start;
mod state;
mod survey;
mod time_budget;
mod train;
mod train_error;

pub use benchmark::{MachinePace, benchmark};
#[cfg(feature = "burn")]
pub use burn_backend::{BurnBackend, Multiply};
pub use checkpoint::Checkpoint;
pub use config::{
    Difference, EvaluationConfig, LearningConfig, MachineConfig, PlayConfig, ScheduleConfig, TrainConfig,
    TrainConfigError, differences,
};
pub use cpu_backend::CpuBackend;
pub use device::{ComputeDevice, DeviceError};
pub use forecast::{Forecast, GenerationPace};
pub use generation::GenerationSteps;
pub use gradient_backend::{GradientBackend, StepError, StepReport};
pub use history::GENERATIONS_COUNTED;
pub use learner::LearnerState;
pub use measurements::{WorkClock, free_bytes};
pub use memory::MemoryBounds;
pub use optimizer::{OptimizerConfig, ParamState};
pub use prune::{Pruned, prune};
pub use rating::{RatingOpponent, RatingPairs, rating_pairs};
pub use run::Run;
pub use state::RunState;
pub use survey::{RunCheck, RunSummary, check_run};
pub use time_budget::TimeSource;
pub use train::{OnEvent, RateNet, RunEvent, train};
pub use train_error::TrainError;
