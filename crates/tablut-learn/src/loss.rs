//! The loss: cross-entropy of policy and outcome, a robust distance for the moves left, and the losses of the heads
//! that exist only for training. burn always differentiates it, whatever code differentiates the net's layers.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};
use tablut_games::TrainingBatch;
use tablut_net::layers::adjoint::Predictions;
use tablut_net::{MOVES_LEFT_UNIT, PolicyIndex};
use tablut_rules::{SIZE, SQUARES};

use crate::auxiliary::auxiliary_losses;
use crate::error::StepError;
use crate::loss_parts::{LossParts, LossWeights};
use crate::model::{Outputs, host_values, tensor};
use crate::optimizer::ParamState;

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
    let padded = PaddedMoves::new(batch);
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
    let padded = PaddedMoves::new(batch);
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
    let dims = [n, padded.width];
    let offsets = tensor(padded.offsets.clone(), dims, device);
    let targets = tensor(padded.targets.clone(), dims, device);
    let policy = cross_entropy(logits + offsets, targets);
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

/// Mean over rows of `-Σ target · log softmax(logits)`.
fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    let n = logits.dims()[0];
    (log_softmax(logits, 1) * targets).sum().div_scalar(-(n as f32))
}

/// Mean of Huber's loss with the threshold 1: `x²/2` inside, `|x| − 1/2` outside.
fn huber(x: Tensor<2>) -> Tensor<1> {
    let size = x.abs();
    let inside = size.clone().clamp_max(1.0);
    (inside.clone().powf_scalar(2.0).mul_scalar(0.5) + (size - inside)).mean()
}

/// Mean entropy of the policy targets.
fn target_entropy(batch: &TrainingBatch) -> f32 {
    let sum: f32 = batch.policy.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
    sum / batch.input.n as f32
}

/// The rows' moves, padded to the longest row. Every array is `[n, width]`.
struct PaddedMoves {
    width: usize,
    entries: Vec<i32>,
    targets: Vec<f32>,
    /// 0 for a move. For padding it is so low that the probability is 0.
    offsets: Vec<f32>,
    /// Entries of chosen captures, and 1 where there is one. `None` if the batch has none.
    choices: Option<(Vec<i32>, Vec<f32>)>,
}

impl PaddedMoves {
    fn new(batch: &TrainingBatch) -> Self {
        const PADDING: f32 = -1e9;
        let n = batch.input.n;
        let width = (0..n).map(|row| batch.input.move_range(row).len()).max().unwrap_or(0).max(1);
        let any_choice = batch.input.moves.iter().any(|index| index.choice != PolicyIndex::NO_CHOICE);
        let mut padded = Self {
            width,
            entries: vec![0; n * width],
            targets: vec![0.0; n * width],
            offsets: vec![PADDING; n * width],
            choices: any_choice.then(|| (vec![0; n * width], vec![0.0; n * width])),
        };
        for row in 0..n {
            for (at, from) in (row * width..).zip(batch.input.move_range(row)) {
                let index = batch.input.moves[from];
                padded.entries[at] = i32::from(index.entry);
                padded.targets[at] = batch.policy[from];
                padded.offsets[at] = 0.0;
                if let Some((choices, present)) = &mut padded.choices
                    && index.choice != PolicyIndex::NO_CHOICE
                {
                    choices[at] = i32::from(index.choice);
                    present[at] = 1.0;
                }
            }
        }
        padded
    }

    /// The moves' logits in policy tables, `[n, POLICY_ENTRIES]`. Padding gets the logit of an arbitrary entry.
    fn gather(&self, table: &Tensor<2>, device: &Device) -> Tensor<2> {
        let dims = [table.dims()[0], self.width];
        let entries = Tensor::<2, Int>::from_data(TensorData::new(self.entries.clone(), dims), device);
        let logits = table.clone().gather(1, entries); // [n, width]
        let Some((choices, present)) = &self.choices else { return logits };
        let choices = Tensor::<2, Int>::from_data(TensorData::new(choices.clone(), dims), device);
        let present = Tensor::<2>::from_data(TensorData::new(present.clone(), dims), device);
        logits + table.clone().gather(1, choices) * present
    }

    /// Values of the batch's moves, padded with zeros to `[n, width]`.
    fn pad(&self, batch: &TrainingBatch, values: &[f32]) -> Vec<f32> {
        let mut padded = vec![0.0; batch.input.n * self.width];
        for (row, padded) in padded.chunks_exact_mut(self.width).enumerate() {
            let range = batch.input.move_range(row);
            padded[..range.len()].copy_from_slice(&values[range]);
        }
        padded
    }

    /// The values of the batch's moves from padded values `[n, width]`.
    fn unpad(&self, batch: &TrainingBatch, padded: &[f32]) -> Vec<f32> {
        let rows = padded.chunks_exact(self.width).enumerate();
        rows.flat_map(|(row, padded)| &padded[..batch.input.move_range(row).len()]).copied().collect()
    }
}
