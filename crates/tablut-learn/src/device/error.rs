//! Errors of opening a device.

use tablut_net::DeviceChoice;
use tablut_rules::shown;

/// A device cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The program was built without GPUs.
    #[error(
        "device {0}: this program was built without the feature `gpu`; build it with `cargo build --release --features gpu`"
    )]
    NotBuilt(DeviceChoice),
    /// There is no device of that number.
    #[error("device {choice}: there is no such device; Vulkan finds {}", found_text(*.found))]
    Missing {
        /// What was asked for.
        choice: DeviceChoice,
        /// Number of devices.
        found: usize,
    },
    /// The device is there and does not work.
    #[error("device {choice}: it cannot be used: {reason}")]
    Unusable {
        /// What was asked for.
        choice: DeviceChoice,
        /// The reason.
        reason: String,
    },
    /// The environment's fault cannot be read.
    #[error("TABLUT_DEVICE_FAULT = `{}`: expected evaluate:N or learn:N, a device's N-th batch or step from 1", shown(.0))]
    Fault(String),
}

fn found_text(found: usize) -> String {
    match found {
        0 => "none here (is the driver installed?)".to_owned(),
        1 => "one here, gpu:0".to_owned(),
        _ => format!("{found} here, gpu:0 to gpu:{}", found - 1),
    }
}
