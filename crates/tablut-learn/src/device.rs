//! Where a run plays and learns: on the CPU, or on a device through burn. With the feature `gpu` devices are GPUs;
//! without the feature `burn` there is only the CPU.
//!
//! One server thread evaluates the batches of all threads on the device (`device/server.rs`). Training steps run on the
//! calling thread. `device/guard.rs` catches the device's panics.

mod error;
mod no_device;

use std::sync::Arc;

use tablut_net::{DeviceChoice, NetDevice};

pub use self::error::DeviceError;
use self::no_device::OnDevice;
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
        match choice {
            DeviceChoice::Gpu(_) => Err(DeviceError::NotBuilt(choice)),
            DeviceChoice::Cpu | DeviceChoice::Auto => Ok(Self::default()),
        }
    }

    /// The name in messages and metrics.
    pub fn name(&self) -> &str {
        self.on.as_ref().map_or("cpu", |on| on.name())
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.on.is_none()
    }

    /// The device for nets that play. `None` for the CPU.
    pub fn net_device(&self) -> Option<Arc<dyn NetDevice>> {
        self.on.clone().map(|on| on as Arc<dyn NetDevice>)
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
}
