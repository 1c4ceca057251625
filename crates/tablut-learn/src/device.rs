//! Where a run plays and learns: on the CPU, or on a device through burn. With the feature `gpu` devices are GPUs.
//!
//! One server thread evaluates the batches of all threads on the device (`device/server.rs`). Training steps run on the
//! calling thread. `device/guard.rs` catches the device's panics.

mod batching;
mod error;
mod fault;
mod guard;
mod server;
#[cfg(feature = "gpu")]
mod vulkan;

use std::sync::Arc;

use burn::tensor::{Device, FloatDType};
use tablut_games::{Concurrency, TrainingBatch};
use tablut_net::{DeviceChoice, Inference, NetDevice, NetError, Precision, Processor, Weights};

pub use self::error::DeviceError;
use self::fault::{Fault, Work};
use self::guard::{Health, caught};
use self::server::{DeviceInference, Link};
use crate::burn_backend::BurnBackend;
use crate::config::MachineConfig;
use crate::cpu_backend::CpuBackend;
use crate::gradient_backend::{GradientBackend, StepReport};
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;
use crate::product_net::Multiply;
use crate::step_error::StepError;

/// Where a run plays and learns. Clones refer to the same device.
#[derive(Clone, Default)]
pub struct ComputeDevice {
    /// `None` for the CPU.
    on: Option<Arc<OnDevice>>,
}

/// A burn device and its server thread.
struct OnDevice {
    device: Device,
    multiply: Multiply,
    health: Arc<Health>,
    link: Arc<Link>,
}

impl ComputeDevice {
    /// The device that `choice` names. `auto` is the first GPU that is not emulated on the CPU, or else the CPU.
    ///
    /// # Errors
    /// Returns an error if the device does not exist or cannot be used, or if the program was built without GPUs.
    pub fn open(choice: DeviceChoice) -> Result<Self, DeviceError> {
        Self::open_as(choice, true)
    }

    /// Like [`Self::open`]. Without `half`, nets that only play always have `f32` activations.
    ///
    /// # Errors
    /// As for [`Self::open`].
    #[cfg(not(feature = "gpu"))]
    pub fn open_as(choice: DeviceChoice, _half: bool) -> Result<Self, DeviceError> {
        match choice {
            DeviceChoice::Gpu(_) => Err(DeviceError::NotBuilt(choice)),
            DeviceChoice::Cpu | DeviceChoice::Auto => Ok(Self::default()),
        }
    }

    /// Like [`Self::open`]. Without `half`, nets that only play always have `f32` activations.
    ///
    /// # Errors
    /// As for [`Self::open`].
    #[cfg(feature = "gpu")]
    pub fn open_as(choice: DeviceChoice, half: bool) -> Result<Self, DeviceError> {
        let Some(found) = vulkan::open(choice)? else { return Ok(Self::default()) };
        let float = if half && found.has_f16 { FloatDType::F16 } else { FloatDType::F32 };
        Self::start(&found.name, (found.device, found.multiply), float, Fault::from_env()?, choice)
    }

    /// burn's operations on the CPU, used like a device. It is slow, and serves as a reference.
    ///
    /// # Errors
    /// Returns an error if `TABLUT_DEVICE_FAULT` is not valid or the server thread cannot be started.
    pub fn reference() -> Result<Self, DeviceError> {
        Self::faulty_reference(Fault::from_env()?)
    }

    /// The reference with an injected fault.
    fn faulty_reference(fault: Fault) -> Result<Self, DeviceError> {
        let device = (Device::flex(), Multiply::Matrices);
        Self::start("burn on the cores", device, FloatDType::F32, fault, DeviceChoice::Cpu)
    }

    fn start(
        name: &str,
        (device, multiply): (Device, Multiply),
        float: FloatDType,
        fault: Fault,
        choice: DeviceChoice,
    ) -> Result<Self, DeviceError> {
        let precision = if float == FloatDType::F16 { "f16" } else { "f32" };
        let health = Arc::new(Health::new(format!("{name}, {precision}"), fault));
        let link = Link::start(device.clone(), multiply, float, health.clone());
        let link = link
            .map_err(|error| DeviceError::Unusable { choice, reason: format!("cannot start its thread: {error}") })?;
        Ok(Self { on: Some(Arc::new(OnDevice { device, multiply, health, link })) })
    }

    /// The name in messages and metrics.
    pub fn name(&self) -> &str {
        self.on.as_ref().map_or("cpu", |on| on.health.name())
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.on.is_none()
    }

    /// Where its nets run.
    pub fn processor(&self) -> Processor {
        match &self.on {
            None => Processor::Cpu,
            Some(on) => Processor::Device(on.clone()),
        }
    }

    /// A learner that continues from `state`. On the CPU it uses bf16 with `bf16-amx` and channels that fill the matrix
    /// registers, otherwise f32. A device has its own precision.
    ///
    /// # Errors
    /// Returns an error if the device fails or `TABLUT_SIMD` names an instruction set that this machine does not
    /// support.
    pub fn learner(
        &self,
        precision: Precision,
        state: LearnerState,
        optimizer: OptimizerConfig,
    ) -> Result<Box<dyn GradientBackend>, StepError> {
        let Some(on) = &self.on else {
            let rounded = precision.chosen().is_ok_and(|precision| precision == Precision::Bf16Amx);
            return Ok(Box::new(if rounded && CpuBackend::fills_registers(&state.architecture) {
                CpuBackend::rounded(state, optimizer)?
            } else {
                CpuBackend::new(state, optimizer)?
            }));
        };
        let device = on.device.clone();
        let put = || Ok(BurnBackend::new(device, on.multiply, &state, optimizer));
        let learner = on.health.run(Work::Move, put).map_err(StepError::Device)?;
        Ok(Box::new(DeviceLearner { learner: Some(learner), health: on.health.clone() }))
    }

    /// The threads of self-play, and the games per thread.
    pub fn concurrency(&self, machine: &MachineConfig) -> Concurrency {
        machine.concurrency_on(self.is_cpu())
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

/// burn's learner, whose panics become errors.
struct DeviceLearner {
    /// `Some` until this is dropped.
    learner: Option<BurnBackend>,
    health: Arc<Health>,
}

/// Runs work and turns its panics into errors. An error of the step itself, such as a loss that is not finite, does not
/// count as a failure of the device.
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

#[cfg(test)]
mod tests;
