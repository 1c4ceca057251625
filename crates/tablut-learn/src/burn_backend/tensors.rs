//! Values on a device: transfers, sums and products.

use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::gradient_backend::StepError;

pub(crate) fn tensor<const D: usize>(values: Vec<f32>, dims: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, dims), device)
}

pub(crate) fn indices<const D: usize>(values: Vec<i32>, dims: [usize; D], device: &Device) -> Tensor<D, Int> {
    Tensor::from_data(TensorData::new(values, dims), device)
}

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

/// How a device multiplies matrices.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Multiply {
    /// By matrix products, which are fast on GPUs.
    Matrices,
    /// By convolutions on boards of one square. Mesa's CPU driver crashes on matrix products.
    Convolutions,
}

impl Multiply {
    /// `[rows, inputs]` × `[inputs, outputs]` → `[rows, outputs]`.
    pub(crate) fn product(self, x: Tensor<2>, factor: Tensor<2>) -> Tensor<2> {
        let [[rows, inputs], [_, outputs]] = [x.dims(), factor.dims()];
        match self {
            Self::Matrices => x.matmul(factor),
            Self::Convolutions => {
                let options = ConvOptions::new([1, 1], [0, 0], [1, 1], 1);
                let weight = factor.transpose().reshape([outputs, inputs, 1, 1]);
                conv2d(x.reshape([rows, inputs, 1, 1]), weight, None, options).reshape([rows, outputs])
            }
        }
    }

    /// A product for each index of the first dimension: `[count, rows, inputs]` × `[count, inputs, outputs]`.
    pub(crate) fn products(self, x: Tensor<3>, factors: Tensor<3>) -> Tensor<3> {
        let count = x.dims()[0];
        match self {
            Self::Matrices => x.matmul(factors),
            Self::Convolutions => {
                let matrix = |x: &Tensor<3>, at| x.clone().narrow(0, at, 1).squeeze_dim::<2>(0);
                let product = |at| self.product(matrix(&x, at), matrix(&factors, at)).unsqueeze::<3>();
                Tensor::cat((0..count).map(product).collect(), 0)
            }
        }
    }
}
