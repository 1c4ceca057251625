//! What takes a step: from a batch to better weights, wherever the weights are.

use serde::{Deserialize, Serialize};
use tablut_games::TrainingBatch;
use tablut_kernels::SimdError;
use tablut_net::Weights;

use crate::burn_backend::BurnBackend;
use crate::cpu_backend::CpuBackend;
use crate::learner::LearnerState;
use crate::loss::{LossParts, LossWeights};
use crate::optimizer::OptimizerConfig;

/// A learner at work. It owns the weights and the optimiser's state, on whatever device they are.
pub trait GradientBackend: Send {
    /// One step on `batch`. The state is as before when it fails.
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError>;

    /// All that learning changes, on the host.
    fn state(&self) -> Result<LearnerState, StepError>;

    /// The weights being trained.
    fn weights(&self) -> Result<Weights, StepError> {
        Ok(self.state()?.weights())
    }
}

/// The backends, as configs name them.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The program's own kernels, on the threads of the rayon pool that steps are taken in.
    #[default]
    Cpu,
    /// burn's operations on the CPU: slower; the reference, and what other devices will run.
    Burn,
}

impl Backend {
    /// A learner that goes on from `state`.
    pub fn open(
        self,
        state: LearnerState,
        loss: LossWeights,
        optimizer: OptimizerConfig,
    ) -> Result<Box<dyn GradientBackend>, StepError> {
        Ok(match self {
            Backend::Cpu => Box::new(CpuBackend::new(state, loss, optimizer)?),
            Backend::Burn => Box::new(BurnBackend::on_cpu(&state, loss, optimizer)),
        })
    }
}

/// What one step did.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Parts of the loss before the step.
    pub loss: LossParts,
    /// Norm of all gradients together, before clipping.
    pub gradient_norm: f32,
    /// Norm of all weights together, after the step.
    pub weight_norm: f32,
}

/// A step went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A number is infinite or none.
    #[error(
        "learning diverged at step {step}: the {what} is {value}; a lower learning rate or gradient norm may help \
         (the last checkpoint is sound)"
    )]
    Diverged {
        /// The step, counted from 1.
        step: u64,
        /// Loss or gradient norm.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// The device has failed.
    #[error("the device that learns has failed: {0} (the last checkpoint is sound)")]
    Device(String),
    /// The processor lacks the instructions that `TABLUT_SIMD` asks for.
    #[error(transparent)]
    Simd(#[from] SimdError),
}

/// Refuses a step whose loss or gradients are not finite. `step` counts from 1.
pub(crate) fn check_finite(step: u64, loss: &LossParts, gradient_norm: f32) -> Result<(), StepError> {
    for (what, value) in [("loss", loss.sum()), ("gradient norm", gradient_norm)] {
        if !value.is_finite() {
            return Err(StepError::Diverged { step, what, value });
        }
    }
    Ok(())
}
