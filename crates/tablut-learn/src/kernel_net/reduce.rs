//! The shards' shares of the gradients, added in order and brought into the tensors' layout.

use rayon::prelude::*;
use tablut_kernels::LANES;
use tablut_net::{NetShape, TensorSpec};

use super::shard::{Gradients, Shard};

/// Gradients of all tensors, in the order of [`NetShape::tensors`].
pub(super) fn gradients(shape: NetShape, shards: &[Shard]) -> Vec<Vec<f32>> {
    shape.tensors().par_iter().map(|spec| gradient(shape, spec, shards)).collect()
}

fn gradient(shape: NetShape, spec: &TensorSpec, shards: &[Shard]) -> Vec<f32> {
    let Some((first, rest)) = shards.split_first() else { return vec![0.0; spec.len()] };
    let source = Source::of(shape, &first.gradients, &spec.name);
    let mut sums = source.values.to_vec();
    for shard in rest {
        let values = Source::of(shape, &shard.gradients, &spec.name).values;
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
    }
    if source.is_tensors_layout {
        return sums[..spec.len()].to_vec();
    }
    // A tensor is `[output][input][tap]`; a bias has neither inputs nor taps.
    let outputs = spec.dims[0];
    let inputs = spec.dims.get(1).copied().unwrap_or(1);
    let taps = spec.dims[2.min(spec.dims.len())..].iter().product::<usize>();
    let mut gradient = Vec::with_capacity(spec.len());
    for output in 0..outputs {
        let column = sums[source.first_output + output..].iter().step_by(source.width);
        gradient.extend(column.take(inputs * taps));
    }
    gradient
}

/// Where a tensor's gradient is: value `(input, tap, output)` at `(input * taps + tap) * width + first_output + output`.
struct Source<'a> {
    values: &'a [f32],
    width: usize,
    first_output: usize,
    is_tensors_layout: bool,
}

impl<'a> Source<'a> {
    fn of(shape: NetShape, gradients: &'a Gradients, name: &str) -> Self {
        let (c, v) = (shape.channels, shape.value_channels);
        let at = |values: &'a [f32], width: usize, first_output: usize| Self {
            values,
            width,
            first_output,
            is_tensors_layout: false,
        };
        match name {
            "trunk.input.weight" => at(&gradients.input, c, 0),
            "trunk.input.bias" => at(&gradients.input_bias, c, 0),
            "trunk.features.weight" => at(&gradients.features, c, 0),
            "policy.conv.weight" => at(&gradients.joint, c + v, 0),
            "policy.conv.bias" => at(&gradients.joint_bias, c + v, 0),
            "policy.pool.weight" => at(&gradients.policy_pool, c, 0),
            "policy.out.weight" => Self { is_tensors_layout: true, ..at(&gradients.policy_out, c, 0) },
            "policy.out.bias" => at(&gradients.policy_out_bias, c, 0),
            "value.conv.weight" => at(&gradients.joint, c + v, c),
            "value.conv.bias" => at(&gradients.joint_bias, c + v, c),
            "value.hidden.weight" => at(&gradients.hidden, shape.value_hidden, 0),
            "value.hidden.bias" => at(&gradients.hidden_bias, shape.value_hidden, 0),
            "value.out.weight" => at(&gradients.out, LANES, 0),
            "value.out.bias" => at(&gradients.out_bias, LANES, 0),
            "moves_left.weight" => at(&gradients.out, LANES, 3),
            "moves_left.bias" => at(&gradients.out_bias, LANES, 3),
            _ => {
                let (block, layer) = block_and_layer(name);
                let block = &gradients.blocks[block];
                let values = match layer {
                    "conv1.weight" => &block.conv1,
                    "conv1.bias" => &block.bias1,
                    "conv2.weight" => &block.conv2,
                    "conv2.bias" => &block.bias2,
                    _ => &block.pool,
                };
                at(values, c, 0)
            }
        }
    }
}

/// Splits `trunk.block3.conv1.weight` into 3 and `conv1.weight`.
fn block_and_layer(name: &str) -> (usize, &str) {
    let parts = name.strip_prefix("trunk.block").and_then(|rest| rest.split_once('.'));
    let parts = parts.and_then(|(block, layer)| Some((block.parse().ok()?, layer)));
    parts.unwrap_or_else(|| panic!("no gradient is kept for the tensor `{name}`"))
}
