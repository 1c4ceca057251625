//! The heads' last layers, in f32 whatever the trunk's precision: logits of the moves asked for, win, draw and loss, and
//! moves left.

use tablut_kernels::{Aligned, Kernels, LANES, Matrix, Rows};
use tablut_rules::SQUARES;

use super::threads::Share;
use crate::batch::InputBatch;
use crate::policy::{POLICY_PLANES, PolicyIndex};
use crate::weights::Weights;

/// What the moves-left output is counted in, plies.
pub(crate) const MOVES_LEFT_UNIT: f32 = 32.0;

/// The weights of the last layers. Widths are padded with zero weights to what the kernels want.
pub(super) struct Heads {
    /// Channels of the policy head's activations, with padding.
    width: usize,
    /// One row of `width` for each plane of the policy table.
    policy_out: Aligned,
    policy_out_bias: Vec<f32>,
    /// From the pooled value head.
    hidden: Matrix,
    hidden_bias: Vec<f32>,
    /// Win, draw, loss and moves left.
    out: Matrix,
    out_bias: Vec<f32>,
}

/// Buffers of the value head for a few positions.
pub(super) struct ValueSpace {
    /// Means and maxima of the value head's activations, `[n][2 * value channels]`.
    pub pooled: Aligned,
    hidden: Aligned,
    out: Aligned,
}

impl ValueSpace {
    /// Buffers for `n` positions.
    pub fn new(heads: &Heads, n: usize) -> Self {
        Self {
            pooled: Aligned::zeroed(n * heads.hidden.inputs()),
            hidden: Aligned::zeroed(n * heads.hidden.padded_outputs()),
            out: Aligned::zeroed(n * heads.out.padded_outputs()),
        }
    }
}

impl Heads {
    /// The last layers for policy activations of `width` channels and value activations of `value_width`.
    pub fn new(weights: &Weights, width: usize, value_width: usize) -> Self {
        let shape = weights.shape();
        let (narrow, hidden) = (shape.value_channels, shape.value_hidden);
        let hidden_wide = hidden.next_multiple_of(LANES);
        let data = |name: &str| weights.get(name).data.as_slice();
        let rows = widened(data("policy.out.weight"), shape.channels, width);
        let mut policy_out = Aligned::zeroed(POLICY_PLANES * width);
        policy_out.copy_from_slice(&rows);
        // A row of the hidden layer is the weights of the means and then those of the maxima, each `narrow` long.
        let hidden_rows = widened(data("value.hidden.weight"), narrow, value_width);
        let outputs = [data("value.out.weight"), data("moves_left.weight")].concat();
        Self {
            width,
            policy_out,
            policy_out_bias: data("policy.out.bias").to_vec(),
            hidden: Matrix::pack(hidden, 2 * value_width, &hidden_rows),
            hidden_bias: widened(data("value.hidden.bias"), hidden, hidden_wide),
            out: Matrix::pack(4, hidden_wide, &widened(&outputs, hidden, hidden_wide)),
            out_bias: widened(&[data("value.out.bias"), data("moves_left.bias")].concat(), 4, LANES),
        }
    }

    /// Writes the logits of a share's row `index` (within the share) from its policy activations `[81][width]`. Rows are
    /// to be taken in order: each takes its part off the share's logits.
    pub fn logits(&self, kernels: Kernels, squares: &[f32], input: &InputBatch, index: usize, share: &mut Share<'_>) {
        let moves = &input.moves[input.move_range(share.rows.start + index)];
        let Some(logits) = share.logits.split_off_mut(..moves.len()) else { return };
        for (logit, index) in logits.iter_mut().zip(moves) {
            *logit = self.entry(kernels, squares, index.entry);
            if index.choice != PolicyIndex::NO_CHOICE {
                *logit += self.entry(kernels, squares, index.choice);
            }
        }
    }

    /// One entry of the policy table.
    fn entry(&self, kernels: Kernels, squares: &[f32], entry: u16) -> f32 {
        let (plane, square) = (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES);
        let weights = &self.policy_out[plane * self.width..][..self.width];
        kernels.dot(weights, &squares[square * self.width..][..self.width]) + self.policy_out_bias[plane]
    }

    /// Writes win, draw and loss and moves left of all rows of a share, from the pooled value activations.
    pub fn values(&self, kernels: Kernels, space: &mut ValueSpace, share: Share<'_>) {
        let n = share.rows.len();
        let pooled = Rows { values: &space.pooled, stride: self.hidden.inputs(), count: n };
        kernels.product(pooled, &self.hidden, &self.hidden_bias, true, &mut space.hidden);
        let hidden = Rows { values: &space.hidden, stride: self.out.inputs(), count: n };
        kernels.product(hidden, &self.out, &self.out_bias, false, &mut space.out);
        let outputs = space.out.chunks_exact(self.out.padded_outputs());
        for ((outputs, wdl), moves_left) in outputs.zip(share.wdl).zip(share.moves_left) {
            *wdl = softmax([outputs[0], outputs[1], outputs[2]]);
            *moves_left = softplus(outputs[3]) * MOVES_LEFT_UNIT;
        }
    }
}

/// The rows of `narrow` values in `data`, each followed by zeros up to `wide` values.
pub(super) fn widened(data: &[f32], narrow: usize, wide: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(data.len() / narrow * wide);
    for row in data.chunks_exact(narrow) {
        out.extend_from_slice(row);
        out.resize(out.len() + wide - narrow, 0.0);
    }
    out
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

    #[test]
    fn rows_are_widened_with_zeros() {
        assert_eq!(widened(&[1.0, 2.0, 3.0, 4.0], 2, 3), [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
    }
}
