//! The heads: from the trunk's output to the logits of the requested moves, the outcome and the moves left.

use tablut_kernels::{Aligned, Kernels, LANES, Matrix, Rows};
use tablut_rules::SQUARES;

use super::description::Layers;
use super::packing::{Arithmetic, PackedSquares, Values, matrix, stacked, stacked_biases};
use super::parameter::Linear;
use super::trunk::{Activations, Trunk};
use crate::batch::Positions;
use crate::policy::PolicyIndex;

/// Unit of the moves-left output, in plies.
pub const MOVES_LEFT_UNIT: f32 = 32.0;

/// The heads' weights, packed. The 1×1 convolutions of both heads are one product ("joint"), with the policy's channels
/// first. Win, draw, loss and moves left are another product. Everything except the joint product is f32 in every
/// arithmetic.
pub struct Heads {
    /// Channels of the policy head, including padding.
    pub(super) policy_width: usize,
    /// Channels of the value head, including padding.
    pub(super) value_width: usize,
    /// From the trunk's pooled output to the joint bias. The value head's part of the bias does not depend on the
    /// pooled output.
    pub(super) pool: Matrix,
    pub(super) joint: PackedSquares,
    pub(super) joint_bias: Vec<f32>,
    /// One row of the policy's channels for each plane of the policy table.
    pub(super) policy_out: Aligned,
    pub(super) policy_out_bias: Vec<f32>,
    pub(super) hidden: Matrix,
    pub(super) hidden_bias: Vec<f32>,
    pub(super) out: Matrix,
    pub(super) out_bias: Vec<f32>,
}

/// The value head's buffers for some positions.
pub struct HeadSpace {
    /// Means and maxima of its channels, `[n][2 * channels]`.
    pub pooled: Aligned,
    /// Its hidden layer, rectified, `[n][hidden]`.
    pub hidden: Aligned,
    /// Logits of attackers win, draw, defenders win, the moves left before the softplus, and padding, `[n][LANES]`.
    pub out: Aligned,
}

impl HeadSpace {
    /// Buffers for `n` positions.
    pub fn new(heads: &Heads, n: usize) -> Self {
        Self {
            pooled: Aligned::zeroed(n * heads.hidden.inputs()),
            hidden: Aligned::zeroed(n * heads.hidden.padded_outputs()),
            out: Aligned::zeroed(n * LANES),
        }
    }
}

impl Heads {
    /// Packs the weights of a net's heads.
    pub fn pack(layers: &Layers, values: &Values<'_>, arithmetic: Arithmetic) -> Self {
        let (policy, value) = (&layers.policy, &layers.value);
        let (c, width) = (layers.channels, arithmetic.padded(layers.channels));
        let (p, v) = (policy.conv.outputs, value.conv.outputs);
        let (policy_width, value_width) = (arithmetic.padded(p), arithmetic.padded(v));
        let joint = [(&policy.conv, policy_width), (&value.conv, value_width)];
        let pool = [(&policy.pool, policy_width + value_width)];
        let hidden = [(&value.hidden, value.hidden.outputs)];
        let out = [(&value.out, value.out.outputs), (&value.moves_left, LANES - value.out.outputs)];
        let planes = stacked(values, &[(&policy.out, policy.out.outputs)], [p, policy_width]);
        let mut policy_out = Aligned::zeroed(planes.len());
        policy_out.copy_from_slice(planes.as_slice().expect("rows made in the standard layout"));
        let h = value.hidden.outputs;
        Self {
            policy_width,
            value_width,
            pool: matrix(&stacked(values, &pool, [c, width])),
            joint: arithmetic.squares(&stacked(values, &joint, [c, width])),
            joint_bias: stacked_biases(values, &joint),
            policy_out,
            policy_out_bias: stacked_biases(values, &[(&policy.out, policy.out.outputs)]),
            hidden: matrix(&stacked(values, &hidden, [v, value_width])),
            hidden_bias: stacked_biases(values, &hidden),
            out: matrix(&stacked(values, &out, [h, h])),
            out_bias: stacked_biases(values, &out),
        }
    }

    /// Channels of both heads, including padding.
    pub fn joint_width(&self) -> usize {
        self.policy_width + self.value_width
    }

    /// Length of a position's means and maxima in the value head.
    pub fn pooled_len(&self) -> usize {
        2 * self.value_width
    }

    /// Writes the logits of some rows' moves, and the value head's means and maxima, from the trunk's output.
    ///
    /// # Panics
    /// If the number of logits differs from the number of the rows' moves.
    pub fn squares(
        &self,
        kernels: Kernels,
        trunk: &Trunk,
        from: &mut impl Activations,
        positions: &Positions<'_>,
        pooled: &mut [f32],
        mut logits: &mut [f32],
    ) {
        let (values, biases) = from.pooled_and_biases(trunk.output());
        let output = Rows { values, stride: self.pool.inputs(), count: positions.rows.len() };
        kernels.product(output, &self.pool, &self.joint_bias, false, biases);
        from.squares(kernels, &self.joint, |row, joint| {
            let moves = positions.moves_of(row);
            let logits = logits.split_off_mut(..moves.len()).expect("a logit for each move");
            for (logit, index) in logits.iter_mut().zip(moves) {
                *logit = self.entry(kernels, joint, index.entry);
                if index.choice != PolicyIndex::NO_CHOICE {
                    *logit += self.entry(kernels, joint, index.choice);
                }
            }
            let value = Rows { values: &joint[self.policy_width..], stride: self.joint_width(), count: SQUARES };
            let size = self.pooled_len();
            kernels.pool(value, self.value_width, &mut pooled[row * size..][..size]);
        });
    }

    /// One entry of the policy table.
    fn entry(&self, kernels: Kernels, joint: &[f32], entry: u16) -> f32 {
        let (plane, square) = plane_and_square(entry);
        let weights = &self.policy_out[plane * self.policy_width..][..self.policy_width];
        let policy = &joint[square * self.joint_width()..][..self.policy_width];
        kernels.dot(weights, policy) + self.policy_out_bias[plane]
    }

    /// Fills the rest of `space` for its first `n` positions from the pooled values.
    pub fn values(&self, kernels: Kernels, n: usize, space: &mut HeadSpace) {
        let pooled = Rows { values: &space.pooled, stride: self.hidden.inputs(), count: n };
        kernels.product(pooled, &self.hidden, &self.hidden_bias, true, &mut space.hidden);
        let hidden = Rows { values: &space.hidden, stride: self.out.inputs(), count: n };
        kernels.product(hidden, &self.out, &self.out_bias, false, &mut space.out);
    }
}

/// The matrix of a dense layer's own rows, without padding.
pub(super) fn own_rows(values: &Values<'_>, layers: &[&Linear]) -> ndarray::Array2<f32> {
    let layers: Vec<_> = layers.iter().map(|layer| (*layer, layer.outputs)).collect();
    let inputs = layers[0].0.inputs;
    stacked(values, &layers, [inputs, inputs])
}

/// Plane and square of an entry of the policy table.
pub(super) fn plane_and_square(entry: u16) -> (usize, usize) {
    (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES)
}

/// `ln(1 + exp(x))`, without overflow for large `x`.
pub fn softplus(x: f32) -> f32 {
    x.max(0.0) + libm::log1pf(libm::expf(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softplus_is_ln_2_at_zero_and_the_identity_far_up() {
        assert_eq!(softplus(0.0), std::f32::consts::LN_2);
        assert_eq!(softplus(100.0), 100.0);
        assert!(softplus(-100.0) >= 0.0);
    }
}
