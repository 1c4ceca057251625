//! Evaluation in f32: convolutions by Winograd's method, a few positions at a time.

mod network;
mod workspace;

use std::ops::Range;

use tablut_kernels::{Convolution, Epilogue, Kernels, Matrix, Rows};
use tablut_rules::SQUARES;

use super::threads::Share;
use crate::batch::InputBatch;
use crate::encoding::{FEATURES, PLANES};
use network::Block;
pub(super) use network::Network;
pub(super) use workspace::Workspace;

/// Evaluates the rows of a share, at most as many as the workspace holds.
pub(super) fn evaluate(
    network: &Network,
    kernels: Kernels,
    workspace: &mut Workspace,
    input: &InputBatch,
    share: Share<'_>,
) {
    stem(network, kernels, workspace, input, share.rows.clone());
    for (index, block) in network.blocks.iter().enumerate() {
        let last = index + 1 == network.blocks.len();
        residual_block(block, kernels, workspace, network.channels, last);
    }
    heads(network, kernels, workspace, input, share);
}

/// The first convolution, from planes and features to `trunk` and its tiles.
fn stem(network: &Network, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, rows: Range<usize>) {
    let (n, channels) = (rows.len(), network.channels);
    let features = &input.features[rows.start * FEATURES..rows.end * FEATURES];
    let features = Rows { values: features, stride: FEATURES, count: n };
    kernels.product(features, &network.features, &network.input.bias, false, &mut workspace.bias);

    let planes = &input.planes[rows.start * PLANES * SQUARES..rows.end * PLANES * SQUARES];
    workspace.tiles.reshape(n, network.input.convolution.inputs());
    for (index, planes) in planes.chunks_exact(PLANES * SQUARES).enumerate() {
        channels_last(planes, &mut workspace.planes);
        kernels.transform_input(&workspace.planes, index, &mut workspace.tiles);
    }
    multiply(kernels, &network.input.convolution, workspace);
    workspace.tiles.reshape(n, channels);
    for index in 0..n {
        let bias = &workspace.bias[index * channels..][..channels];
        let image = &mut workspace.trunk[index * SQUARES * channels..][..SQUARES * channels];
        let epilogue = Epilogue { bias, residual: false, pooled: None };
        kernels.transform_output(&workspace.products, index, epilogue, image);
        kernels.transform_input(image, index, &mut workspace.tiles);
    }
}

/// One residual block, from the tiles of its input to those of its output, or after the last to the pooled output.
fn residual_block(block: &Block, kernels: Kernels, workspace: &mut Workspace, channels: usize, last: bool) {
    let n = workspace.tiles.images();
    multiply(kernels, &block.conv1.convolution, workspace);
    for index in 0..n {
        let pooled = &mut workspace.pooled[index * 2 * channels..][..2 * channels];
        let pooled = block.pool.is_some().then_some(pooled);
        let epilogue = Epilogue { bias: &block.conv1.bias, residual: false, pooled };
        kernels.transform_output(&workspace.products, index, epilogue, &mut workspace.inner);
        kernels.transform_input(&workspace.inner, index, &mut workspace.tiles);
    }
    multiply(kernels, &block.conv2.convolution, workspace);
    if let Some(pool) = &block.pool {
        pool_bias(kernels, pool, &block.conv2.bias, workspace, n);
    }
    for index in 0..n {
        let own = &workspace.bias[index * channels..][..channels];
        let bias = if block.pool.is_some() { own } else { &block.conv2.bias };
        let pooled = &mut workspace.pooled[index * 2 * channels..][..2 * channels];
        let image = &mut workspace.trunk[index * SQUARES * channels..][..SQUARES * channels];
        let epilogue = Epilogue { bias, residual: true, pooled: last.then_some(pooled) };
        kernels.transform_output(&workspace.products, index, epilogue, image);
        if !last {
            kernels.transform_input(image, index, &mut workspace.tiles);
        }
    }
}

/// Writes a share's outputs, from `trunk` and `pooled`.
fn heads(network: &Network, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, mut share: Share<'_>) {
    let (n, channels) = (share.rows.len(), network.channels);
    pool_bias(kernels, &network.policy_pool, &network.policy_bias, workspace, n);
    let value_pooled = 2 * network.value_conv.padded_outputs();
    for index in 0..n {
        let trunk = &workspace.trunk[index * SQUARES * channels..][..SQUARES * channels];
        let squares = Rows { values: trunk, stride: channels, count: SQUARES };
        let bias = &workspace.bias[index * channels..][..channels];
        kernels.product(squares, &network.policy_conv, bias, true, &mut workspace.inner);
        network.heads.logits(kernels, &workspace.inner, input, index, &mut share);

        kernels.product(squares, &network.value_conv, &network.value_bias, true, &mut workspace.value);
        let pooled = &mut workspace.value_space.pooled[index * value_pooled..][..value_pooled];
        kernels.pool(&workspace.value, value_pooled / 2, pooled);
    }
    network.heads.values(kernels, &mut workspace.value_space, share);
}

/// The products of a convolution, from `tiles` to `products`.
fn multiply(kernels: Kernels, convolution: &Convolution, workspace: &mut Workspace) {
    workspace.products.reshape(workspace.tiles.images(), convolution.outputs());
    kernels.multiply(convolution, &workspace.tiles, &mut workspace.products);
}

/// `bias + weights · pooled` for each of the first `n` positions, into the workspace's `bias`.
fn pool_bias(kernels: Kernels, weights: &Matrix, bias: &[f32], workspace: &mut Workspace, n: usize) {
    let rows = Rows { values: &workspace.pooled, stride: weights.inputs(), count: n };
    kernels.product(rows, weights, bias, false, &mut workspace.bias);
}

/// Turns planes `[PLANES][81]` into squares `[81][padded planes]`; the padding stays zero.
fn channels_last(planes: &[f32], squares: &mut [f32]) {
    let width = squares.len() / SQUARES;
    for (square, channels) in squares.chunks_exact_mut(width).enumerate() {
        for (plane, channel) in channels.iter_mut().take(PLANES).enumerate() {
            *channel = planes[plane * SQUARES + square];
        }
    }
}
