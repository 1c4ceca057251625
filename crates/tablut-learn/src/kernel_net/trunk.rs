//! The trunk: from planes and features to the activations that the heads read, and the gradients' way back.

use tablut_kernels::{Epilogue, GradientEpilogue, Kernels, Rows};
use tablut_net::{FEATURES, InputBatch, PLANES};
use tablut_rules::SQUARES;

use super::adjoint::{convolve, weight_gradient};
use super::packed::{Block, Packed};
use super::pooling::{add_maxima, share_means};
use super::shard::{BlockGradients, PLANE_WIDTH, Shard, Workspace, row, row_mut, sum_rows};

/// Fills the shard's activations up to the trunk's output, and that output's pooled values.
pub(super) fn forward(
    kernels: Kernels,
    packed: &Packed,
    shard: &mut Shard,
    workspace: &mut Workspace,
    input: &InputBatch,
) {
    let (n, c) = (shard.rows.len(), packed.shape.channels);
    let planes = &input.planes[shard.rows.start * PLANES * SQUARES..shard.rows.end * PLANES * SQUARES];
    for (planes, squares) in
        planes.chunks_exact(PLANES * SQUARES).zip(shard.planes.chunks_exact_mut(SQUARES * PLANE_WIDTH))
    {
        channels_last(planes, squares);
    }
    kernels.product(features(shard, input), &packed.features, &packed.input_bias, false, &mut workspace.bias);
    let Workspace { tiles, bias, .. } = workspace;
    let out = &mut shard.x[0];
    convolve(kernels, &packed.input, &shard.planes, tiles, |products, index, board| {
        let epilogue = Epilogue { bias: row(bias, board, c), residual: false, pooled: None };
        kernels.transform_output(products, index, epilogue, row_mut(out, board, SQUARES * c));
    });
    for (index, block) in packed.blocks.iter().enumerate() {
        block_forward(kernels, block, c, index, shard, workspace);
    }
    let last = &shard.x[packed.blocks.len()];
    for board in 0..n {
        kernels.pool(row(last, board, SQUARES * c), c, row_mut(&mut shard.trunk_pooled, board, 2 * c));
    }
}

fn block_forward(
    kernels: Kernels,
    block: &Block,
    c: usize,
    index: usize,
    shard: &mut Shard,
    workspace: &mut Workspace,
) {
    let n = shard.rows.len();
    let Workspace { tiles, bias, .. } = workspace;
    let (h, pooled) = (&mut shard.h[index], &mut shard.pooled[index]);
    convolve(kernels, &block.conv1.forward, &shard.x[index], tiles, |products, index, board| {
        let pooled = block.pool.is_some().then(|| row_mut(pooled, board, 2 * c));
        let epilogue = Epilogue { bias: &block.conv1.bias, residual: false, pooled };
        kernels.transform_output(products, index, epilogue, row_mut(h, board, SQUARES * c));
    });
    if let Some(pool) = &block.pool {
        let rows = Rows { values: pooled, stride: 2 * c, count: n };
        kernels.product(rows, &pool.forward, &block.conv2.bias, false, bias);
    }
    let (before, after) = shard.x.split_at_mut(index + 1);
    let (x, out) = (&before[index], &mut after[0]);
    convolve(kernels, &block.conv2.forward, h, tiles, |products, index, board| {
        let bias = if block.pool.is_some() { row(bias, board, c) } else { &block.conv2.bias };
        let image = row_mut(out, board, SQUARES * c);
        image.copy_from_slice(row(x, board, SQUARES * c));
        kernels.transform_output(products, index, Epilogue { bias, residual: true, pooled: None }, image);
    });
}

/// From the gradient of the trunk's output before its rectifier, in the workspace's `outer` with its sums, to the
/// gradients of all the trunk's weights.
pub(super) fn backward(
    kernels: Kernels,
    packed: &Packed,
    shard: &mut Shard,
    workspace: &mut Workspace,
    input: &InputBatch,
) {
    let (n, c) = (shard.rows.len(), packed.shape.channels);
    for (index, block) in packed.blocks.iter().enumerate().rev() {
        block_backward(kernels, block, c, index, shard, workspace);
    }
    let Workspace { tiles, outer, outer_sums, .. } = workspace;
    let right = Rows { values: outer_sums, stride: c, count: n };
    let left = features(shard, input);
    let gradients = &mut shard.gradients;
    sum_rows(&outer_sums[..n * c], &mut gradients.input_bias);
    kernels.outer(left, FEATURES, right, false, &mut gradients.features);
    let images = [&shard.planes, &outer[..n * SQUARES * c]];
    weight_gradient(kernels, images, [PLANE_WIDTH, c], tiles, &mut gradients.input);
}

/// From the gradient before the rectifier of a block's output to that of its input, both in the workspace's `outer`.
fn block_backward(
    kernels: Kernels,
    block: &Block,
    c: usize,
    index: usize,
    shard: &mut Shard,
    workspace: &mut Workspace,
) {
    let Shard { rows, x, h, pooled, gradients, .. } = shard;
    let n = rows.len();
    let (size, x, h, pooled) = (SQUARES * c, &x[index], &h[index], &pooled[index]);
    let gradients = &mut gradients.blocks[index];
    pool_backward(kernels, block, c, [h, pooled], gradients, workspace);
    let Workspace { tiles, outer, inner, outer_sums, inner_sums, bias, .. } = workspace;
    let (outer, inner) = (&mut outer[..n * size], &mut inner[..n * size]);
    sum_rows(&outer_sums[..n * c], &mut gradients.bias2);
    weight_gradient(kernels, [h, outer], [c, c], tiles, &mut gradients.conv2);
    convolve(kernels, &block.conv2.adjoint, outer, tiles, |products, index, board| {
        let epilogue = GradientEpilogue {
            bias: row(bias, board, c),
            onto: block.pool.is_some(),
            active: row(h, board, size),
            sums: row_mut(inner_sums, board, c),
        };
        kernels.transform_gradient(products, index, epilogue, row_mut(inner, board, size));
    });
    sum_rows(&inner_sums[..n * c], &mut gradients.bias1);
    weight_gradient(kernels, [x, inner], [c, c], tiles, &mut gradients.conv1);
    bias[..c].fill(0.0);
    convolve(kernels, &block.conv1.adjoint, inner, tiles, |products, index, board| {
        let epilogue = GradientEpilogue {
            bias: &bias[..c],
            onto: true,
            active: row(x, board, size),
            sums: row_mut(outer_sums, board, c),
        };
        kernels.transform_gradient(products, index, epilogue, row_mut(outer, board, size));
    });
}

/// The gradient of a block's pooling weights, and what pooling adds to the gradient between its convolutions: each
/// square's share in the workspace's `bias`, the maxima's in `inner`.
fn pool_backward(
    kernels: Kernels,
    block: &Block,
    c: usize,
    [h, pooled]: [&[f32]; 2],
    gradients: &mut BlockGradients,
    workspace: &mut Workspace,
) {
    let n = h.len() / (SQUARES * c);
    let Workspace { inner, outer_sums, bias, pooled: back, .. } = workspace;
    let Some(pool) = &block.pool else {
        bias[..n * c].fill(0.0);
        return;
    };
    let sums = Rows { values: outer_sums, stride: c, count: n };
    let rows = Rows { values: pooled, stride: 2 * c, count: n };
    kernels.outer(rows, 2 * c, sums, false, &mut gradients.pool);
    kernels.product(sums, &pool.adjoint, &[], false, back);
    inner[..n * SQUARES * c].fill(0.0);
    for board in 0..n {
        let (means, maxima) = row(back, board, 2 * c).split_at(c);
        share_means(means, row_mut(bias, board, c));
        let (active, image) = (row(h, board, SQUARES * c), row_mut(inner, board, SQUARES * c));
        add_maxima(active, &row(pooled, board, 2 * c)[c..], maxima, c, 0, image);
    }
}

/// The features of a shard's rows.
fn features<'a>(shard: &Shard, input: &'a InputBatch) -> Rows<'a> {
    let values = &input.features[shard.rows.start * FEATURES..shard.rows.end * FEATURES];
    Rows { values, stride: FEATURES, count: shard.rows.len() }
}

/// Turns planes `[PLANES][81]` into squares `[81][padded planes]`; the padding stays zero.
fn channels_last(planes: &[f32], squares: &mut [f32]) {
    for (square, channels) in squares.chunks_exact_mut(PLANE_WIDTH).enumerate() {
        for (plane, channel) in channels.iter_mut().take(PLANES).enumerate() {
            *channel = planes[plane * SQUARES + square];
        }
    }
}
