//! A learner on a device. A failure of the device is an error, and leaves the state as it was.

use std::sync::Arc;

use tablut_games::TrainingBatch;

use super::fault::Work;
use super::guard::{Health, caught};
use crate::burn_backend::BurnBackend;
use crate::gradient_backend::{GradientBackend, StepReport};
use crate::learner::LearnerState;
use crate::step_error::StepError;

/// burn's learner behind the guard.
pub(super) struct DeviceLearner {
    /// Always there until this is dropped.
    learner: Option<BurnBackend>,
    health: Arc<Health>,
}

impl DeviceLearner {
    pub fn new(learner: BurnBackend, health: Arc<Health>) -> Self {
        Self { learner: Some(learner), health }
    }
}

/// Runs guarded work. An error of the step itself, such as a loss that is not finite, does not mean that the device failed.
fn guarded<T>(health: &Health, work: Work, run: impl FnOnce() -> Result<T, StepError>) -> Result<T, StepError> {
    let run = || match run() {
        Err(StepError::Device(reason)) => Err(reason),
        other => Ok(other),
    };
    health.run(work, run).map_err(StepError::Device)?
}

impl GradientBackend for DeviceLearner {
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError> {
        let learner = self.learner.as_mut().expect("there until this is dropped");
        guarded(&self.health, Work::Learn, || learner.step(batch, learning_rate))
    }

    fn state(&self) -> Result<LearnerState, StepError> {
        let learner = self.learner.as_ref().expect("there until this is dropped");
        guarded(&self.health, Work::Move, || learner.state())
    }
}

impl Drop for DeviceLearner {
    fn drop(&mut self) {
        // Tensors of a broken device may panic once more when they are freed.
        let _ = caught(|| drop(self.learner.take()));
    }
}
