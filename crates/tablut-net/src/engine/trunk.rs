//! The trunk: from planes and features to the activations that the heads read.

use std::ops::Range;

use tablut_kernels::{Convolution, Epilogue, Kernels, Matrix, Rows};
use tablut_rules::SQUARES;

use super::network::{Block, Network};
use super::workspace::Workspace;
use crate::batch::InputBatch;
use crate::encoding::{FEATURES, PLANES};

/// Fills the workspace's `trunk` for `rows` of `input`, and `pooled` with its means and maxima.
pub(super) fn run(
    network: &Network,
    kernels: Kernels,
    workspace: &mut Workspace,
    input: &InputBatch,
    rows: Range<usize>,
) {
    let n = rows.len();
    let features = &input.features[rows.start * FEATURES..rows.end * FEATURES];
    let features = Rows { values: features, stride: FEATURES, count: n };
    kernels.product(features, &network.features, &network.input_bias, false, &mut workspace.bias);

    let planes = &input.planes[rows.start * PLANES * SQUARES..rows.end * PLANES * SQUARES];
    workspace.tiles.reshape(n, network.input.inputs());
    for (index, planes) in planes.chunks_exact(PLANES * SQUARES).enumerate() {
        channels_last(planes, &mut workspace.planes);
        kernels.transform_input(&workspace.planes, index, &mut workspace.tiles);
    }
    multiply(kernels, &network.input, workspace);
    let channels = network.shape.channels;
    workspace.tiles.reshape(n, channels);
    for index in 0..n {
        let bias = &workspace.bias[index * channels..][..channels];
        let image = &mut workspace.trunk[index * SQUARES * channels..][..SQUARES * channels];
        let epilogue = Epilogue { bias, residual: false, pooled: None };
        kernels.transform_output(&workspace.products, index, epilogue, image);
        kernels.transform_input(image, index, &mut workspace.tiles);
    }
    for (index, block) in network.blocks.iter().enumerate() {
        let last = index + 1 == network.blocks.len();
        run_block(block, kernels, workspace, n, channels, last);
    }
}

/// One residual block, from the tiles of its input to those of its output, or after the last to the pooled output.
fn run_block(block: &Block, kernels: Kernels, workspace: &mut Workspace, n: usize, channels: usize, last: bool) {
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
        let bias =
            if block.pool.is_some() { &workspace.bias[index * channels..][..channels] } else { &block.conv2.bias };
        let pooled = &mut workspace.pooled[index * 2 * channels..][..2 * channels];
        let image = &mut workspace.trunk[index * SQUARES * channels..][..SQUARES * channels];
        let epilogue = Epilogue { bias, residual: true, pooled: last.then_some(pooled) };
        kernels.transform_output(&workspace.products, index, epilogue, image);
        if !last {
            kernels.transform_input(image, index, &mut workspace.tiles);
        }
    }
}

/// The products of a convolution, from `tiles` to `products`.
fn multiply(kernels: Kernels, convolution: &Convolution, workspace: &mut Workspace) {
    workspace.products.reshape(workspace.tiles.images(), convolution.outputs());
    kernels.multiply(convolution, &workspace.tiles, &mut workspace.products);
}

/// `bias + weights · pooled` for each of the first `n` positions, into the workspace's `bias`.
pub(super) fn pool_bias(kernels: Kernels, weights: &Matrix, bias: &[f32], workspace: &mut Workspace, n: usize) {
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
