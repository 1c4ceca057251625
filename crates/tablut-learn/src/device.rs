//! Where a run plays and learns: on the cores, or on a device through burn. With the feature `gpu` devices are GPUs;
//! without the feature `burn` there are only the cores.
//!
//! A device evaluates the batches of all threads on one thread of its own (`device/server.rs`), and learns on the thread
//! that asks. Its panics end in `device/guard.rs`.

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
use tablut_net::{DeviceChoice, NetDevice, Precision, Processor};

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
use crate::gradient_backend::GradientBackend;
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;
use crate::step_error::StepError;

/// Where a run plays and learns. Clones are the same device.
#[derive(Clone, Default)]
pub struct ComputeDevice {
    /// `None` for the cores.
    on: Option<Arc<OnDevice>>,
}

impl ComputeDevice {
    /// The device that `choice` names. `auto` is the first GPU that is no program on the cores, and otherwise the cores.
    pub fn open(choice: DeviceChoice) -> Result<Self, DeviceError> {
        Self::open_as(choice, true)
    }

    /// The same. Without `half`, nets that only play have `f32` activations on it even where it has faster ones.
    #[cfg(not(feature = "gpu"))]
    pub fn open_as(choice: DeviceChoice, _half: bool) -> Result<Self, DeviceError> {
        match choice {
            DeviceChoice::Gpu(_) => Err(DeviceError::NotBuilt(choice)),
            DeviceChoice::Cpu | DeviceChoice::Auto => Ok(Self::default()),
        }
    }

    /// The same. Without `half`, nets that only play have `f32` activations on it even where it has faster ones.
    #[cfg(feature = "gpu")]
    pub fn open_as(choice: DeviceChoice, half: bool) -> Result<Self, DeviceError> {
        let Some(found) = vulkan::open(choice)? else { return Ok(Self::default()) };
        let float = if half && found.has_f16 { FloatDType::F16 } else { FloatDType::F32 };
        let device = OnDevice::start(&found.name, (found.device, found.multiply), float, Fault::from_env()?, choice)?;
        Ok(Self { on: Some(Arc::new(device)) })
    }

    /// burn's operations on the cores, used as a device is. It is slow, and serves as a reference.
    #[cfg(feature = "burn")]
    pub fn reference() -> Result<Self, DeviceError> {
        Self::faulty_reference(Fault::from_env()?)
    }

    /// The reference with a fault to come.
    #[cfg(feature = "burn")]
    fn faulty_reference(fault: Fault) -> Result<Self, DeviceError> {
        let device = (Device::flex(), Multiply::Matrices);
        let device = OnDevice::start("burn on the cores", device, FloatDType::F32, fault, DeviceChoice::Cpu)?;
        Ok(Self { on: Some(Arc::new(device)) })
    }

    /// What messages and metrics call it.
    pub fn name(&self) -> &str {
        self.on.as_ref().map_or("cpu", |on| on.name())
    }

    /// Whether these are the cores.
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

    /// A learner that continues from `state`. On the cores it convolves in bf16 with `bf16-amx` and channels that fill the
    /// matrix registers, else in f32. A device has its own precision.
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
        on.learner(&state, optimizer)
    }

    /// The threads of self-play, and the games per thread.
    pub fn concurrency(&self, machine: &MachineConfig) -> Concurrency {
        machine.concurrency_on(self.is_cpu())
    }
}

#[cfg(all(test, feature = "burn"))]
mod tests;
