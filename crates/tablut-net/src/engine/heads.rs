//! The heads: logits of the moves asked for, win, draw and loss, and moves left.

use tablut_kernels::{Kernels, Rows};
use tablut_rules::SQUARES;

use super::network::{Network, Policy, Value};
use super::threads::Share;
use super::trunk::pool_bias;
use super::workspace::Workspace;
use crate::batch::InputBatch;
use crate::policy::PolicyIndex;

/// What the moves-left output is counted in, plies.
pub(crate) const MOVES_LEFT_UNIT: f32 = 32.0;

/// Writes a share's outputs, from the workspace's `trunk` and `pooled`.
pub(super) fn run(
    network: &Network,
    kernels: Kernels,
    workspace: &mut Workspace,
    input: &InputBatch,
    share: Share<'_>,
) {
    let channels = network.shape.channels;
    let n = share.rows.len();
    pool_bias(kernels, &network.policy.pool, &network.policy.bias, workspace, n);
    let mut logits = share.logits;
    for (index, row) in share.rows.enumerate() {
        let trunk = &workspace.trunk[index * SQUARES * channels..][..SQUARES * channels];
        let squares = Rows { values: trunk, stride: channels, count: SQUARES };

        let bias = &workspace.bias[index * channels..][..channels];
        kernels.product(squares, &network.policy.conv, bias, true, &mut workspace.inner);
        let moves = &input.moves[input.move_range(row)];
        let (mine, rest) = logits.split_at_mut(moves.len());
        logits = rest;
        for (logit, &index) in mine.iter_mut().zip(moves) {
            *logit = move_logit(&network.policy, kernels, &workspace.inner, index);
        }

        let value = &network.value;
        let width = value.conv.padded_outputs();
        kernels.product(squares, &value.conv, &value.bias, true, &mut workspace.value);
        kernels.pool(&workspace.value, width, &mut workspace.value_pooled);
        let outputs = value_outputs(value, kernels, workspace);
        share.wdl[index] = softmax([outputs[0], outputs[1], outputs[2]]);
        share.moves_left[index] = softplus(outputs[3]) * MOVES_LEFT_UNIT;
    }
}

/// The logit of one move, from the policy head's activations.
fn move_logit(policy: &Policy, kernels: Kernels, squares: &[f32], index: PolicyIndex) -> f32 {
    let channels = policy.bias.len();
    let entry = |entry: u16| {
        let (plane, square) = (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES);
        let weights = &policy.out[plane * channels..][..channels];
        kernels.dot(weights, &squares[square * channels..][..channels]) + policy.out_bias[plane]
    };
    let logit = entry(index.entry);
    if index.choice == PolicyIndex::NO_CHOICE { logit } else { logit + entry(index.choice) }
}

/// The logits of win, draw and loss, then moves left before its softplus.
fn value_outputs<'a>(value: &Value, kernels: Kernels, workspace: &'a mut Workspace) -> &'a [f32] {
    let pooled = Rows { values: &workspace.value_pooled, stride: value.hidden.inputs(), count: 1 };
    kernels.product(pooled, &value.hidden, &value.hidden_bias, true, &mut workspace.value_hidden);
    let hidden = Rows { values: &workspace.value_hidden, stride: value.out.inputs(), count: 1 };
    kernels.product(hidden, &value.out, &value.out_bias, false, &mut workspace.value_out);
    &workspace.value_out
}

fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let max = logits[0].max(logits[1]).max(logits[2]);
    let exps = logits.map(|logit| (logit - max).exp());
    let sum = exps[0] + exps[1] + exps[2];
    exps.map(|exp| exp / sum)
}

/// `ln(1 + exp(x))`, without overflow for large `x`.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softmax_survives_large_logits() {
        assert_eq!(softmax([1000.0, 0.0, -1000.0]), [1.0, 0.0, 0.0]);
        assert_eq!(softmax([5.0, 5.0, 5.0]), [1.0 / 3.0; 3]);
    }

    #[test]
    fn the_softplus_is_ln_2_at_zero_and_the_identity_far_up() {
        assert_eq!(softplus(0.0), std::f32::consts::LN_2);
        assert_eq!(softplus(100.0), 100.0);
        assert!(softplus(-100.0) >= 0.0);
    }
}
