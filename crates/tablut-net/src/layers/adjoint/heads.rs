//! The heads' backward pass: from the gradient of the predictions to the gradients of the heads' weights and of the
//! trunk's output.

use tablut_kernels::{Kernels, LANES, Rows};
use tablut_rules::SQUARES;

use super::gradients::{Predictions, Shard, Workspace, sum_rows};
use super::packed::LearningNet;
use super::trunk::share_means;
use crate::batch::Positions;
use crate::layers::heads::{plane_and_square, softplus};
use crate::layers::kept::{row, row_mut};
use crate::policy::PolicyIndex;

/// Sums the gradients of the heads' weights. It leaves the gradient before the trunk's last rectifier in the
/// workspace's `outer`, with its sums. `gradient` belongs to the whole batch.
pub(super) fn backward(
    net: &LearningNet,
    kernels: Kernels,
    shard: &mut Shard,
    workspace: &mut Workspace,
    positions: &Positions<'_>,
    gradient: &Predictions,
) {
    let (n, c, p) = (shard.rows.len(), net.layers.channels, net.heads.policy_width);
    let (adjoints, wide) = (&net.head_adjoints, net.heads.joint_width());
    value_backward(net, kernels, shard, workspace, gradient);
    shard.gradients.policy_out.weight.fill(0.0);
    shard.gradients.policy_out.bias.fill(0.0);
    shard.gradients.joint.bias.fill(0.0);
    for board in 0..n {
        workspace.joint.fill(0.0);
        policy_backward(net, shard, board, &mut workspace.joint, positions, gradient);
        value_squares(net, kernels, shard, board, workspace);
        let Workspace { joint, joint_sums, bias, inner, .. } = &mut *workspace;
        kernels.gate(joint, row(&shard.kept.joint, board, SQUARES * wide), f32::INFINITY, joint_sums);
        for (total, sum) in shard.gradients.joint.bias.iter_mut().zip(&**joint_sums) {
            *total += sum;
        }
        row_mut(bias, board, p).copy_from_slice(&joint_sums[..p]);
        let left = Rows { values: row(shard.kept.output(), board, SQUARES * c), stride: c, count: SQUARES };
        let right = Rows { values: joint, stride: wide, count: SQUARES };
        kernels.outer(&[[left, right]], c, board > 0, &mut shard.gradients.joint.weight);
        // The gradient from the pooled values of this row is added below.
        kernels.product(right, &adjoints.joint, &[], false, row_mut(inner, board, SQUARES * c));
    }
    let sums = Rows { values: &workspace.bias, stride: p, count: n };
    let left = Rows { values: &shard.kept.output_pooled, stride: 2 * c, count: n };
    kernels.outer(&[[left, sums]], 2 * c, false, &mut shard.gradients.policy_pool);
    kernels.product(sums, &adjoints.pool, &[], false, &mut workspace.pooled);
    output_backward(c, kernels, shard, workspace);
}

/// Adds the parts of the gradient of the trunk's output, and passes it back through the rectifier of the output.
fn output_backward(c: usize, kernels: Kernels, shard: &Shard, workspace: &mut Workspace) {
    let Workspace { pooled, inner, outer, outer_sums, .. } = workspace;
    let (size, mut share) = (SQUARES * c, vec![0.0; c]);
    for board in 0..shard.rows.len() {
        let (means, maxima) = row(pooled, board, 2 * c).split_at(c);
        share_means(means, &mut share);
        let image = row_mut(outer, board, size);
        let squares = image.chunks_exact_mut(c).zip(row(inner, board, size).chunks_exact(c));
        for (square, from) in squares {
            for ((out, from), share) in square.iter_mut().zip(from).zip(&share) {
                *out = from + share;
            }
        }
        let active = row(shard.kept.output(), board, size);
        kernels.add_at_maxima(active, &row(&shard.kept.output_pooled, board, 2 * c)[c..], maxima, [c, 0], image);
        kernels.gate(image, active, f32::INFINITY, row_mut(outer_sums, board, c));
    }
}

/// Sums the gradients of the value head's last two layers. It leaves the gradients of the head's pooled values in the
/// workspace.
fn value_backward(
    net: &LearningNet,
    kernels: Kernels,
    shard: &mut Shard,
    workspace: &mut Workspace,
    gradient: &Predictions,
) {
    let (n, v, h) = (shard.rows.len(), net.heads.value_width, net.layers.value.hidden.outputs);
    let Shard { rows, values, gradients, .. } = shard;
    let Workspace { out, hidden, value_pooled, .. } = workspace;
    out.fill(0.0);
    for (index, (board, out)) in rows.clone().zip(out.chunks_exact_mut(LANES)).enumerate() {
        out[..3].copy_from_slice(row(&gradient.wdl, board, 3));
        // The derivative of the softplus is the sigmoid, which is 1 - exp(-softplus).
        let moves_left = softplus(values.out[index * LANES + 3]);
        out[3] = gradient.moves_left[board] * -libm::expm1f(-moves_left);
    }
    sum_rows(&out[..n * LANES], &mut gradients.out.bias);
    let back = Rows { values: out, stride: LANES, count: n };
    let active = &values.hidden;
    kernels.outer(&[[Rows { values: active, stride: h, count: n }, back]], h, false, &mut gradients.out.weight);
    kernels.product(back, &net.head_adjoints.out, &[], false, hidden);
    kernels.gate(&mut hidden[..n * h], &active[..n * h], f32::INFINITY, &mut gradients.hidden.bias);
    let back = Rows { values: hidden, stride: h, count: n };
    let pooled = Rows { values: &values.pooled, stride: 2 * v, count: n };
    kernels.outer(&[[pooled, back]], 2 * v, false, &mut gradients.hidden.weight);
    kernels.product(back, &net.head_adjoints.hidden, &[], false, value_pooled);
}

/// Adds the gradients of one row's logits to the gradients of the policy's last layer and, in `joint`, of its
/// activations.
fn policy_backward(
    net: &LearningNet,
    shard: &mut Shard,
    board: usize,
    joint: &mut [f32],
    positions: &Positions<'_>,
    gradient: &Predictions,
) {
    let (p, wide) = (net.heads.policy_width, net.heads.joint_width());
    let Shard { gradients, kept, .. } = shard;
    let active = row(&kept.joint, board, SQUARES * wide);
    let mut add = |entry: u16, gradient: f32| {
        let (plane, square) = plane_and_square(entry);
        gradients.policy_out.bias[plane] += gradient;
        add_scaled(&mut row_mut(joint, square, wide)[..p], row(&net.heads.policy_out, plane, p), gradient);
        add_scaled(row_mut(&mut gradients.policy_out.weight, plane, p), &row(active, square, wide)[..p], gradient);
    };
    for at in positions.input.move_range(positions.rows.start + board) {
        let (index, gradient) = (positions.input.moves[at], gradient.logits[at]);
        add(index.entry, gradient);
        if index.choice != PolicyIndex::NO_CHOICE {
            add(index.choice, gradient);
        }
    }
}

/// Writes the gradient of one row's value activations into the workspace's `joint`.
fn value_squares(net: &LearningNet, kernels: Kernels, shard: &Shard, board: usize, workspace: &mut Workspace) {
    let (p, v, wide) = (net.heads.policy_width, net.heads.value_width, net.heads.joint_width());
    let Workspace { joint, joint_sums, value_pooled, .. } = workspace;
    let (means, maxima) = row(value_pooled, board, 2 * v).split_at(v);
    let share = &mut joint_sums[..v];
    share_means(means, share);
    for square in joint.chunks_exact_mut(wide) {
        square[p..].copy_from_slice(share);
    }
    let active = row(&shard.kept.joint, board, SQUARES * wide);
    kernels.add_at_maxima(active, &row(&shard.values.pooled, board, 2 * v)[v..], maxima, [wide, p], joint);
}

fn add_scaled(out: &mut [f32], values: &[f32], factor: f32) {
    for (out, value) in out.iter_mut().zip(values) {
        *out += value * factor;
    }
}
