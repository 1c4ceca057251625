//! Where a run plays and learns: on the CPU, or on a device through burn. With the feature `gpu` devices are GPUs;
//! without the feature `burn` there is only the CPU.
//!
//! One server thread evaluates the batches of all threads on the device (`device/server.rs`). Training steps run on the
//! calling thread. `device/guard.rs` catches the device's panics.

#[cfg(feature = "burn")]
mod batching;
mod error;
#[cfg(feature = "burn")]
mod fault;
#[cfg(feature = "burn")]
mod guard;
#[cfg(not(feature = "burn"))]
mod no_device;
#[cfg(feature = "burn")]
mod on_device;
#[cfg(feature = "burn")]
mod server;
#[cfg(feature = "gpu")]
mod vulkan;

use std::sync::Arc;

#[cfg(feature = "burn")]
use burn::tensor::{Device, FloatDType};
use tablut_games::Concurrency;
use tablut_net::{Architecture, DeviceChoice, NetDevice, Processor};

pub use self::error::DeviceError;
#[cfg(feature = "burn")]
use self::fault::Fault;
#[cfg(not(feature = "burn"))]
use self::no_device::OnDevice;
#[cfg(feature = "burn")]
use self::on_device::OnDevice;
#[cfg(feature = "burn")]
use crate::burn_backend::Multiply;
use crate::config::MachineConfig;
use crate::cpu_backend::CpuBackend;
use crate::gradient_backend::{GradientBackend, StepError};
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// Where a run plays and learns. Clones refer to the same device.
#[derive(Clone, Default)]
pub struct ComputeDevice {
    /// `None` for the CPU.
    on: Option<Arc<OnDevice>>,
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
        let device = OnDevice::start(&found.name, (found.device, found.multiply), float, Fault::from_env()?, choice)?;
        Ok(Self { on: Some(Arc::new(device)) })
    }

    /// burn's operations on the CPU, used like a device. It is slow, and serves as a reference.
    ///
    /// # Errors
    /// Returns an error if `TABLUT_DEVICE_FAULT` is not valid or the server thread cannot be started.
    #[cfg(feature = "burn")]
    pub fn reference() -> Result<Self, DeviceError> {
        Self::faulty_reference(Fault::from_env()?)
    }

    /// The reference with an injected fault.
    #[cfg(feature = "burn")]
    fn faulty_reference(fault: Fault) -> Result<Self, DeviceError> {
        let device = (Device::flex(), Multiply::Matrices);
        let device = OnDevice::start("burn on the cores", device, FloatDType::F32, fault, DeviceChoice::Cpu)?;
        Ok(Self { on: Some(Arc::new(device)) })
    }

    /// The name in messages and metrics.
    pub fn name(&self) -> &str {
        self.on.as_ref().map_or("cpu", |on| on.name())
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

    /// Checks that nets of this architecture can learn here.
    ///
    /// # Errors
    /// Returns an error for a residual net on the CPU.
    pub fn check_learns(&self, architecture: &Architecture) -> Result<(), StepError> {
        match architecture {
            Architecture::Residual(_) if self.is_cpu() => Err(StepError::OnlyOnGpus(architecture.to_string())),
            _ => Ok(()),
        }
    }

    /// A learner that continues from `state`.
    ///
    /// # Errors
    /// Returns an error if the net cannot learn here, the device fails, or `TABLUT_SIMD` names an instruction set that
    /// this machine does not support.
    pub fn learner(
        &self,
        state: LearnerState,
        optimizer: OptimizerConfig,
    ) -> Result<Box<dyn GradientBackend>, StepError> {
        match &self.on {
            None => Ok(Box::new(CpuBackend::new(state, optimizer)?)),
            Some(on) => on.learner(&state, optimizer),
        }
    }

    /// The threads of self-play, and the games per thread.
    pub fn concurrency(&self, machine: &MachineConfig) -> Concurrency {
        machine.concurrency_on(self.is_cpu())
    }
}

#[cfg(all(test, feature = "burn"))]
mod tests;
