//! The loss of [`crate::loss`] in burn's operations, for any device.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::MOVES_LEFT_UNIT;

use super::line_net::Outputs;
use super::tensors::{host_values, sum_of, tensor};
use crate::gradient_backend::StepError;
use crate::loss::{MOVES_LEFT_WEIGHT, target_entropy};

pub struct LossTensors {
    /// The weighted sum, which is differentiated.
    pub total: Tensor<1>,
    policy: Tensor<1>,
    value: Tensor<1>,
    moves_left: Tensor<1>,
}

impl LossTensors {
    /// Reads the parts back, together with other requested values, all at once.
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

pub fn loss(outputs: Outputs, batch: &TrainingBatch, device: &Device) -> LossTensors {
    let n = batch.input.n;
    let policy = policy_loss(outputs.logits, batch, device);
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

/// The mean cross-entropy of the legal moves against the search's policy, from padded logits `[n, width]`.
fn policy_loss(logits: Tensor<2>, batch: &TrainingBatch, device: &Device) -> Tensor<1> {
    /// Added to the logits of a row's padding. It is so low that their probabilities are 0.
    const PADDING: f32 = -1e9;
    let [n, width] = logits.dims();
    let (mut targets, mut offsets) = (vec![0.0; n * width], vec![PADDING; n * width]);
    for row in 0..n {
        let policy = &batch.policy[batch.input.move_range(row)];
        let range = row * width..row * width + policy.len();
        targets[range.clone()].copy_from_slice(policy);
        offsets[range].fill(0.0);
    }
    cross_entropy(logits + tensor(offsets, [n, width], device), tensor(targets, [n, width], device))
}

/// Mean over rows of `-Σ target · log softmax(logits)`.
fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    let n = logits.dims()[0];
    sum_of(log_softmax(logits, 1) * targets).div_scalar(-(n as f32))
}

/// Mean of Huber's loss with the threshold 1: `x²/2` inside, `|x| − 1/2` outside.
fn huber(x: Tensor<2>) -> Tensor<1> {
    let n = x.dims()[0];
    let inside = x.clone().clamp(-1.0, 1.0);
    sum_of(inside.clone() * (x - inside.mul_scalar(0.5))).div_scalar(n as f32)
}
