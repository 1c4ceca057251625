//! A burn device: the thread that evaluates on it, and its learner.

use std::sync::Arc;

use burn::tensor::{Device, FloatDType};
use tablut_games::TrainingBatch;
use tablut_net::{DeviceChoice, Inference, NetDevice, NetError, Weights};

use super::error::DeviceError;
use super::fault::{Fault, Work};
use super::guard::{Health, caught};
use super::server::{DeviceInference, Link};
use crate::burn_backend::{BurnBackend, Multiply};
use crate::gradient_backend::{GradientBackend, StepError, StepReport};
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// A burn device with the thread that evaluates on it.
pub(super) struct OnDevice {
    device: Device,
    multiply: Multiply,
    health: Arc<Health>,
    pub(super) link: Arc<Link>,
}

impl OnDevice {
    /// Starts the thread. Nets that only play have the type `float` on the device.
    pub fn start(
        name: &str,
        (device, multiply): (Device, Multiply),
        float: FloatDType,
        fault: Fault,
        choice: DeviceChoice,
    ) -> Result<Self, DeviceError> {
        let precision = if float == FloatDType::F16 { "f16" } else { "f32" };
        let health = Arc::new(Health::new(format!("{name}, {precision}"), fault));
        let link = Link::start(device.clone(), multiply, float, health.clone());
        let link =
            link.map_err(|error| DeviceError::Unusable { choice, reason: format!("no thread for it: {error}") })?;
        Ok(Self { device, multiply, health, link })
    }

    /// A learner that continues from `state`.
    pub fn learner(
        &self,
        state: &LearnerState,
        optimizer: OptimizerConfig,
    ) -> Result<Box<dyn GradientBackend>, StepError> {
        state.architecture.residual().map_err(|error| StepError::Device(error.to_string()))?;
        let device = self.device.clone();
        let put = || Ok(BurnBackend::new(device, self.multiply, state, optimizer));
        let learner = self.health.run(Work::Move, put).map_err(StepError::Device)?;
        Ok(Box::new(DeviceLearner { learner: Some(learner), health: self.health.clone() }))
    }
}

impl NetDevice for OnDevice {
    fn name(&self) -> &str {
        self.health.name()
    }

    fn open(&self, weights: &Weights) -> Result<Box<dyn Inference>, NetError> {
        let net = self.link.open(weights)?;
        Ok(Box::new(DeviceInference::new(self.link.clone(), net)))
    }
}

/// burn's learner behind the guard.
struct DeviceLearner {
    /// Always there until this is dropped.
    learner: Option<BurnBackend>,
    health: Arc<Health>,
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
