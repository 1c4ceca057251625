//! Learning: the one crate of the workspace that imports burn.
//!
//! In reading order: [`TrainConfig`] says what a run is to do; [`Run`] opens its folder, [`train()`] does the generations;
//! a [`GradientBackend`] takes steps: [`CpuBackend`] on our own kernels, with the loss and the heads that only learning has
//! differentiated by burn, or [`BurnBackend`] in burn's operations on any device; [`LearnerState`] is what they change,
//! [`Checkpoint`] keeps what a run goes on from, and [`check_run`] reads all that a run has written.
//! [`benchmark`] and [`Forecast`] say beforehand what a run will take.
//! [`BurnInference`] evaluates positions through burn, on devices other than the CPU and as a reference.

mod auxiliary;
mod backend;
mod burn_backend;
mod burn_inference;
mod checkpoint;
mod config;
mod cpu_backend;
mod error;
mod forecast;
mod gradient_backend;
mod held_out;
mod kernel_net;
mod learner;
mod loss;
mod loss_parts;
mod memory;
mod metrics;
mod model;
mod optimizer;
mod run;
mod survey;
mod train;
mod watching;

pub use backend::Backend;
pub use burn_backend::BurnBackend;
pub use burn_inference::BurnInference;
pub use checkpoint::{Checkpoint, model_path, state_path, states};
pub use config::{
    Difference, EvaluationConfig, LearningConfig, MachineConfig, PlayConfig, ScheduleConfig, TrainConfig,
    TrainConfigError, differences,
};
pub use cpu_backend::CpuBackend;
pub use error::StepError;
pub use forecast::{Forecast, MachinePace, benchmark};
pub use gradient_backend::{GradientBackend, StepReport};
pub use kernel_net::KernelNet;
pub use learner::{LearnerState, learning_rate, learning_rate_share};
pub use loss_parts::{LossParts, LossWeights};
pub use memory::MemoryBounds;
pub use metrics::{
    GenerationMetrics, LearningMetrics, METRICS_SCHEMA, MachineMetrics, MetricsError, SelfPlayMetrics, read_metrics,
};
pub use model::{BurnNet, Outputs};
pub use optimizer::{OptimizerConfig, ParamState};
pub use run::{Run, TrainError};
pub use survey::{RunCheck, RunSummary, check_run};
pub use train::{Doors, Observer, train};
pub use watching::free_bytes;
