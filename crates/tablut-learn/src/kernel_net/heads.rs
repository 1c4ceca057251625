//! The heads: from the trunk's output to predictions, and from their gradient back to the trunk.

use tablut_kernels::{Kernels, LANES, Rows};
use tablut_net::{InputBatch, PolicyIndex};
use tablut_rules::SQUARES;

use super::Predictions;
use super::packed::Packed;
use super::pooling::{add_maxima, share_means};
use super::shard::{Shard, Workspace, row, row_mut, sum_rows};

/// Fills the shard's predictions from its trunk's output.
pub(super) fn forward(
    kernels: Kernels,
    packed: &Packed,
    shard: &mut Shard,
    workspace: &mut Workspace,
    input: &InputBatch,
) {
    let (n, c, v) = (shard.rows.len(), packed.shape.channels, packed.shape.value_channels);
    let (heads, wide) = (&packed.heads, c + v);
    let Workspace { bias, joint_pooled, out, .. } = workspace;
    let pooled = Rows { values: &shard.trunk_pooled, stride: 2 * c, count: n };
    kernels.product(pooled, &heads.policy_pool.forward, &heads.joint_bias[..c], false, bias);
    let mut start = heads.joint_bias.clone();
    let trunk = &shard.x[packed.blocks.len()];
    for board in 0..n {
        start[..c].copy_from_slice(row(bias, board, c));
        let rows = Rows { values: row(trunk, board, SQUARES * c), stride: c, count: SQUARES };
        let joint = row_mut(&mut shard.joint, board, SQUARES * wide);
        kernels.product(rows, &heads.joint.forward, &start, true, joint);
        kernels.pool(joint, wide, joint_pooled);
        let (means, maxima) = row_mut(&mut shard.value_pooled, board, 2 * v).split_at_mut(v);
        means.copy_from_slice(&joint_pooled[c..wide]);
        maxima.copy_from_slice(&joint_pooled[wide + c..]);
    }
    let pooled = Rows { values: &shard.value_pooled, stride: 2 * v, count: n };
    kernels.product(pooled, &heads.hidden.forward, &heads.hidden_bias, true, &mut shard.hidden);
    let hidden = Rows { values: &shard.hidden, stride: packed.shape.value_hidden, count: n };
    kernels.product(hidden, &heads.out.forward, &heads.out_bias, false, out);
    predict(kernels, packed, shard, out, input);
}

/// Writes the predictions, from the value head's last outputs and the policy activations.
fn predict(kernels: Kernels, packed: &Packed, shard: &mut Shard, out: &[f32], input: &InputBatch) {
    let (c, wide) = (packed.shape.channels, packed.shape.channels + packed.shape.value_channels);
    let Predictions { logits, wdl, moves_left } = &mut shard.predictions;
    logits.clear();
    wdl.clear();
    moves_left.clear();
    for (board, out) in shard.rows.clone().zip(out.chunks_exact(LANES)) {
        wdl.extend_from_slice(&out[..3]);
        moves_left.push(softplus(out[3]));
        let joint = row(&shard.joint, board - shard.rows.start, SQUARES * wide);
        let entry = |entry: u16| {
            let (plane, square) = plane_and_square(entry);
            let weights = row(&packed.heads.policy_out, plane, c);
            kernels.dot(weights, &row(joint, square, wide)[..c]) + packed.heads.policy_out_bias[plane]
        };
        for index in &input.moves[input.move_range(board)] {
            let choice = if index.choice == PolicyIndex::NO_CHOICE { 0.0 } else { entry(index.choice) };
            logits.push(entry(index.entry) + choice);
        }
    }
}

/// Sums the gradients of the heads' weights, and leaves the gradient before the trunk's last rectifier in the
/// workspace's `outer`, with its sums. `gradient` is the whole batch's.
pub(super) fn backward(
    kernels: Kernels,
    packed: &Packed,
    shard: &mut Shard,
    workspace: &mut Workspace,
    input: &InputBatch,
    gradient: &Predictions,
) {
    let (n, c, v) = (shard.rows.len(), packed.shape.channels, packed.shape.value_channels);
    let (heads, wide) = (&packed.heads, c + v);
    value_backward(kernels, packed, shard, workspace, gradient);
    shard.gradients.policy_out.fill(0.0);
    shard.gradients.policy_out_bias.fill(0.0);
    shard.gradients.joint_bias.fill(0.0);
    for board in 0..n {
        workspace.joint.fill(0.0);
        policy_backward(packed, shard, board, &mut workspace.joint, input, gradient);
        value_squares(shard, board, [c, v], workspace);
        let Workspace { joint, joint_pooled, bias, inner, .. } = &mut *workspace;
        let sums = &mut joint_pooled[..wide];
        kernels.gate(joint, row(&shard.joint, board, SQUARES * wide), sums);
        for (total, sum) in shard.gradients.joint_bias.iter_mut().zip(&*sums) {
            *total += sum;
        }
        let sums = &sums[..c];
        row_mut(bias, board, c).copy_from_slice(sums);
        let trunk = row(&shard.x[packed.blocks.len()], board, SQUARES * c);
        let left = Rows { values: trunk, stride: c, count: SQUARES };
        let right = Rows { values: joint, stride: wide, count: SQUARES };
        kernels.outer(left, c, right, board > 0, &mut shard.gradients.joint);
        // The pooled values' part of this row's gradient joins it below.
        kernels.product(right, &heads.joint.adjoint, &[], false, row_mut(inner, board, SQUARES * c));
    }
    let Workspace { bias, pooled, inner, outer, outer_sums, .. } = workspace;
    let sums = Rows { values: bias, stride: c, count: n };
    let left = Rows { values: &shard.trunk_pooled, stride: 2 * c, count: n };
    kernels.outer(left, 2 * c, sums, false, &mut shard.gradients.policy_pool);
    kernels.product(sums, &heads.policy_pool.adjoint, &[], false, pooled);
    let mut share = vec![0.0; c];
    for board in 0..n {
        let (means, maxima) = row(pooled, board, 2 * c).split_at(c);
        share_means(means, &mut share);
        let image = row_mut(outer, board, SQUARES * c);
        let squares = image.chunks_exact_mut(c).zip(row(inner, board, SQUARES * c).chunks_exact(c));
        for (square, from) in squares {
            for ((out, from), share) in square.iter_mut().zip(from).zip(&share) {
                *out = from + share;
            }
        }
        let active = row(&shard.x[packed.blocks.len()], board, SQUARES * c);
        add_maxima(active, &row(&shard.trunk_pooled, board, 2 * c)[c..], maxima, c, 0, image);
        kernels.gate(image, active, row_mut(outer_sums, board, c));
    }
}

/// Sums the gradients of the value head's last two layers; leaves those of its pooled values in the workspace.
fn value_backward(
    kernels: Kernels,
    packed: &Packed,
    shard: &mut Shard,
    workspace: &mut Workspace,
    gradient: &Predictions,
) {
    let (n, v, h) = (shard.rows.len(), packed.shape.value_channels, packed.shape.value_hidden);
    let Workspace { out, hidden, value_pooled, .. } = workspace;
    out.fill(0.0);
    for (index, (board, out)) in shard.rows.clone().zip(out.chunks_exact_mut(LANES)).enumerate() {
        out[..3].copy_from_slice(row(&gradient.wdl, board, 3));
        // Of the softplus: the sigmoid, which is 1 - exp(-softplus).
        out[3] = gradient.moves_left[board] * -(-shard.predictions.moves_left[index]).exp_m1();
    }
    let Shard { gradients, hidden: active, value_pooled: pooled, .. } = shard;
    sum_rows(&out[..n * LANES], &mut gradients.out_bias);
    let back = Rows { values: out, stride: LANES, count: n };
    kernels.outer(Rows { values: active, stride: h, count: n }, h, back, false, &mut gradients.out);
    kernels.product(back, &packed.heads.out.adjoint, &[], false, hidden);
    kernels.gate(&mut hidden[..n * h], &active[..n * h], &mut gradients.hidden_bias);
    let back = Rows { values: hidden, stride: h, count: n };
    kernels.outer(Rows { values: pooled, stride: 2 * v, count: n }, 2 * v, back, false, &mut gradients.hidden);
    kernels.product(back, &packed.heads.hidden.adjoint, &[], false, value_pooled);
}

/// Adds the gradients of one row's logits to those of the policy's last layer and of its activations, in `joint`.
fn policy_backward(
    packed: &Packed,
    shard: &mut Shard,
    board: usize,
    joint: &mut [f32],
    input: &InputBatch,
    gradient: &Predictions,
) {
    let (c, wide) = (packed.shape.channels, packed.shape.channels + packed.shape.value_channels);
    let Shard { gradients, joint: active, rows, .. } = shard;
    let active = row(active, board, SQUARES * wide);
    let mut add = |entry: u16, gradient: f32| {
        let (plane, square) = plane_and_square(entry);
        gradients.policy_out_bias[plane] += gradient;
        add_scaled(&mut row_mut(joint, square, wide)[..c], row(&packed.heads.policy_out, plane, c), gradient);
        add_scaled(row_mut(&mut gradients.policy_out, plane, c), &row(active, square, wide)[..c], gradient);
    };
    for at in input.move_range(rows.start + board) {
        let (index, gradient) = (input.moves[at], gradient.logits[at]);
        add(index.entry, gradient);
        if index.choice != PolicyIndex::NO_CHOICE {
            add(index.choice, gradient);
        }
    }
}

/// Writes the gradient of one row's value activations into the workspace's `joint`.
fn value_squares(shard: &Shard, board: usize, [c, v]: [usize; 2], workspace: &mut Workspace) {
    let Workspace { joint, joint_pooled, value_pooled, .. } = workspace;
    let (means, maxima) = row(value_pooled, board, 2 * v).split_at(v);
    let share = &mut joint_pooled[..v];
    share_means(means, share);
    for square in joint.chunks_exact_mut(c + v) {
        square[c..].copy_from_slice(share);
    }
    let active = row(&shard.joint, board, SQUARES * (c + v));
    add_maxima(active, &row(&shard.value_pooled, board, 2 * v)[v..], maxima, c + v, c, joint);
}

fn add_scaled(out: &mut [f32], values: &[f32], factor: f32) {
    for (out, value) in out.iter_mut().zip(values) {
        *out += value * factor;
    }
}

fn plane_and_square(entry: u16) -> (usize, usize) {
    (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES)
}

/// `ln(1 + exp(x))`, without overflow for large `x`.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
