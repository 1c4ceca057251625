//! Learning: the one crate of the workspace that imports burn.
//!
//! In reading order: [`TrainConfig`] says what a run is to do; [`Run`] opens its folder, [`train()`] does the generations;
//! [`LearnerState`] takes steps with the gradients of a [`Differentiation`]: of the [`loss()`] by burn, and of the net by
//! [`KernelNet`] on the CPU or through [`BurnNet`] on any device; [`Checkpoint`] keeps what a run goes on
//! from. [`BurnInference`] evaluates positions through burn, on devices other than the CPU and as a reference.

mod burn_inference;
mod checkpoint;
mod config;
mod differentiation;
mod kernel_net;
mod learner;
mod loss;
mod metrics;
mod model;
mod optimizer;
mod run;
mod train;

pub use burn_inference::BurnInference;
pub use checkpoint::{Checkpoint, model_path, state_path};
pub use config::{
    ConfigError, Difference, EvaluationConfig, LearningConfig, MachineConfig, PlayConfig, ScheduleConfig, TrainConfig,
    differences,
};
pub use differentiation::Differentiation;
pub use kernel_net::{KernelNet, Predictions};
pub use learner::{Diverged, LearnerState, StepReport, learning_rate, learning_rate_share};
pub use loss::{LossParts, LossWeights, loss};
pub use metrics::{GenerationMetrics, LearningMetrics, SelfPlayMetrics, read_metrics};
pub use model::{BurnNet, Heads};
pub use optimizer::{OptimizerConfig, Slot};
pub use run::{Run, TrainError};
pub use train::{MakeInference, Observer, train};
