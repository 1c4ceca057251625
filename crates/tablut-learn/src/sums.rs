//! Sums and means of whole tensors. On devices they avoid the kernels that add with atomic operations: these add in an order
//! that changes from run to run, and Mesa's driver on the cores crashes on them.

use burn::tensor::{Device, Tensor};

/// The sum of all values, `[1]`.
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
