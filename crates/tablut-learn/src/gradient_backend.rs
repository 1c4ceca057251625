//! What takes a step: from a batch to better weights, wherever the weights are.

use tablut_games::TrainingBatch;
use tablut_net::Weights;

use crate::error::StepError;
use crate::learner::LearnerState;
use crate::loss_parts::LossParts;

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

/// Refuses a step whose loss or gradients are not finite. `step` counts from 1.
pub(crate) fn check_finite(step: u64, loss: &LossParts, gradient_norm: f32) -> Result<(), StepError> {
    for (what, value) in [("loss", loss.sum()), ("gradient norm", gradient_norm)] {
        if !value.is_finite() {
            return Err(StepError::Diverged { step, what, value });
        }
    }
    Ok(())
}
