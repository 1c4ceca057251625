//! The loss and its gradient on the CPU: cross-entropy of policy and outcome, and a robust distance for the moves left.

use tablut_games::{LossParts, TrainingBatch};
use tablut_net::{MOVES_LEFT_UNIT, Predictions};
use tablut_search::formulas::softmax::{exp, log_softmax};

/// The weight of the moves left in the sum. Policy and outcome have the weight 1.
pub(crate) const MOVES_LEFT_WEIGHT: f32 = 0.1;

/// The loss, and its gradient with respect to the batch's `predictions`. It is written by hand, because burn's
/// operations would take a tenth of a step on the CPU. `tests/learner/gradients.rs` compares it with burn's.
pub(crate) fn loss_gradient(mut predictions: Predictions, batch: &TrainingBatch) -> (LossParts, Predictions) {
    let n = batch.input.n;
    let per_row = 1.0 / n as f32;
    let (mut policy, mut value, mut moves_left) = (0.0, 0.0, 0.0);
    for row in 0..n {
        let moves = batch.input.move_range(row);
        policy += differentiate(&mut predictions.logits[moves.clone()], &batch.policy[moves], per_row);
        value += differentiate(&mut predictions.wdl[3 * row..][..3], &batch.wdl[row], per_row);
        let plies = &mut predictions.moves_left[row];
        let target = batch.moves_left[row] / MOVES_LEFT_UNIT;
        // A position of an unfinished game has no target.
        let distance = if target.is_nan() { 0.0 } else { *plies - target };
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

pub(crate) fn target_entropy(batch: &TrainingBatch) -> f32 {
    let sum: f32 = batch.policy.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
    sum / batch.input.n as f32
}
