//! A residual net's forward pass on the cores in f32, one position at a time. A convolution is a product of its weights
//! with the windows of nine squares around each square.

use tablut_kernels::{Aligned, Kernels, LANES, Matrix, Rows};
use tablut_rules::{Bitboard, SIZE, SQUARES};

use super::description;
use super::outputs::ValueOutput;
use super::packing::{Dense, Values, matrix, row};
use crate::architecture::Residual;
use crate::features::{FEATURES, PLANES};
use crate::policy::PolicyIndex;

/// Taps of a convolution.
const TAPS: usize = 9;

/// A net's weights, packed.
pub(crate) struct ResidualNet {
    channels: usize,
    input: Dense,
    features: Matrix,
    blocks: Vec<Block>,
    /// From means and maxima of the trunk's output to a bias of the policy's channels.
    policy_pool: Matrix,
    /// The 1×1 convolutions of both heads, the policy's channels first.
    joint: Dense,
    /// `[plane][policy channel]`.
    policy_out: Vec<f32>,
    policy_out_bias: Vec<f32>,
    hidden: Dense,
    /// Win, draw, loss, and the moves left.
    out: Dense,
}

struct Block {
    conv1: Dense,
    conv2: Dense,
    pool: Option<Matrix>,
}

/// One thread's buffers for one position. Images are `[square][channel]`, pooled values `[means, then maxima]`.
pub(crate) struct ResidualSpace {
    planes: Aligned,
    /// The windows of the planes, `[square][tap][plane]`. Taps outside the board stay zero.
    plane_windows: Aligned,
    /// The windows of an image of the trunk.
    windows: Aligned,
    x: Aligned,
    inside: Aligned,
    /// The result of a block's second convolution.
    change: Aligned,
    pooled: Aligned,
    bias: Aligned,
    joint: Aligned,
    value_pooled: Aligned,
    hidden: Aligned,
}

impl ResidualNet {
    /// Packs the weights.
    pub fn pack(architecture: &Residual, values: &Values<'_>) -> Self {
        let layers = architecture.layers();
        let (policy, value) = (&layers.policy, &layers.value);
        let block = |block: &description::Block| Block {
            conv1: Dense::convolution(values, &block.conv1),
            conv2: Dense::convolution(values, &block.conv2),
            pool: block.pool.as_ref().map(|pool| matrix(values, pool)),
        };
        let out_bias = policy.out.bias.expect("the policy's planes have biases");
        Self {
            channels: layers.channels,
            input: Dense::convolution(values, &layers.input),
            features: matrix(values, &layers.features),
            blocks: layers.blocks.iter().map(block).collect(),
            policy_pool: matrix(values, &policy.pool),
            joint: Dense::stack(values, &[&policy.conv, &value.conv]),
            policy_out: values.get(policy.out.weight).to_vec(),
            policy_out_bias: values.get(out_bias).to_vec(),
            hidden: Dense::pack(values, &value.hidden),
            out: Dense::stack(values, &[&value.out, &value.moves_left]),
        }
    }

    /// Buffers for one thread.
    pub fn space(&self) -> ResidualSpace {
        let (c, joint) = (self.channels, self.joint.bias.len());
        let image = |channels: usize| Aligned::zeroed(SQUARES * channels);
        ResidualSpace {
            planes: image(PLANES),
            plane_windows: image(TAPS * PLANES),
            windows: image(TAPS * c),
            x: image(c),
            inside: image(c),
            change: image(c),
            pooled: Aligned::zeroed(2 * c),
            bias: Aligned::zeroed(c.max(joint)),
            joint: image(joint),
            value_pooled: Aligned::zeroed(self.hidden.matrix.inputs()),
            hidden: Aligned::zeroed(self.hidden.bias.len()),
        }
    }

    /// Evaluates one position with its planes and features, and writes the logits of its moves.
    pub fn evaluate(
        &self,
        kernels: Kernels,
        space: &mut ResidualSpace,
        (planes, features): (&[Bitboard], &[f32]),
        moves: &[PolicyIndex],
        logits: &mut [f32],
    ) -> ValueOutput {
        self.stem(kernels, space, planes, features);
        for block in &self.blocks {
            block.run(kernels, space);
        }
        let ResidualSpace { x, pooled, bias, joint, .. } = &mut *space;
        let c = self.channels;
        kernels.pool(Rows { values: x, stride: c, count: SQUARES }, c, pooled);
        let (wide, p) = (self.joint.bias.len(), self.policy_pool.padded_outputs());
        let bias = &mut bias[..wide];
        bias[p..].copy_from_slice(&self.joint.bias[p..]);
        kernels.product(one(pooled), &self.policy_pool, &self.joint.bias[..p], false, &mut bias[..p]);
        kernels.product(Rows { values: x, stride: c, count: SQUARES }, &self.joint.matrix, bias, true, joint);
        for (logit, index) in logits.iter_mut().zip(moves) {
            *logit = self.entry(kernels, joint, index.entry);
            if index.choice != PolicyIndex::NO_CHOICE {
                *logit += self.entry(kernels, joint, index.choice);
            }
        }
        self.value(kernels, space)
    }

    /// The first convolution, with a bias from the features.
    fn stem(&self, kernels: Kernels, space: &mut ResidualSpace, planes: &[Bitboard], features: &[f32]) {
        debug_assert!(planes.len() == PLANES && features.len() == FEATURES);
        let ResidualSpace { planes: image, plane_windows, x, bias, .. } = space;
        image.fill(0.0);
        for (channel, plane) in planes.iter().enumerate() {
            for square in *plane {
                image[square.index() * PLANES + channel] = 1.0;
            }
        }
        let bias = &mut bias[..self.channels];
        kernels.product(one(features), &self.features, &self.input.bias, false, bias);
        convolve(kernels, image, &self.input.matrix, bias, true, plane_windows, x);
    }

    /// One entry of the policy table.
    fn entry(&self, kernels: Kernels, joint: &[f32], entry: u16) -> f32 {
        let (plane, square) = (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES);
        let p = self.policy_pool.padded_outputs();
        let policy = &row(joint, square, self.joint.bias.len())[..p];
        kernels.dot(row(&self.policy_out, plane, p), policy) + self.policy_out_bias[plane]
    }

    fn value(&self, kernels: Kernels, space: &mut ResidualSpace) -> ValueOutput {
        let ResidualSpace { joint, value_pooled: pooled, hidden, .. } = space;
        let squares =
            Rows { values: &joint[self.policy_pool.padded_outputs()..], stride: self.joint.bias.len(), count: SQUARES };
        kernels.pool(squares, pooled.len() / 2, pooled);
        kernels.product(one(pooled), &self.hidden.matrix, &self.hidden.bias, true, hidden);
        let mut out = [0.0; LANES];
        kernels.product(one(hidden), &self.out.matrix, &self.out.bias, false, &mut out);
        ValueOutput::of([out[0], out[1], out[2], out[3]])
    }
}

impl Block {
    /// Replaces `x` by the block's output.
    fn run(&self, kernels: Kernels, space: &mut ResidualSpace) {
        let ResidualSpace { windows, x, inside, change, pooled, bias, .. } = space;
        convolve(kernels, x, &self.conv1.matrix, &self.conv1.bias, true, windows, inside);
        let c = self.conv2.bias.len();
        let mut second = &self.conv2.bias[..];
        if let Some(pool) = &self.pool {
            kernels.pool(Rows { values: inside, stride: c, count: SQUARES }, c, pooled);
            kernels.product(one(pooled), pool, second, false, &mut bias[..c]);
            second = &bias[..c];
        }
        convolve(kernels, inside, &self.conv2.matrix, second, false, windows, change);
        for (x, change) in x.iter_mut().zip(&**change) {
            *x = (*x + change).max(0.0);
        }
    }
}

/// A 3×3 convolution of `image`, padded with zeros. `windows` are `[square][tap][channel]`, zero where a tap is outside
/// the board.
fn convolve(
    kernels: Kernels,
    image: &[f32],
    weights: &Matrix,
    bias: &[f32],
    relu: bool,
    windows: &mut [f32],
    out: &mut [f32],
) {
    let (width, channels) = (weights.inputs(), weights.inputs() / TAPS);
    let inside = |at: usize| at.saturating_sub(1)..(at + 2).min(SIZE);
    for (square, window) in windows.chunks_exact_mut(width).enumerate() {
        let (row, column) = (square / SIZE, square % SIZE);
        let columns = inside(column);
        for from in inside(row) {
            // The taps of a row are next to each other in the image too.
            let taps = &image[(from * SIZE + columns.start) * channels..][..columns.len() * channels];
            let first = (from + 1 - row) * 3 + columns.start + 1 - column;
            window[first * channels..][..taps.len()].copy_from_slice(taps);
        }
    }
    kernels.product(Rows { values: windows, stride: width, count: SQUARES }, weights, bias, relu, out);
}

/// A single row.
fn one(values: &[f32]) -> Rows<'_> {
    Rows { values, stride: values.len(), count: 1 }
}
