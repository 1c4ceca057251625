//! A net's weights, packed for the forward and the backward pass.

use rayon::prelude::*;
use tablut_kernels::{BF16_LANES, Bf16Convolution, Bf16Kernels, Convolution, Kernels, Matrix};

use crate::architecture::Residual;
use crate::features::FEATURES;
use crate::layers::description::{Block, Layers};
use crate::layers::heads::{Heads, own_rows};
use crate::layers::packing::{Arithmetic, Values, matrix, stacked, transposed};
use crate::layers::parameter::{self, Linear};
use crate::layers::trunk::{Layer, Trunk};

/// A net's layers: each packed for the forward pass and, if a gradient goes through it, for the backward pass.
pub struct LearningNet {
    pub(super) layers: Layers,
    pub(super) trunk: Trunk,
    pub(super) adjoints: Adjoints,
    /// For each block, from gradients of its pooling's outputs to gradients of the inputs.
    pub(super) pools: Vec<Option<Matrix>>,
    /// Always in f32.
    pub(super) heads: Heads,
    pub(super) head_adjoints: HeadAdjoints,
}

/// The adjoints of each block's two convolutions: from gradients of their outputs to gradients of their inputs.
pub(super) enum Adjoints {
    /// In f32.
    Single(Vec<[Convolution; 2]>),
    /// In bf16 on matrix registers.
    Rounded(Bf16Kernels, Vec<[Bf16Convolution; 2]>),
}

/// The adjoints of the heads' layers.
pub(super) struct HeadAdjoints {
    pub joint: Matrix,
    pub pool: Matrix,
    pub hidden: Matrix,
    pub out: Matrix,
}

impl LearningNet {
    /// A net whose weights are all zero, in f32. With `bf16` its convolutions are in bf16 on matrix registers, forward
    /// and backward. Inputs, weights and gradients are rounded for each of them. Sums, biases, the residual trunk and
    /// the heads stay in f32.
    ///
    /// # Panics
    /// If the convolutions are rounded and the trunk's channels are not a multiple of [`BF16_LANES`].
    pub fn new(architecture: &Residual, bf16: Option<Bf16Kernels>) -> Self {
        let layers = architecture.layers();
        let zeros: Vec<_> = layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        let values = Values::new(zeros.iter().map(Vec::as_slice));
        let c = layers.channels;
        let (arithmetic, adjoints) = if let Some(bf16) = bf16 {
            assert!(c.is_multiple_of(BF16_LANES), "the channels are a multiple of {BF16_LANES}");
            let zeroed = |_: &Block| [Bf16Convolution::zeroed(c, c, 3), Bf16Convolution::zeroed(c, c, 3)];
            (Arithmetic::Bf16(bf16), Adjoints::Rounded(bf16, layers.blocks.iter().map(zeroed).collect()))
        } else {
            let zeroed = |_: &Block| [Convolution::zeroed(c, c), Convolution::zeroed(c, c)];
            (Arithmetic::F32, Adjoints::Single(layers.blocks.iter().map(zeroed).collect()))
        };
        let trunk = Trunk::pack(&layers, &values, arithmetic);
        let heads = Heads::pack(&layers, &values, Arithmetic::F32);
        let (pools, head_adjoints) = (pools(&layers, &values), HeadAdjoints::pack(&layers, &values));
        Self { layers, trunk, adjoints, pools, heads, head_adjoints }
    }

    /// Sets the values of all parameters.
    pub fn repack(&mut self, kernels: Kernels, values: &Values<'_>) {
        let Self { layers, trunk, adjoints, .. } = self;
        let repack = |layer: &parameter::Convolution, to: &mut Layer| {
            to.convolution.repack(kernels, layer, values.get(layer.weight));
            to.bias.copy_from_slice(values.get(layer.bias));
        };
        repack(&layers.input, &mut trunk.input);
        trunk.features = matrix(&stacked(values, &[(&layers.features, trunk.width)], [FEATURES, FEATURES]));
        trunk.blocks.par_iter_mut().zip(&layers.blocks).for_each(|(to, layer)| {
            repack(&layer.conv1, &mut to.conv1);
            repack(&layer.conv2, &mut to.conv2);
            to.pool = layer.pool.as_ref().map(|layer| matrix(&own_rows(values, &[layer])));
        });
        match adjoints {
            Adjoints::Single(adjoints) => adjoints.par_iter_mut().zip(&layers.blocks).for_each(|(to, layer)| {
                kernels.repack_adjoint(values.get(layer.conv1.weight), &mut to[0]);
                kernels.repack_adjoint(values.get(layer.conv2.weight), &mut to[1]);
            }),
            Adjoints::Rounded(_, adjoints) => adjoints.par_iter_mut().zip(&layers.blocks).for_each(|(to, layer)| {
                for (layer, to) in [layer.conv1, layer.conv2].iter().zip(to) {
                    to.repack_adjoint([layer.outputs, layer.inputs], values.get(layer.weight));
                }
            }),
        }
        self.pools = pools(&self.layers, values);
        self.heads = Heads::pack(&self.layers, values, Arithmetic::F32);
        self.head_adjoints = HeadAdjoints::pack(&self.layers, values);
    }
}

fn pools(layers: &Layers, values: &Values<'_>) -> Vec<Option<Matrix>> {
    layers.blocks.iter().map(|block| block.pool.as_ref().map(|pool| adjoint(values, &[pool]))).collect()
}

impl HeadAdjoints {
    fn pack(layers: &Layers, values: &Values<'_>) -> Self {
        let (policy, value) = (&layers.policy, &layers.value);
        Self {
            joint: adjoint(values, &[&policy.conv, &value.conv]),
            pool: adjoint(values, &[&policy.pool]),
            hidden: adjoint(values, &[&value.hidden]),
            out: adjoint(values, &[&value.out, &value.moves_left]),
        }
    }
}

/// The adjoint of the layers that read the same rows, with their outputs side by side.
fn adjoint(values: &Values<'_>, layers: &[&Linear]) -> Matrix {
    transposed(&own_rows(values, layers))
}
