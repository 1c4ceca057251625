//! A few rows of a batch: their activations and their share of the gradients, and room to compute them in.

use std::ops::Range;

use tablut_kernels::{Aligned, LANES, PointSums, Transformed};
use tablut_net::{FEATURES, NetShape, PLANES, POLICY_PLANES};
use tablut_rules::SQUARES;

use super::{GRID, GROUP, Predictions, SHARD};

/// Channels of the encoded planes as the kernels want them.
pub(super) const PLANE_WIDTH: usize = PLANES.next_multiple_of(LANES);

/// Some rows of a batch. Images are `[row][square][channel]`, pooled values `[row][means, then maxima]`.
pub(super) struct Shard {
    /// The rows, of the batch.
    pub rows: Range<usize>,
    pub planes: Aligned,
    /// What goes into each block, and after the last the trunk's output.
    pub x: Vec<Aligned>,
    /// What is between a block's convolutions.
    pub h: Vec<Aligned>,
    /// Pooled `h` of each block, empty for those that do not pool.
    pub pooled: Vec<Aligned>,
    pub trunk_pooled: Aligned,
    /// Policy and value activations side by side.
    pub joint: Aligned,
    pub value_pooled: Aligned,
    pub hidden: Aligned,
    pub predictions: Predictions,
    pub gradients: Gradients,
}

/// Gradients as the kernels sum them: of convolutions `[input][tap][output]`, of matrices `[input][output]`.
pub(super) struct Gradients {
    pub input: Aligned,
    pub input_bias: Aligned,
    pub features: Aligned,
    pub blocks: Vec<BlockGradients>,
    pub joint: Aligned,
    pub joint_bias: Aligned,
    pub policy_pool: Aligned,
    /// `[plane][channel]`, as in the tensor.
    pub policy_out: Aligned,
    pub policy_out_bias: Aligned,
    pub hidden: Aligned,
    pub hidden_bias: Aligned,
    pub out: Aligned,
    pub out_bias: Aligned,
}

/// Gradients of one block; `pool` is empty for those that do not pool.
pub(super) struct BlockGradients {
    pub conv1: Aligned,
    pub bias1: Aligned,
    pub conv2: Aligned,
    pub bias2: Aligned,
    pub pool: Aligned,
}

impl Shard {
    /// Room for `rows` of a batch.
    pub fn new(shape: NetShape, rows: Range<usize>) -> Self {
        let (n, c, v) = (rows.len(), shape.channels, shape.value_channels);
        let image = |channels: usize| Aligned::zeroed(n * SQUARES * channels);
        Self {
            planes: image(PLANE_WIDTH),
            x: (0..=shape.blocks).map(|_| image(c)).collect(),
            h: (0..shape.blocks).map(|_| image(c)).collect(),
            pooled: (0..shape.blocks)
                .map(|block| Aligned::zeroed(if NetShape::pools(block) { n * 2 * c } else { 0 }))
                .collect(),
            trunk_pooled: Aligned::zeroed(n * 2 * c),
            joint: image(c + v),
            value_pooled: Aligned::zeroed(n * 2 * v),
            hidden: Aligned::zeroed(n * shape.value_hidden),
            predictions: Predictions::default(),
            gradients: Gradients::new(shape),
            rows,
        }
    }
}

impl Gradients {
    fn new(shape: NetShape) -> Self {
        let (c, v, h) = (shape.channels, shape.value_channels, shape.value_hidden);
        let block = |index| BlockGradients {
            conv1: Aligned::zeroed(9 * c * c),
            bias1: Aligned::zeroed(c),
            conv2: Aligned::zeroed(9 * c * c),
            bias2: Aligned::zeroed(c),
            pool: Aligned::zeroed(if NetShape::pools(index) { 2 * c * c } else { 0 }),
        };
        Self {
            input: Aligned::zeroed(PLANE_WIDTH * 9 * c),
            input_bias: Aligned::zeroed(c),
            features: Aligned::zeroed(FEATURES * c),
            blocks: (0..shape.blocks).map(block).collect(),
            joint: Aligned::zeroed(c * (c + v)),
            joint_bias: Aligned::zeroed(c + v),
            policy_pool: Aligned::zeroed(2 * c * c),
            policy_out: Aligned::zeroed(POLICY_PLANES * c),
            policy_out_bias: Aligned::zeroed(POLICY_PLANES),
            hidden: Aligned::zeroed(2 * v * h),
            hidden_bias: Aligned::zeroed(h),
            out: Aligned::zeroed(h * LANES),
            out_bias: Aligned::zeroed(LANES),
        }
    }
}

/// Room for one thread to work in, for one shard at a time.
pub(super) struct Workspace {
    pub tiles: Tiles,
    /// Gradient of a block's output and then of its input, `[row][square][channel]`.
    pub outer: Aligned,
    /// Gradient between a block's convolutions.
    pub inner: Aligned,
    /// Sums of `outer` over the squares, `[row][channel]`.
    pub outer_sums: Aligned,
    /// Sums of `inner` over the squares.
    pub inner_sums: Aligned,
    /// Biases of each row, or their gradients.
    pub bias: Aligned,
    /// Gradients of pooled values.
    pub pooled: Aligned,
    /// One row's policy and value activations side by side, or their gradient.
    pub joint: Aligned,
    /// One row's pooled values of both, or sums of their gradient.
    pub joint_pooled: Aligned,
    pub value_pooled: Aligned,
    pub hidden: Aligned,
    pub out: Aligned,
}

/// Room for the convolutions of a group of rows.
pub(super) struct Tiles {
    pub inputs: Transformed,
    pub products: Transformed,
    pub spread: Transformed,
    pub sums: PointSums,
}

impl Workspace {
    /// Room for shards of any size.
    pub fn new(shape: NetShape) -> Self {
        let (c, v) = (shape.channels, shape.value_channels);
        let widest = c.max(PLANE_WIDTH);
        Self {
            tiles: Tiles {
                inputs: Transformed::new(GRID, GROUP, widest),
                products: Transformed::new(GRID, GROUP, c),
                spread: Transformed::new(GRID, GROUP, c),
                sums: PointSums::new(widest, c),
            },
            outer: Aligned::zeroed(SHARD * SQUARES * c),
            inner: Aligned::zeroed(SHARD * SQUARES * c),
            outer_sums: Aligned::zeroed(SHARD * c),
            inner_sums: Aligned::zeroed(SHARD * c),
            bias: Aligned::zeroed(SHARD * c),
            pooled: Aligned::zeroed(SHARD * 2 * c),
            joint: Aligned::zeroed(SQUARES * (c + v)),
            joint_pooled: Aligned::zeroed(2 * (c + v)),
            value_pooled: Aligned::zeroed(SHARD * 2 * v),
            hidden: Aligned::zeroed(SHARD * shape.value_hidden),
            out: Aligned::zeroed(SHARD * LANES),
        }
    }
}

/// Row `index` of values that come `width` to a row.
pub(super) fn row(values: &[f32], index: usize, width: usize) -> &[f32] {
    &values[index * width..][..width]
}

/// Row `index`, to write.
pub(super) fn row_mut(values: &mut [f32], index: usize, width: usize) -> &mut [f32] {
    &mut values[index * width..][..width]
}

/// Sums of rows, in order.
pub(super) fn sum_rows(values: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    for row in values.chunks_exact(out.len()) {
        for (sum, value) in out.iter_mut().zip(row) {
            *sum += value;
        }
    }
}
