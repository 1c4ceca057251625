//! The trait of learners, which take training steps on the weights, the result of a step, and its errors.

use tablut_games::{LossParts, TrainingBatch};
use tablut_kernels::SimdError;
use tablut_net::NetDevice;

use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// A learner. It owns the weights and the optimiser's state, on any device.
pub trait GradientBackend: Send {
    /// One step on `batch`. If it fails, the state does not change.
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError>;

    /// The whole training state, in main memory.
    fn state(&self) -> Result<LearnerState, StepError>;
}

pub(crate) trait LearningDevice: NetDevice {
    /// A learner that continues from `state`.
    fn learner(&self, state: &LearnerState, optimizer: OptimizerConfig) -> Result<Box<dyn GradientBackend>, StepError>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Parts of the loss before the step.
    pub loss: LossParts,
    /// Norm of all gradients together, before clipping.
    pub gradient_norm: f32,
    /// Norm of all weights together, after the step.
    pub weight_norm: f32,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    #[error(
        "learning diverged at step {step}: the {what} is {value}; a lower learning rate or maximum gradient norm may \
         help (the last checkpoint is intact)"
    )]
    Diverged {
        /// The step, counted from 1.
        step: u64,
        what: &'static str,
        value: f32,
    },
    #[error("learning: {0} (the last checkpoint is intact)")]
    Device(String),
    /// The processor does not support the instruction set in `TABLUT_SIMD`.
    #[error(transparent)]
    Simd(#[from] SimdError),
}

/// Rejects a step whose loss or gradients are not finite. `step` counts from 1.
pub(crate) fn check_finite(step: u64, loss: &LossParts, gradient_norm: f32) -> Result<(), StepError> {
    for (what, value) in [("loss", loss.sum()), ("gradient norm", gradient_norm)] {
        if !value.is_finite() {
            return Err(StepError::Diverged { step, what, value });
        }
    }
    Ok(())
}
