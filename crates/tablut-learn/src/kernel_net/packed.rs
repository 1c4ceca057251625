//! The weights of a step, packed for the kernels, each also as its adjoint for the way back.

use std::collections::HashMap;

use rayon::prelude::*;
use tablut_kernels::{Convolution, Kernels, LANES, Matrix};
use tablut_net::{FEATURES, NetShape, PLANES};

/// All weights.
pub(super) struct Packed {
    pub shape: NetShape,
    pub input: Convolution,
    pub input_bias: Vec<f32>,
    pub features: Matrix,
    pub blocks: Vec<Block>,
    pub heads: Heads,
}

/// One residual block.
pub(super) struct Block {
    pub conv1: Layer,
    pub conv2: Layer,
    pub pool: Option<Dense>,
}

/// A 3×3 convolution.
pub(super) struct Layer {
    pub forward: Convolution,
    pub adjoint: Convolution,
    pub bias: Vec<f32>,
}

/// A matrix from `inputs` to `outputs`, and from gradients of the outputs to those of the inputs.
pub(super) struct Dense {
    pub forward: Matrix,
    pub adjoint: Matrix,
}

/// The heads. The 1×1 convolutions of both are one product, the policy's channels first: "joint".
pub(super) struct Heads {
    pub joint: Dense,
    pub joint_bias: Vec<f32>,
    pub policy_pool: Dense,
    /// `[POLICY_PLANES][channels]`.
    pub policy_out: Vec<f32>,
    pub policy_out_bias: Vec<f32>,
    pub hidden: Dense,
    pub hidden_bias: Vec<f32>,
    /// Win, draw, loss and moves left; outputs padded.
    pub out: Dense,
    pub out_bias: Vec<f32>,
}

impl Dense {
    /// From a row-major `[outputs, inputs]` matrix.
    fn pack(outputs: usize, inputs: usize, weights: &[f32]) -> Self {
        let mut transposed = Vec::with_capacity(weights.len());
        for input in 0..inputs {
            transposed.extend(weights.iter().skip(input).step_by(inputs));
        }
        Self { forward: Matrix::pack(outputs, inputs, weights), adjoint: Matrix::pack(inputs, outputs, &transposed) }
    }

    fn zeroed(outputs: usize, inputs: usize) -> Self {
        Self::pack(outputs, inputs, &vec![0.0; outputs * inputs])
    }
}

impl Packed {
    /// Weights that are all zero.
    pub fn zeroed(shape: NetShape) -> Self {
        let (c, v, h) = (shape.channels, shape.value_channels, shape.value_hidden);
        assert!(v.is_multiple_of(LANES) && h.is_multiple_of(LANES), "the value head's widths come in sixteens");
        let layer =
            || Layer { forward: Convolution::zeroed(c, c), adjoint: Convolution::zeroed(c, c), bias: vec![0.0; c] };
        let block = |index| Block {
            conv1: layer(),
            conv2: layer(),
            pool: NetShape::pools(index).then(|| Dense::zeroed(c, 2 * c)),
        };
        Self {
            shape,
            input: Convolution::zeroed(c, PLANES),
            input_bias: vec![0.0; c],
            features: Matrix::pack(c, FEATURES, &vec![0.0; c * FEATURES]),
            blocks: (0..shape.blocks).map(block).collect(),
            heads: Heads {
                joint: Dense::zeroed(c + v, c),
                joint_bias: vec![0.0; c + v],
                policy_pool: Dense::zeroed(c, 2 * c),
                policy_out: Vec::new(),
                policy_out_bias: Vec::new(),
                hidden: Dense::zeroed(h, 2 * v),
                hidden_bias: vec![0.0; h],
                out: Dense::zeroed(4, h),
                out_bias: vec![0.0; LANES],
            },
        }
    }

    /// Packs new values, in the order of [`NetShape::tensors`].
    pub fn repack(&mut self, shape: NetShape, kernels: Kernels, tensors: &[&[f32]]) {
        let specs = shape.tensors();
        assert_eq!(specs.len(), tensors.len(), "one array for each tensor");
        for (spec, values) in specs.iter().zip(tensors) {
            assert_eq!(spec.len(), values.len(), "size of {}", spec.name);
        }
        let by_name: HashMap<&str, &[f32]> =
            specs.iter().zip(tensors).map(|(spec, &values)| (spec.name.as_str(), values)).collect();
        let get = |name: &str| by_name[name];
        let c = shape.channels;
        kernels.repack(get("trunk.input.weight"), &mut self.input);
        self.input_bias.copy_from_slice(get("trunk.input.bias"));
        self.features = Matrix::pack(c, FEATURES, get("trunk.features.weight"));
        self.blocks.par_iter_mut().enumerate().for_each(|(index, block)| {
            let name = |rest: &str| format!("trunk.block{index}.{rest}");
            for (layer, conv) in [(&mut block.conv1, "conv1"), (&mut block.conv2, "conv2")] {
                let weights = get(&name(&format!("{conv}.weight")));
                kernels.repack(weights, &mut layer.forward);
                kernels.repack_adjoint(weights, &mut layer.adjoint);
                layer.bias.copy_from_slice(get(&name(&format!("{conv}.bias"))));
            }
            if let Some(pool) = &mut block.pool {
                *pool = Dense::pack(c, 2 * c, get(&name("pool.weight")));
            }
        });
        self.heads.repack(shape, get);
    }
}

impl Heads {
    fn repack<'a>(&mut self, shape: NetShape, get: impl Fn(&str) -> &'a [f32]) {
        let (c, v, h) = (shape.channels, shape.value_channels, shape.value_hidden);
        let both = |a: &str, b: &str| [get(a), get(b)].concat();
        self.joint = Dense::pack(c + v, c, &both("policy.conv.weight", "value.conv.weight"));
        self.joint_bias = both("policy.conv.bias", "value.conv.bias");
        self.policy_pool = Dense::pack(c, 2 * c, get("policy.pool.weight"));
        self.policy_out = get("policy.out.weight").to_vec();
        self.policy_out_bias = get("policy.out.bias").to_vec();
        self.hidden = Dense::pack(h, 2 * v, get("value.hidden.weight"));
        self.hidden_bias = get("value.hidden.bias").to_vec();
        self.out = Dense::pack(4, h, &both("value.out.weight", "moves_left.weight"));
        self.out_bias = both("value.out.bias", "moves_left.bias");
        self.out_bias.resize(LANES, 0.0);
    }
}
