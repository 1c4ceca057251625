//! Errors of opening a device.

use tablut_net::DeviceChoice;

/// A device cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The program was built without support for GPUs.
    #[error(
        "device {0}: this program was built without the feature `gpu`; build it with `cargo build --release --features gpu`"
    )]
    NotBuilt(DeviceChoice),
    /// There is no device of that number.
    #[error("device {choice}: there is no such device; Vulkan finds {}", found_text(*.found))]
    Missing { choice: DeviceChoice, found: usize },
    /// The device exists and does not work.
    #[error("device {choice} cannot be used: {reason}")]
    Unusable { choice: DeviceChoice, reason: String },
}

fn found_text(found: usize) -> String {
    match found {
        0 => "none (is the driver installed?)".to_owned(),
        1 => "one, gpu:0".to_owned(),
        _ => format!("{found}, gpu:0 to gpu:{}", found - 1),
    }
}
