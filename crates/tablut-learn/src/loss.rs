//! The loss: cross-entropy of policy and outcome, a robust distance for the moves left.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use tablut_games::TrainingBatch;
use tablut_net::PolicyIndex;

use crate::kernel_net::Predictions;
use crate::model::{Heads, MOVES_LEFT_UNIT, host_values};

/// Weights of the parts in the sum.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossWeights {
    /// Of the policy's cross-entropy (default 1).
    pub policy: f32,
    /// Of the outcome's cross-entropy (default 1).
    pub value: f32,
    /// Of the moves-left head (default 0.1).
    pub moves_left: f32,
}

impl Default for LossWeights {
    fn default() -> Self {
        Self { policy: 1.0, value: 1.0, moves_left: 0.1 }
    }
}

/// Means over a batch, unweighted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LossParts {
    /// Cross-entropy of the policy against its target, in nats.
    pub policy: f32,
    /// The target's own entropy, which the cross-entropy cannot go below, in nats.
    pub policy_floor: f32,
    /// Cross-entropy of win, draw, loss against its target, in nats.
    pub value: f32,
    /// Distance of the moves left: Huber's, in units of 32 plies.
    pub moves_left: f32,
}

impl LossParts {
    /// Mean of several batches' parts; zeros of none.
    pub fn mean(parts: &[Self]) -> Self {
        let n = parts.len().max(1) as f32;
        let of = |field: fn(&Self) -> f32| parts.iter().map(field).sum::<f32>() / n;
        Self {
            policy: of(|p| p.policy),
            policy_floor: of(|p| p.policy_floor),
            value: of(|p| p.value),
            moves_left: of(|p| p.moves_left),
        }
    }
}

/// The weighted loss as a tensor to differentiate, and its parts.
pub fn loss(heads: Heads, batch: &TrainingBatch, weights: LossWeights, device: &Device) -> (Tensor<1>, LossParts) {
    let padded = PaddedMoves::new(batch);
    let logits = padded.gather(&heads.policy, device); // [n, width]
    weighted(logits, [heads.wdl, heads.moves_left], batch, &padded, weights, device)
}

/// The loss and its gradient with respect to `predictions`, which are the batch's.
pub(crate) fn loss_gradient(
    predictions: &Predictions,
    batch: &TrainingBatch,
    weights: LossWeights,
) -> (LossParts, Predictions) {
    let device = Device::flex().autodiff();
    let padded = PaddedMoves::new(batch);
    let n = batch.input.n;
    let leaf = |values: Vec<f32>, width: usize| {
        Tensor::<2>::from_data(TensorData::new(values, [n, width]), &device).require_grad()
    };
    let logits = leaf(padded.pad(batch, &predictions.logits), padded.width);
    let wdl = leaf(predictions.wdl.clone(), 3);
    let moves_left = leaf(predictions.moves_left.clone(), 1);
    let heads = [wdl.clone(), moves_left.clone()];
    let (total, parts) = weighted(logits.clone(), heads, batch, &padded, weights, &device);
    let gradients = total.backward();
    let host = |leaf: &Tensor<2>| leaf.grad(&gradients).map(host_values).unwrap_or_default();
    let logits = padded.unpad(batch, &host(&logits));
    (parts, Predictions { logits, wdl: host(&wdl), moves_left: host(&moves_left) })
}

/// The weighted loss and its parts, from the logits of the padded moves, of the outcome, and the moves left.
fn weighted(
    logits: Tensor<2>,
    [wdl_logits, moves_left]: [Tensor<2>; 2],
    batch: &TrainingBatch,
    padded: &PaddedMoves,
    weights: LossWeights,
    device: &Device,
) -> (Tensor<1>, LossParts) {
    let n = batch.input.n;
    let dims = [n, padded.width];
    let offsets = Tensor::<2>::from_data(TensorData::new(padded.offsets.clone(), dims), device);
    let targets = Tensor::<2>::from_data(TensorData::new(padded.targets.clone(), dims), device);
    let policy = cross_entropy(logits + offsets, targets);
    let wdl = batch.wdl.iter().flatten().copied().collect::<Vec<_>>();
    let wdl = Tensor::<2>::from_data(TensorData::new(wdl, [n, 3]), device);
    let value = cross_entropy(wdl_logits, wdl);
    let plies = batch.moves_left.iter().map(|plies| plies / MOVES_LEFT_UNIT as f32).collect::<Vec<_>>();
    let plies = Tensor::<2>::from_data(TensorData::new(plies, [n, 1]), device);
    let moves_left = huber(moves_left - plies);
    let total = policy.clone().mul_scalar(weights.policy)
        + value.clone().mul_scalar(weights.value)
        + moves_left.clone().mul_scalar(weights.moves_left);
    let parts = LossParts {
        policy: host_values(policy)[0],
        policy_floor: target_entropy(batch),
        value: host_values(value)[0],
        moves_left: host_values(moves_left)[0],
    };
    (total, parts)
}

/// Mean over rows of `-Σ target · log softmax(logits)`.
fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    let n = logits.dims()[0];
    (log_softmax(logits, 1) * targets).sum().div_scalar(-(n as f32))
}

/// Mean of Huber's loss with its corner at 1: `x²/2` inside, `|x| − 1/2` outside.
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

/// The rows' moves, padded to the longest row; every array is `[n, width]`.
struct PaddedMoves {
    width: usize,
    entries: Vec<i32>,
    targets: Vec<f32>,
    /// 0 for a move; so low for padding that its probability is 0.
    offsets: Vec<f32>,
    /// Entries of chosen captures, and 1 where there is one; `None` where the batch has none.
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

    /// The moves' logits in policy tables, `[n, POLICY_ENTRIES]`; those of padding are some entry's.
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

    /// The batch's moves' values in `[n, width]` padded ones.
    fn unpad(&self, batch: &TrainingBatch, padded: &[f32]) -> Vec<f32> {
        let rows = padded.chunks_exact(self.width).enumerate();
        rows.flat_map(|(row, padded)| &padded[..batch.input.move_range(row).len()]).copied().collect()
    }
}
