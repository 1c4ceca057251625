//! The loss: cross-entropy of policy and outcome, and a robust distance for the moves left. burn always differentiates
//! it, whatever code differentiates the net's layers.

use burn::tensor::{Device, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::MOVES_LEFT_UNIT;
use tablut_net::layers::adjoint::Predictions;

use crate::burn_net::Outputs;
use crate::moves::{PaddedMoves, cross_entropy};
use crate::step_error::StepError;
use crate::tensors::mean_of;
use crate::tensors::{host_values, tensor};

/// The weight of the moves left in the sum. Policy and outcome have the weight 1.
const MOVES_LEFT_WEIGHT: f32 = 0.1;

/// The loss as tensors of one value on some device.
pub(crate) struct LossTensors {
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

/// The loss of a net's outputs.
pub(crate) fn loss(outputs: Outputs, batch: &TrainingBatch, device: &Device) -> LossTensors {
    let padded = PaddedMoves::of_batch(batch);
    let logits = padded.gather(&outputs.policy, device); // [n, width]
    weighted(logits, [outputs.wdl, outputs.moves_left], batch, &padded, device)
}

/// The loss, and its gradient with respect to the batch's `predictions`.
pub(crate) fn loss_gradient(
    predictions: &Predictions,
    batch: &TrainingBatch,
) -> Result<(LossParts, Predictions), StepError> {
    let device = Device::flex().autodiff();
    let padded = PaddedMoves::of_batch(batch);
    let n = batch.input.n;
    let leaf = |values: Vec<f32>, width: usize| tensor(values, [n, width], &device).require_grad();
    let logits = leaf(padded.pad(batch, &predictions.logits), padded.width);
    let wdl = leaf(predictions.wdl.clone(), 3);
    let moves_left = leaf(predictions.moves_left.clone(), 1);
    let heads = [wdl.clone(), moves_left.clone()];
    let parts = weighted(logits.clone(), heads, batch, &padded, &device);
    let gradients = parts.total.backward();
    let read = |gradient: Option<Tensor<2>>| gradient.map_or(Ok(Vec::new()), host_values);
    let gradient = Predictions {
        logits: padded.unpad(batch, &read(logits.grad(&gradients))?),
        wdl: read(wdl.grad(&gradients))?,
        moves_left: read(moves_left.grad(&gradients))?,
    };
    Ok((parts.read(batch, Vec::new())?.0, gradient))
}

/// The weighted loss and its parts, from the logits of the padded moves, the logits of the outcome, and the moves left.
fn weighted(
    logits: Tensor<2>,
    [wdl_logits, moves_left]: [Tensor<2>; 2],
    batch: &TrainingBatch,
    padded: &PaddedMoves,
    device: &Device,
) -> LossTensors {
    let n = batch.input.n;
    let policy = padded.cross_entropy(logits, device);
    let wdl = batch.wdl.iter().flatten().copied().collect::<Vec<_>>();
    let value = cross_entropy(wdl_logits, tensor(wdl, [n, 3], device));
    let plies = batch.moves_left.iter().map(|plies| plies / MOVES_LEFT_UNIT).collect::<Vec<_>>();
    let moves_left = huber(moves_left - tensor(plies, [n, 1], device));
    let total = policy.clone() + value.clone() + moves_left.clone().mul_scalar(MOVES_LEFT_WEIGHT);
    LossTensors { total, policy, value, moves_left }
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
