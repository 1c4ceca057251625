//! The option `--device` of commands that run nets.

use tablut_learn::{ComputeDevice, DeviceError};
use tablut_net::{DeviceChoice, Processor};

/// Where nets run.
#[derive(Copy, Clone, Debug, Default, clap::Args)]
pub struct DeviceArgs {
    /// Where nets run: cpu, gpu:0 or another number, or auto, the first GPU if there is one. GPUs need a program with the
    /// feature `gpu`.
    #[arg(long, value_name = "DEVICE", default_value_t)]
    pub device: DeviceChoice,
}

impl DeviceArgs {
    /// Opens the device.
    pub fn open(self) -> Result<ComputeDevice, DeviceError> {
        ComputeDevice::open(self.device)
    }

    /// Opens the device as a place for nets.
    pub fn processor(self) -> Result<Processor, DeviceError> {
        Ok(self.open()?.processor())
    }
}
