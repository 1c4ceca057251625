//! The loss of [`crate::loss`] in burn's operations, for any device.

use burn::tensor::{Device, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::MOVES_LEFT_UNIT;

use super::moves::{cross_entropy, policy_loss};
use super::product_net::Outputs;
use super::tensors::{host_values, mean_of, tensor};
use crate::gradient_backend::StepError;
use crate::loss::{MOVES_LEFT_WEIGHT, target_entropy};

/// The loss as tensors of one value on some device.
pub struct LossTensors {
    /// The weighted sum, which is differentiated.
    pub total: Tensor<1>,
    policy: Tensor<1>,
    value: Tensor<1>,
    moves_left: Tensor<1>,
}

impl LossTensors {
    /// Reads the parts back, together with other requested values, all at once.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    pub fn read(self, batch: &TrainingBatch, others: Vec<Tensor<1>>) -> Result<(LossParts, Vec<f32>), StepError> {
        let parts = [self.policy, self.value, self.moves_left].map(Tensor::without_autodiff);
        let plain = parts.into_iter().chain(others).collect();
        let mut values = host_values(Tensor::cat(plain, 0))?.into_iter();
        let mut next = || values.next().expect("a value for each tensor");
        let parts =
            LossParts { policy: next(), policy_floor: target_entropy(batch), value: next(), moves_left: next() };
        Ok((parts, values.collect()))
    }
}

/// The loss of a net's outputs and its parts.
pub fn loss(outputs: Outputs, batch: &TrainingBatch, device: &Device) -> LossTensors {
    let n = batch.input.n;
    let policy = policy_loss(&outputs.policy, batch, device);
    let wdl = batch.wdl.iter().flatten().copied().collect::<Vec<_>>();
    let value = cross_entropy(outputs.wdl, tensor(wdl, [n, 3], device));
    // A position of an unfinished game has no target, and the distance 0.
    let has_target: Vec<f32> = batch.moves_left.iter().map(|plies| if plies.is_nan() { 0.0 } else { 1.0 }).collect();
    let plies = batch.moves_left.iter().map(|plies| if plies.is_nan() { 0.0 } else { plies / MOVES_LEFT_UNIT });
    let distance = outputs.moves_left - tensor(plies.collect::<Vec<_>>(), [n, 1], device);
    let moves_left = huber(distance * tensor(has_target, [n, 1], device));
    let total = policy.clone() + value.clone() + moves_left.clone().mul_scalar(MOVES_LEFT_WEIGHT);
    LossTensors { total, policy, value, moves_left }
}

/// Mean of Huber's loss with the threshold 1: `x²/2` inside, `|x| − 1/2` outside.
fn huber(x: Tensor<2>) -> Tensor<1> {
    let size = x.abs();
    let inside = size.clone().clamp_max(1.0);
    mean_of(inside.clone().powf_scalar(2.0).mul_scalar(0.5) + (size - inside))
}
