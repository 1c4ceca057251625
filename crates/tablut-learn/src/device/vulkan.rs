//! Finds and opens GPUs through Vulkan.

use burn::tensor::{Device, DeviceType, Tensor};
use tablut_net::DeviceChoice;

use super::burn_device::BurnDevice;
use super::error::DeviceError;
use super::guard::caught;
use crate::burn_backend::Multiply;

/// Opens the device that `choice` names and tries it. `None` means the CPU.
pub(super) fn open(choice: DeviceChoice) -> Result<Option<BurnDevice>, DeviceError> {
    if choice == DeviceChoice::Cpu {
        return Ok(None);
    }
    let unusable = |reason: String| DeviceError::Unusable { choice, reason };
    let mut devices = caught(|| Device::enumerate(DeviceType::Vulkan).into_vec()).map_err(unusable)?;
    devices.sort_by_key(is_software);
    let number = match choice {
        DeviceChoice::Gpu(number) => number,
        _ if devices.first().is_none_or(is_software) => return Ok(None),
        _ => 0,
    };
    let found = devices.len();
    let device = devices.into_iter().nth(number).ok_or(DeviceError::Missing { choice, found })?;
    let own_name = caught(|| device.identity().map(|identity| identity.name)).map_err(unusable)?;
    // Mesa's CPU driver crashes on products of matrices. A crash cannot be caught, so they are not tried there.
    let multiply = if is_software(&device) { Multiply::Convolutions } else { Multiply::Matrices };
    if !caught(|| multiplies(&device, multiply)).map_err(unusable)? {
        return Err(unusable("its product of two small matrices is wrong".to_owned()));
    }
    let name = format!("gpu:{number} ({})", own_name.as_deref().unwrap_or("without a name"));
    Ok(Some(BurnDevice { name: name.into(), device, multiply }))
}

/// Whether the driver computes on the CPU.
fn is_software(device: &Device) -> bool {
    // Before a device is opened, burn gives its kind only in this text.
    format!("{device:?}").contains("Cpu")
}

/// Whether the device multiplies small matrices correctly.
fn multiplies(device: &Device, multiply: Multiply) -> bool {
    const SIDE: usize = 32;
    let ones = Tensor::<2>::ones([SIDE, SIDE], device);
    let product = multiply.product(ones.clone(), ones);
    product.try_into_vec_as::<f32>().is_ok_and(|values| values.iter().all(|&value| value == SIDE as f32))
}
