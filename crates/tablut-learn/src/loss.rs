//! The loss: cross-entropy of policy and outcome, a robust distance for the moves left, and the losses of the heads
//! that exist only for training. burn always differentiates it, whatever code differentiates the net's layers.

use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::MOVES_LEFT_UNIT;
use tablut_net::layers::adjoint::Predictions;
use tablut_rules::{SIZE, SQUARES};

use crate::auxiliary::auxiliary_losses;
use crate::error::StepError;
use crate::loss_parts::{LossParts, LossWeights};
use crate::model::{Outputs, host_values, tensor};
use crate::optimizer::ParamState;
use crate::padded_moves::{PaddedMoves, cross_entropy};
use crate::sums::mean_of;

/// The loss as tensors of one value on some device.
pub(crate) struct LossTensors {
    /// The weighted sum, which is differentiated.
    pub total: Tensor<1>,
    policy: Tensor<1>,
    value: Tensor<1>,
    moves_left: Tensor<1>,
    auxiliary: Vec<(&'static str, Tensor<1>)>,
}

impl LossTensors {
    /// Reads the parts back, together with other requested values, all at once.
    pub fn read(self, batch: &TrainingBatch, others: Vec<Tensor<1>>) -> Result<(LossParts, Vec<f32>), StepError> {
        let (names, losses): (Vec<_>, Vec<_>) = self.auxiliary.into_iter().unzip();
        let parts = [self.policy, self.value, self.moves_left].into_iter().chain(losses);
        let plain = parts.map(Tensor::without_autodiff).chain(others).collect();
        let mut values = host_values(Tensor::cat(plain, 0))?.into_iter();
        let mut next = || values.next().expect("a value for each tensor");
        let parts = LossParts {
            policy: next(),
            policy_floor: target_entropy(batch),
            value: next(),
            moves_left: next(),
            auxiliary: names.into_iter().map(|name| (name.to_owned(), next())).collect(),
        };
        Ok((parts, values.collect()))
    }
}

/// The loss of a net's outputs. `auxiliary` are the parameters of the heads that exist only for training.
pub(crate) fn loss(
    outputs: Outputs,
    auxiliary: &[Tensor<1>],
    batch: &TrainingBatch,
    weights: &LossWeights,
    device: &Device,
) -> LossTensors {
    let padded = PaddedMoves::of_batch(batch);
    let logits = padded.gather(&outputs.policy, device); // [n, width]
    let heads = [outputs.wdl, outputs.moves_left];
    let auxiliary = auxiliary_losses(&outputs.trunk, auxiliary, batch, weights, device);
    weighted(logits, heads, auxiliary, batch, &padded, weights, device)
}

/// The loss, its gradient with respect to the batch's `predictions`, and its gradients with respect to the parameters
/// of the auxiliary heads, in their order.
pub(crate) fn loss_gradient(
    predictions: &Predictions,
    auxiliary: &[ParamState],
    batch: &TrainingBatch,
    weights: &LossWeights,
) -> Result<(LossParts, Predictions, Vec<Vec<f32>>), StepError> {
    let device = Device::flex().autodiff();
    let padded = PaddedMoves::of_batch(batch);
    let n = batch.input.n;
    let leaf = |values: Vec<f32>, width: usize| tensor(values, [n, width], &device).require_grad();
    let logits = leaf(padded.pad(batch, &predictions.logits), padded.width);
    let wdl = leaf(predictions.wdl.clone(), 3);
    let moves_left = leaf(predictions.moves_left.clone(), 1);
    // The kernels store squares before channels, burn stores channels before squares.
    let channels = predictions.trunk.len() / (n * SQUARES).max(1);
    let trunk = || tensor(predictions.trunk.clone(), [n, SQUARES, channels], &device).require_grad();
    let trunk = (channels > 0).then(trunk);
    let parameter = |param: &ParamState| tensor(param.weights.clone(), [param.weights.len()], &device).require_grad();
    let parameters: Vec<_> = auxiliary.iter().map(parameter).collect();
    let losses = trunk.clone().map_or(Vec::new(), |trunk| {
        let trunk = trunk.swap_dims(1, 2).reshape([n, channels, SIZE, SIZE]);
        auxiliary_losses(&trunk, &parameters, batch, weights, &device)
    });
    let heads = [wdl.clone(), moves_left.clone()];
    let parts = weighted(logits.clone(), heads, losses, batch, &padded, weights, &device);
    let gradients = parts.total.backward();
    let read = |gradient: Option<Tensor<2>>| gradient.map_or(Ok(Vec::new()), host_values);
    let gradient = Predictions {
        logits: padded.unpad(batch, &read(logits.grad(&gradients))?),
        wdl: read(wdl.grad(&gradients))?,
        moves_left: read(moves_left.grad(&gradients))?,
        trunk: trunk.and_then(|trunk| trunk.grad(&gradients)).map_or(Ok(Vec::new()), host_values)?,
    };
    let of_parameter = |leaf: &Tensor<1>| match leaf.grad(&gradients) {
        Some(gradient) => host_values(gradient),
        None => Ok(vec![0.0; leaf.dims()[0]]),
    };
    let of_parameters = parameters.iter().map(of_parameter).collect::<Result<_, _>>()?;
    Ok((parts.read(batch, Vec::new())?.0, gradient, of_parameters))
}

/// The weighted loss and its parts, from the logits of the padded moves, the logits of the outcome, and the moves left.
fn weighted(
    logits: Tensor<2>,
    [wdl_logits, moves_left]: [Tensor<2>; 2],
    auxiliary: Vec<(f32, &'static str, Tensor<1>)>,
    batch: &TrainingBatch,
    padded: &PaddedMoves,
    weights: &LossWeights,
    device: &Device,
) -> LossTensors {
    let n = batch.input.n;
    let policy = padded.cross_entropy(logits, padded.targets.clone(), n, device);
    let wdl = batch.wdl.iter().flatten().copied().collect::<Vec<_>>();
    let value = cross_entropy(wdl_logits, tensor(wdl, [n, 3], device));
    let plies = batch.moves_left.iter().map(|plies| plies / MOVES_LEFT_UNIT).collect::<Vec<_>>();
    let moves_left = huber(moves_left - tensor(plies, [n, 1], device));
    let mut total = policy.clone().mul_scalar(weights.policy)
        + value.clone().mul_scalar(weights.value)
        + moves_left.clone().mul_scalar(weights.moves_left);
    for (weight, _, loss) in &auxiliary {
        total = total + loss.clone().mul_scalar(*weight);
    }
    let auxiliary = auxiliary.into_iter().map(|(_, name, loss)| (name, loss)).collect();
    LossTensors { total, policy, value, moves_left, auxiliary }
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
