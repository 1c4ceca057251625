//! The loss: cross-entropy of policy and outcome, and a robust distance for the moves left. It is written twice, with
//! burn's operations for any device, and with a gradient by hand for the CPU.

use burn::tensor::{Device, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::MOVES_LEFT_UNIT;
use tablut_net::layers::adjoint::Predictions;
use tablut_search::formulas::softmax::{exp, log_softmax};

use crate::moves::{cross_entropy, policy_loss};
use crate::product_net::Outputs;
use crate::step_error::StepError;
use crate::tensors::{host_values, mean_of, tensor};

/// The weight of the moves left in the sum. Policy and outcome have the weight 1.
const MOVES_LEFT_WEIGHT: f32 = 0.1;

/// The loss as tensors of one value on some device.
pub struct LossTensors {
    /// The weighted sum, which is differentiated.
    pub total: Tensor<1>,
    policy: Tensor<1>,
    value: Tensor<1>,
    moves_left: Tensor<1>,
}

impl LossTensors {
    /// Reads the parts and other requested values in one transfer.
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
    let plies = batch.moves_left.iter().map(|plies| plies / MOVES_LEFT_UNIT).collect::<Vec<_>>();
    let moves_left = huber(outputs.moves_left - tensor(plies, [n, 1], device));
    let total = policy.clone() + value.clone() + moves_left.clone().mul_scalar(MOVES_LEFT_WEIGHT);
    LossTensors { total, policy, value, moves_left }
}

/// The loss, and its gradient with respect to the batch's `predictions`. It is written by hand, because burn's
/// operations would take a tenth of a step on the CPU. `tests/gradients.rs` compares it with burn's.
pub(crate) fn loss_gradient(mut predictions: Predictions, batch: &TrainingBatch) -> (LossParts, Predictions) {
    let n = batch.input.n;
    let per_row = 1.0 / n as f32;
    let (mut policy, mut value, mut moves_left) = (0.0, 0.0, 0.0);
    for row in 0..n {
        let moves = batch.input.move_range(row);
        policy += differentiate(&mut predictions.logits[moves.clone()], &batch.policy[moves], per_row);
        value += differentiate(&mut predictions.wdl[3 * row..][..3], &batch.wdl[row], per_row);
        let plies = &mut predictions.moves_left[row];
        let distance = *plies - batch.moves_left[row] / MOVES_LEFT_UNIT;
        let inside = distance.clamp(-1.0, 1.0);
        moves_left += inside * (distance - inside / 2.0);
        *plies = inside * MOVES_LEFT_WEIGHT * per_row;
    }
    let mean = |sum: f32| sum * per_row;
    let (policy, value, moves_left) = (mean(policy), mean(value), mean(moves_left));
    (LossParts { policy, policy_floor: target_entropy(batch), value, moves_left }, predictions)
}

/// Replaces `logits` by the gradient of their cross-entropy against `targets`, times `scale`. Returns the
/// cross-entropy, which is NaN if a logit is not finite.
fn differentiate(logits: &mut [f32], targets: &[f32], scale: f32) -> f32 {
    if !logits.iter().all(|logit| logit.is_finite()) {
        return f32::NAN;
    }
    log_softmax(logits);
    let total: f32 = targets.iter().sum();
    let mut loss = 0.0;
    for (logit, target) in logits.iter_mut().zip(targets) {
        loss -= target * *logit;
        *logit = (exp(*logit) * total - target) * scale;
    }
    loss
}

/// Mean of Huber's loss with the threshold 1: `x²/2` inside, `|x| − 1/2` outside.
fn huber(x: Tensor<2>) -> Tensor<1> {
    let size = x.abs();
    let inside = size.clone().clamp_max(1.0);
    mean_of(inside.clone().powf_scalar(2.0).mul_scalar(0.5) + (size - inside))
}

/// Mean entropy of the policy targets.
fn target_entropy(batch: &TrainingBatch) -> f32 {
    let sum: f32 = batch.policy.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
    sum / batch.input.n as f32
}
