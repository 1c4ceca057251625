//! The trunk's backward pass: from the gradient of its output to the gradients of its weights.

use tablut_kernels::{Aligned, Convolution, GradientEpilogue, Kernels, Matrix, Rows, Transformed};
use tablut_rules::SQUARES;

use super::buffers::{GROUP, Tiles};
use super::gradients::{Shard, Workspace, sum_rows};
use super::packed::{Adjoints, LearningNet};
use super::rounded::Backward;
use crate::batch::Positions;
use crate::features::FEATURES;
use crate::layers::kept::{row, row_mut};
use crate::layers::winograd::PLANE_WIDTH;

/// Computes the gradients of all the trunk's weights. It starts from the gradient of the trunk's output before its
/// rectifier, which is in the workspace's `outer` with its sums.
pub(super) fn backward(
    net: &LearningNet,
    kernels: Kernels,
    shard: &mut Shard,
    workspace: &mut Workspace,
    positions: &Positions<'_>,
) {
    let (n, c) = (shard.rows.len(), net.layers.channels);
    match &net.adjoints {
        Adjoints::Single(adjoints) => {
            for (index, adjoints) in adjoints.iter().enumerate().rev() {
                pool_backward(kernels, net.pools[index].as_ref(), c, index, shard, workspace);
                block_backward(kernels, adjoints, net.pools[index].is_some(), index, shard, workspace);
            }
            let Workspace { tiles, outer, .. } = workspace;
            let images = [&shard.kept.planes, &outer[..n * SQUARES * c]];
            weight_gradient(kernels, images, [PLANE_WIDTH, c], tiles, &mut shard.gradients.input.weight);
        }
        Adjoints::Rounded(bf16, adjoints) => {
            let mut pass = Backward::new(*bf16, shard.rows.len(), c, workspace);
            for (index, adjoints) in adjoints.iter().enumerate().rev() {
                pool_backward(kernels, net.pools[index].as_ref(), c, index, shard, pass.workspace());
                pass.block(adjoints, net.pools[index].is_some(), index, shard);
            }
            pass.stem(positions, &mut shard.gradients.input.weight);
        }
    }
    let outer_sums = &workspace.outer_sums;
    let right = Rows { values: outer_sums, stride: c, count: n };
    sum_rows(&outer_sums[..n * c], &mut shard.gradients.input.bias);
    kernels.outer(&[[positions.features(), right]], FEATURES, false, &mut shard.gradients.features);
}

/// From the gradient before the rectifier of a block's output to the gradient of the block's input, both in the
/// workspace's `outer`.
fn block_backward(
    kernels: Kernels,
    [conv1, conv2]: &[Convolution; 2],
    pools: bool,
    index: usize,
    shard: &mut Shard,
    workspace: &mut Workspace,
) {
    let Shard { rows, kept, gradients, .. } = shard;
    let (n, c) = (rows.len(), conv1.outputs());
    let (size, x, h) = (SQUARES * c, &kept.x[index], &kept.inside[index]);
    let gradients = &mut gradients.blocks[index];
    let Workspace { tiles, outer, inner, outer_sums, inner_sums, bias, .. } = workspace;
    let (outer, inner) = (&mut outer[..n * size], &mut inner[..n * size]);
    sum_rows(&outer_sums[..n * c], &mut gradients.conv2.bias);
    weight_gradient(kernels, [h, outer], [c, c], tiles, &mut gradients.conv2.weight);
    convolve(kernels, conv2, outer, tiles, |products, index, board| {
        let epilogue = GradientEpilogue {
            bias: row(bias, board, c),
            onto: pools,
            active: row(h, board, size),
            sums: row_mut(inner_sums, board, c),
        };
        kernels.transform_gradient(products, index, epilogue, row_mut(inner, board, size));
    });
    sum_rows(&inner_sums[..n * c], &mut gradients.conv1.bias);
    weight_gradient(kernels, [x, inner], [c, c], tiles, &mut gradients.conv1.weight);
    bias[..c].fill(0.0);
    convolve(kernels, conv1, inner, tiles, |products, index, board| {
        let epilogue = GradientEpilogue {
            bias: &bias[..c],
            onto: true,
            active: row(x, board, size),
            sums: row_mut(outer_sums, board, c),
        };
        kernels.transform_gradient(products, index, epilogue, row_mut(outer, board, size));
    });
}

/// The gradient of a block's pooling weights, and the contribution of pooling to the gradient between its convolutions.
/// The share of each square is in the workspace's `bias`, the maxima's part in `inner`.
fn pool_backward(
    kernels: Kernels,
    pool: Option<&Matrix>,
    c: usize,
    index: usize,
    shard: &mut Shard,
    workspace: &mut Workspace,
) {
    let Shard { rows, kept, gradients, .. } = shard;
    let (n, h, pooled) = (rows.len(), &kept.inside[index], &kept.pooled[index]);
    let gradients = &mut gradients.blocks[index];
    let Workspace { inner, outer_sums, bias, pooled: back, .. } = workspace;
    let Some(pool) = pool else {
        bias[..n * c].fill(0.0);
        return;
    };
    let sums = Rows { values: outer_sums, stride: c, count: n };
    let rows = Rows { values: pooled, stride: 2 * c, count: n };
    kernels.outer(&[[rows, sums]], 2 * c, false, &mut gradients.pool);
    kernels.product(sums, pool, &[], false, back);
    inner[..n * SQUARES * c].fill(0.0);
    for board in 0..n {
        let (means, maxima) = row(back, board, 2 * c).split_at(c);
        share_means(means, row_mut(bias, board, c));
        let (active, image) = (row(h, board, SQUARES * c), row_mut(inner, board, SQUARES * c));
        kernels.add_at_maxima(active, &row(pooled, board, 2 * c)[c..], maxima, [c, 0], image);
    }
}

/// Distributes the gradient of the means evenly: the result is the share of each square of a channel.
pub(super) fn share_means(means: &[f32], out: &mut [f32]) {
    let share = 1.0 / SQUARES as f32;
    for (out, mean) in out.iter_mut().zip(means) {
        *out = mean * share;
    }
}

/// Convolves every image of `images`. It calls `finish` for each image with the products, the image's place among them,
/// and its row.
pub(super) fn convolve(
    kernels: Kernels,
    convolution: &Convolution,
    images: &[f32],
    tiles: &mut Tiles,
    mut finish: impl FnMut(&Transformed, usize, usize),
) {
    let size = SQUARES * convolution.inputs();
    let n = images.len() / size;
    for first in (0..n).step_by(GROUP) {
        let count = GROUP.min(n - first);
        tiles.inputs.reshape(count, convolution.inputs());
        tiles.products.reshape(count, convolution.outputs());
        for index in 0..count {
            kernels.transform_input(row(images, first + index, size), index, &mut tiles.inputs);
        }
        kernels.multiply(convolution, &tiles.inputs, &mut tiles.products);
        for index in 0..count {
            finish(&tiles.products, index, first + index);
        }
    }
}

/// Sums the gradient of a convolution's weights into `taps`, `[input][tap][output]`. It uses the input images and the
/// gradients of the output images.
pub(super) fn weight_gradient(
    kernels: Kernels,
    [images, gradients]: [&[f32]; 2],
    [inputs, outputs]: [usize; 2],
    tiles: &mut Tiles,
    taps: &mut Aligned,
) {
    let n = images.len() / (SQUARES * inputs);
    tiles.sums.reshape(inputs, outputs);
    for first in (0..n).step_by(GROUP) {
        let count = GROUP.min(n - first);
        tiles.inputs.reshape(count, inputs);
        tiles.spread.reshape(count, outputs);
        for index in 0..count {
            kernels.transform_input(row(images, first + index, SQUARES * inputs), index, &mut tiles.inputs);
            kernels.spread_gradient(row(gradients, first + index, SQUARES * outputs), index, &mut tiles.spread);
        }
        kernels.accumulate(&tiles.inputs, &tiles.spread, first > 0, &mut tiles.sums);
    }
    kernels.weight_gradient(&tiles.sums, taps);
}
