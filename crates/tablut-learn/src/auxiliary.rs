//! Heads that only learning has: each reads the trunk's output and has a loss of its own, whose gradient shapes the
//! trunk. Games are played without them.
//!
//! burn runs and differentiates them, on every device. A new one takes a target in `TrainingBatch`, a weight in
//! [`LossWeights`], and an [`AuxiliaryHead`] here, listed in [`auxiliary_heads`].

use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::Parameter;

use crate::loss_parts::LossWeights;

/// A head that only learning has.
pub(crate) trait AuxiliaryHead {
    /// What its loss is called in metrics.
    fn name(&self) -> &'static str;

    /// Its parameters on a trunk of so many channels; their names begin with [`tablut_net::AUXILIARY`].
    fn parameters(&self, channels: usize) -> Vec<Parameter>;

    /// Its mean loss over a batch, `[1]`, from the trunk's output `[n, C, 9, 9]` and its own parameters, each flat.
    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1>;
}

/// The heads whose losses have a weight, with it.
pub(crate) fn auxiliary_heads(_weights: &LossWeights) -> Vec<(f32, Box<dyn AuxiliaryHead>)> {
    Vec::new()
}

/// Weight, name and loss of each head. `parameters` are those of all heads, in order.
pub(crate) fn auxiliary_losses(
    trunk: &Tensor<4>,
    mut parameters: &[Tensor<1>],
    batch: &TrainingBatch,
    weights: &LossWeights,
    device: &Device,
) -> Vec<(f32, &'static str, Tensor<1>)> {
    let channels = trunk.dims()[1];
    let loss = |(weight, head): (f32, Box<dyn AuxiliaryHead>)| {
        let own = parameters.split_off(..head.parameters(channels).len()).expect("the parameters of every head");
        (weight, head.name(), head.loss(trunk.clone(), own, batch, device))
    };
    auxiliary_heads(weights).into_iter().map(loss).collect()
}
