//! The device of a program that was built without burn: there is none.

use tablut_net::{Inference, NetDevice, NetError, Weights};

use crate::gradient_backend::{GradientBackend, StepError};
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// No device.
pub(super) enum OnDevice {}

impl OnDevice {
    pub fn learner(&self, _: &LearnerState, _: OptimizerConfig) -> Result<Box<dyn GradientBackend>, StepError> {
        match *self {}
    }
}

impl NetDevice for OnDevice {
    fn name(&self) -> &str {
        match *self {}
    }

    fn open(&self, _: &Weights) -> Result<Box<dyn Inference>, NetError> {
        match *self {}
    }
}
