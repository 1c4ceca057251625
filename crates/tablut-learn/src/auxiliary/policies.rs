//! Heads that predict a policy. Each is one 1×1 convolution of the trunk's output to the planes of the policy table, a
//! small part of the cost of one block. It has no layer of its own before that, so that the trunk itself must know.

use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::{POLICY_ENTRIES, POLICY_PLANES, Parameter};

use super::head::{AuxiliaryHead, on_squares, square_layer};
use crate::padded_moves::PaddedMoves;

/// The search's policy to the power of 1/4, normalised over the legal moves (the soft policy of `KataGo`). It tells
/// moves apart that the policy itself hardly gives a chance. A move that the policy rules out stays at 0.
pub(super) struct SoftPolicy;

/// The policy of the next ply's search, the opponent's reply (Wu 2019, section 3.4), over the moves that are legal after
/// the move that was played. Positions without a searched reply do not count.
pub(super) struct Reply;

impl AuxiliaryHead for SoftPolicy {
    fn name(&self) -> &'static str {
        "soft_policy"
    }

    fn parameters(&self, channels: usize) -> Vec<Parameter> {
        square_layer("aux.soft_policy", POLICY_PLANES, channels)
    }

    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1> {
        let padded = PaddedMoves::of_batch(batch);
        let targets = softened(&padded.targets, padded.width);
        policy_loss(trunk, parameters, &padded, targets, batch.input.n, device)
    }
}

impl AuxiliaryHead for Reply {
    fn name(&self) -> &'static str {
        "reply"
    }

    fn parameters(&self, channels: usize) -> Vec<Parameter> {
        square_layer("aux.reply", POLICY_PLANES, channels)
    }

    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1> {
        let padded = PaddedMoves::of_replies(batch);
        let n_replies = padded.targets.chunks_exact(padded.width).filter(|row| row.iter().any(|&p| p > 0.0)).count();
        let targets = padded.targets.clone();
        policy_loss(trunk, parameters, &padded, targets, n_replies.max(1), device)
    }
}

/// The cross-entropy of a head's policy against `targets`, summed over the rows and divided by `n`.
fn policy_loss(
    trunk: Tensor<4>,
    parameters: &[Tensor<1>],
    padded: &PaddedMoves,
    targets: Vec<f32>,
    n: usize,
    device: &Device,
) -> Tensor<1> {
    let rows = trunk.dims()[0];
    let table = on_squares(trunk, parameters, POLICY_PLANES).reshape([rows, POLICY_ENTRIES]);
    let logits = padded.gather(&table, device); // [rows, width]
    padded.cross_entropy(logits, targets, n, device)
}

/// The fourth root of each probability, normalised in each row of `width`.
fn softened(policy: &[f32], width: usize) -> Vec<f32> {
    let mut soft: Vec<f32> = policy.iter().map(|p| p.sqrt().sqrt()).collect();
    for row in soft.chunks_exact_mut(width) {
        let total = row.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for p in row {
            *p /= total;
        }
    }
    soft
}

#[cfg(test)]
mod tests {
    use super::softened;

    #[test]
    fn soft_policies_are_fourth_roots() {
        // Fourth roots of 16/81 and 1/81 are in the ratio 2 to 1; of 1/16 and 1/16, even.
        let soft = softened(&[16.0 / 81.0, 1.0 / 81.0, 0.0, 0.0625, 0.0625, 0.0], 3);
        for (found, expected) in soft.iter().zip([2.0 / 3.0, 1.0 / 3.0, 0.0, 0.5, 0.5, 0.0_f32]) {
            assert!((found - expected).abs() < 1e-6, "{soft:?}");
        }
        assert_eq!(softened(&[0.0, 0.0], 2), [0.0, 0.0]);
    }
}
