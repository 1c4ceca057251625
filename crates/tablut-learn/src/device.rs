//! Where a run learns and commands run nets: on the CPU, or on a GPU through burn, with the feature `gpu`.

#[cfg(feature = "burn")]
mod burn_device;
mod error;
#[cfg(feature = "burn")]
mod guard;
#[cfg(feature = "gpu")]
mod vulkan;

use std::sync::Arc;

use tablut_net::{DeviceChoice, NetDevice};

pub use self::error::DeviceError;
use crate::cpu_backend::CpuBackend;
use crate::gradient_backend::{GradientBackend, LearningDevice, StepError};
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// The CPU or a device. Clones refer to the same device.
#[derive(Clone, Default)]
pub struct ComputeDevice {
    /// `None` for the CPU.
    on: Option<Arc<dyn LearningDevice>>,
}

impl ComputeDevice {
    /// The device that `choice` names. `auto` is the first GPU that is not emulated on the CPU, or else the CPU.
    #[cfg(not(feature = "gpu"))]
    pub fn open(choice: DeviceChoice) -> Result<Self, DeviceError> {
        match choice {
            DeviceChoice::Gpu(_) => Err(DeviceError::NotBuilt(choice)),
            DeviceChoice::Cpu | DeviceChoice::Auto => Ok(Self::default()),
        }
    }

    /// The device that `choice` names. `auto` is the first GPU that is not emulated on the CPU, or else the CPU.
    #[cfg(feature = "gpu")]
    pub fn open(choice: DeviceChoice) -> Result<Self, DeviceError> {
        let Some(device) = vulkan::open(choice)? else { return Ok(Self::default()) };
        Ok(Self { on: Some(Arc::new(device)) })
    }

    /// burn's operations on the CPU, used like a device. It is slow, and serves as a reference.
    #[cfg(feature = "burn")]
    pub fn reference() -> Self {
        let (device, multiply) = (burn::tensor::Device::flex(), crate::burn_backend::Multiply::Matrices);
        Self { on: Some(Arc::new(burn_device::BurnDevice { name: "burn on the cores".into(), device, multiply })) }
    }

    /// The name in messages and metrics.
    pub fn name(&self) -> &str {
        self.on.as_ref().map_or("cpu", |on| on.name())
    }

    pub fn is_cpu(&self) -> bool {
        self.on.is_none()
    }

    /// The device for nets that play. `None` for the CPU.
    pub fn net_device(&self) -> Option<Arc<dyn NetDevice>> {
        self.on.clone().map(|on| on as Arc<dyn NetDevice>)
    }

    /// A learner that continues from `state`.
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
}
