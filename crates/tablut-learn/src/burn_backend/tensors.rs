//! Helpers for burn's tensors: transfers to and from a device, and sums.

use burn::tensor::{Device, Tensor, TensorData};

use crate::gradient_backend::StepError;

/// Values on a device.
pub(crate) fn tensor<const D: usize>(values: Vec<f32>, dims: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, dims), device)
}

/// A tensor's values in main memory.
///
/// # Errors
/// Returns an error if the device fails.
pub(crate) fn host_values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, StepError> {
    tensor.try_into_vec_as::<f32>().map_err(|error| StepError::Device(error.to_string()))
}

/// The sum of all values, `[1]`. On devices it avoids kernels with atomic additions. Their order of additions is not
/// deterministic, and Mesa's CPU driver crashes on them.
pub(crate) fn sum_of<const D: usize>(values: Tensor<D>) -> Tensor<1> {
    if values.device() == Device::flex() {
        return values.sum();
    }
    let count = values.dims().iter().product();
    values.reshape([1, count]).sum_dim(1).reshape([1])
}

/// The mean of all values, `[1]`.
pub(crate) fn mean_of<const D: usize>(values: Tensor<D>) -> Tensor<1> {
    if values.device() == Device::flex() {
        return values.mean();
    }
    let count: usize = values.dims().iter().product();
    sum_of(values).div_scalar(count as f32)
}
