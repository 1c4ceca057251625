//! Evaluation with convolutions in bf16, where the processor has matrix registers (AMX). The residual trunk, biases,
//! pooling and the heads' last layers stay in f32.

use std::ops::Range;

use tablut_kernels::{
    Aligned, BF16_LANES, Bf16Convolution, Bf16Epilogue, Bf16Images, Bf16Kernels, Kernels, Matrix, Rows,
};
use tablut_rules::SQUARES;

use super::GRID;
use super::heads::{Heads, ValueSpace, widened};
use super::threads::Share;
use crate::batch::InputBatch;
use crate::encoding::{FEATURES, PLANES};
use crate::shape::NetShape;
use crate::weights::Weights;

/// Everything of a net that an evaluation in bf16 reads. Channels are padded with zero weights to `width`.
pub(super) struct Network {
    bf16: Bf16Kernels,
    width: usize,
    input: Layer,
    features: Matrix,
    blocks: Vec<Block>,
    policy: Layer,
    policy_pool: Matrix,
    value: Layer,
    heads: Heads,
}

struct Block {
    conv1: Layer,
    conv2: Layer,
    /// From the pooled middle of the block to a bias on its end, in odd blocks.
    pool: Option<Matrix>,
}

struct Layer {
    convolution: Bf16Convolution,
    bias: Vec<f32>,
}

impl Network {
    pub fn new(weights: &Weights, bf16: Bf16Kernels) -> Self {
        let shape = weights.shape();
        let channels = shape.channels;
        let width = channels.next_multiple_of(BF16_LANES);
        let layer = |name: &str, side: usize| Layer::new(weights, name, side);
        let pool = |name: &str| {
            let rows = widened(&weights.get(&format!("{name}.pool.weight")).data, channels, width);
            matrix(width, 2 * width, &rows)
        };
        let block = |index: usize| {
            let name = format!("trunk.block{index}");
            Block {
                conv1: layer(&format!("{name}.conv1"), 3),
                conv2: layer(&format!("{name}.conv2"), 3),
                pool: NetShape::pools(index).then(|| pool(&name)),
            }
        };
        let value = layer("value.conv", 1);
        Self {
            bf16,
            width,
            input: layer("trunk.input", 3),
            features: matrix(width, FEATURES, &weights.get("trunk.features.weight").data),
            blocks: (0..shape.blocks).map(block).collect(),
            policy: layer("policy.conv", 1),
            policy_pool: pool("policy"),
            heads: Heads::new(weights, width, value.convolution.outputs()),
            value,
        }
    }
}

impl Layer {
    fn new(weights: &Weights, name: &str, side: usize) -> Self {
        let tensor = weights.get(&format!("{name}.weight"));
        let convolution = Bf16Convolution::pack(tensor.dims[0], tensor.dims[1], side, &tensor.data);
        let mut bias = weights.get(&format!("{name}.bias")).data.clone();
        bias.resize(convolution.outputs(), 0.0);
        Self { convolution, bias }
    }
}

/// Packs a matrix of `outputs` rows, of which `rows` may lack the last: those are zero.
fn matrix(outputs: usize, inputs: usize, rows: &[f32]) -> Matrix {
    let mut rows = rows.to_vec();
    rows.resize(outputs * inputs, 0.0);
    Matrix::pack(outputs, inputs, &rows)
}

/// One thread's buffers for a few positions at once.
pub(super) struct Workspace {
    pub n_positions: usize,
    planes: Bf16Images,
    /// The trunk's activations in f32, `[n][81][width]`, and rounded.
    trunk: Aligned,
    rounded: Bf16Images,
    /// Activations inside a block.
    inner: Bf16Images,
    /// The policy head's activations, `[n][81][width]`.
    policy: Aligned,
    /// What is added to every square, `[n][width]`.
    bias: Aligned,
    /// Means and maxima, `[n][2 * width]`.
    pooled: Aligned,
    value_space: ValueSpace,
}

impl Workspace {
    pub fn new(network: &Network) -> Self {
        let width = network.width;
        // Activations of one position take 1,300 bytes per channel or so.
        let n = (1024 / width).clamp(2, 16);
        Self {
            n_positions: n,
            planes: Bf16Images::new(GRID, n, network.input.convolution.inputs()),
            trunk: Aligned::zeroed(n * SQUARES * width),
            rounded: Bf16Images::new(GRID, n, width),
            inner: Bf16Images::new(GRID, n, width),
            policy: Aligned::zeroed(n * SQUARES * width),
            bias: Aligned::zeroed(n * width),
            pooled: Aligned::zeroed(n * 2 * width),
            value_space: ValueSpace::new(&network.heads, n),
        }
    }
}

/// Evaluates the rows of a share, at most as many as the workspace holds.
pub(super) fn evaluate(
    network: &Network,
    kernels: Kernels,
    workspace: &mut Workspace,
    input: &InputBatch,
    mut share: Share<'_>,
) {
    let n = share.rows.len();
    stem(network, kernels, workspace, input, share.rows.clone());
    for (index, block) in network.blocks.iter().enumerate() {
        let last = index + 1 == network.blocks.len();
        residual_block(network, block, kernels, workspace, n, last);
    }
    pool_bias(kernels, &network.policy_pool, &network.policy.bias, workspace, n);
    let bias = &workspace.bias[..n * network.width];
    let policy = Bf16Epilogue { bias, residual: false, full: Some(&mut workspace.policy), rounded: None, pooled: None };
    network.bf16.convolve(&network.policy.convolution, &workspace.rounded, n, policy);
    let pooled = Some(&mut *workspace.value_space.pooled);
    let value = Bf16Epilogue { bias: &network.value.bias, residual: false, full: None, rounded: None, pooled };
    network.bf16.convolve(&network.value.convolution, &workspace.rounded, n, value);
    for (index, squares) in workspace.policy.chunks_exact(SQUARES * network.width).take(n).enumerate() {
        network.heads.logits(kernels, squares, input, index, &mut share);
    }
    network.heads.values(kernels, &mut workspace.value_space, share);
}

/// The first convolution, from planes and features to the trunk.
fn stem(network: &Network, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, rows: Range<usize>) {
    let n = rows.len();
    let features = &input.features[rows.start * FEATURES..rows.end * FEATURES];
    let features = Rows { values: features, stride: FEATURES, count: n };
    kernels.product(features, &network.features, &network.input.bias, false, &mut workspace.bias);
    let planes = &input.planes[rows.start * PLANES * SQUARES..rows.end * PLANES * SQUARES];
    for (index, planes) in planes.chunks_exact(PLANES * SQUARES).enumerate() {
        workspace.planes.set_planes(index, planes);
    }
    let epilogue = Bf16Epilogue {
        bias: &workspace.bias[..n * network.width],
        residual: false,
        full: Some(&mut workspace.trunk),
        rounded: Some(&mut workspace.rounded),
        pooled: None,
    };
    network.bf16.convolve(&network.input.convolution, &workspace.planes, n, epilogue);
}

fn residual_block(network: &Network, block: &Block, kernels: Kernels, workspace: &mut Workspace, n: usize, last: bool) {
    let epilogue = Bf16Epilogue {
        bias: &block.conv1.bias,
        residual: false,
        full: None,
        rounded: Some(&mut workspace.inner),
        pooled: block.pool.is_some().then_some(&mut *workspace.pooled),
    };
    network.bf16.convolve(&block.conv1.convolution, &workspace.rounded, n, epilogue);
    if let Some(pool) = &block.pool {
        pool_bias(kernels, pool, &block.conv2.bias, workspace, n);
    }
    let own = &workspace.bias[..n * network.width];
    let epilogue = Bf16Epilogue {
        bias: if block.pool.is_some() { own } else { &block.conv2.bias },
        residual: true,
        full: Some(&mut workspace.trunk),
        rounded: Some(&mut workspace.rounded),
        pooled: last.then_some(&mut *workspace.pooled),
    };
    network.bf16.convolve(&block.conv2.convolution, &workspace.inner, n, epilogue);
}

/// `bias + weights · pooled` for each of the first `n` positions, into the workspace's `bias`.
fn pool_bias(kernels: Kernels, weights: &Matrix, bias: &[f32], workspace: &mut Workspace, n: usize) {
    let rows = Rows { values: &workspace.pooled, stride: weights.inputs(), count: n };
    kernels.product(rows, weights, bias, false, &mut workspace.bias);
}
