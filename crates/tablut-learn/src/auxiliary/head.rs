//! What an auxiliary head is.

use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::Parameter;
use tablut_net::layers::{Parameters, Start};

/// A head that exists only for training.
pub(crate) trait AuxiliaryHead {
    /// The name of its loss in metrics.
    fn name(&self) -> &'static str;

    /// Its parameters for a trunk with `channels` channels. Their names begin with [`tablut_net::AUXILIARY`].
    fn parameters(&self, channels: usize) -> Vec<Parameter>;

    /// Its mean loss over a batch, `[1]`, from the trunk's output `[n, C, 9, 9]` and its own flat parameters.
    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1>;
}

/// The parameters of a 1×1 convolution from `channels` channels to `outputs`.
pub(super) fn square_layer(name: &str, outputs: usize, channels: usize) -> Vec<Parameter> {
    let mut to = Parameters::default();
    to.linear(name, [outputs, channels], Start::Output);
    to.into_vec()
}

/// That convolution of the trunk's output: `[n, C, 9, 9]` → `[n, outputs, 9, 9]`.
pub(super) fn on_squares(trunk: Tensor<4>, parameters: &[Tensor<1>], outputs: usize) -> Tensor<4> {
    let channels = trunk.dims()[1];
    let weight = parameters[0].clone().reshape([outputs, channels, 1, 1]);
    conv2d(trunk, weight, Some(parameters[1].clone()), ConvOptions::new([1, 1], [0, 0], [1, 1], 1))
}
