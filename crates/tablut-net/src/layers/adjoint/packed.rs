//! A net's weights, packed for the forward and the backward pass.

use rayon::prelude::*;
use tablut_kernels::{BF16_LANES, Bf16Convolution, Bf16Kernels, Convolution, Kernels, Matrix};

use super::rounded::Rounded;
use crate::architecture::Architecture;
use crate::features::FEATURES;
use crate::layers::description::{Block, Layers};
use crate::layers::heads::{Heads, own_rows};
use crate::layers::packing::{Arithmetic, Values, matrix, stacked, transposed};
use crate::layers::parameter::{self, Linear};
use crate::layers::trunk::{Layer, Trunk};
use crate::layers::winograd::F32;

/// All weights: each layer for the forward pass and, if a gradient goes through it, for the backward pass.
pub(super) struct Packed {
    pub layers: Layers,
    pub convolutions: Convolutions,
    /// For each block, from gradients of its pooling's outputs to gradients of the inputs.
    pub pools: Vec<Option<Matrix>>,
    pub heads: Heads<F32>,
    pub head_adjoints: HeadAdjoints,
}

/// The trunk, and the adjoints of each block's two convolutions: from gradients of their outputs to gradients of their
/// inputs.
pub(super) enum Convolutions {
    /// In f32.
    Single { trunk: Trunk<F32>, adjoints: Vec<[Convolution; 2]> },
    /// In bf16 on matrix registers.
    Rounded { bf16: Bf16Kernels, trunk: Trunk<Rounded>, adjoints: Vec<[Bf16Convolution; 2]> },
}

/// The adjoints of the heads' layers.
pub(super) struct HeadAdjoints {
    pub joint: Matrix,
    pub pool: Matrix,
    pub hidden: Matrix,
    pub out: Matrix,
}

impl Packed {
    /// A net whose weights are all zero. With `bf16` its convolutions are rounded.
    ///
    /// # Panics
    /// If the convolutions are rounded and the trunk's channels are no multiple of [`BF16_LANES`].
    pub fn new(architecture: &Architecture, bf16: Option<Bf16Kernels>) -> Self {
        let layers = architecture.layers();
        let zeros: Vec<_> = layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        let values = Values::new(zeros.iter().map(Vec::as_slice));
        let c = layers.channels;
        let convolutions = if let Some(bf16) = bf16 {
            assert!(c.is_multiple_of(BF16_LANES), "channels of rounded convolutions");
            let zeroed = |_: &Block| [Bf16Convolution::zeroed(c, c, 3), Bf16Convolution::zeroed(c, c, 3)];
            let adjoints = layers.blocks.iter().map(zeroed).collect();
            Convolutions::Rounded { bf16, trunk: Trunk::pack(&layers, &values), adjoints }
        } else {
            let zeroed = |_: &Block| [Convolution::zeroed(c, c), Convolution::zeroed(c, c)];
            let adjoints = layers.blocks.iter().map(zeroed).collect();
            Convolutions::Single { trunk: Trunk::pack(&layers, &values), adjoints }
        };
        let pools = pools(&layers, &values);
        let (heads, head_adjoints) = (Heads::pack(&layers, &values), HeadAdjoints::pack(&layers, &values));
        Self { layers, convolutions, pools, heads, head_adjoints }
    }

    /// Sets the values of all parameters.
    pub fn repack(&mut self, kernels: Kernels, values: &Values<'_>) {
        let Self { layers, convolutions, .. } = self;
        match convolutions {
            Convolutions::Single { trunk, adjoints } => {
                let forward = |layer: &parameter::Convolution, packed: &mut Convolution| {
                    kernels.repack(values.get(layer.weight), packed);
                };
                let adjoint = |layer: &parameter::Convolution, packed: &mut Convolution| {
                    kernels.repack_adjoint(values.get(layer.weight), packed);
                };
                repack_trunk(layers, values, (trunk, adjoints), forward, adjoint);
            }
            Convolutions::Rounded { trunk, adjoints, .. } => {
                let sizes = |layer: &parameter::Convolution| [layer.outputs, layer.inputs];
                let forward = |layer: &parameter::Convolution, packed: &mut Bf16Convolution| {
                    packed.repack(sizes(layer), values.get(layer.weight));
                };
                let adjoint = |layer: &parameter::Convolution, packed: &mut Bf16Convolution| {
                    packed.repack_adjoint(sizes(layer), values.get(layer.weight));
                };
                repack_trunk(layers, values, (trunk, adjoints), forward, adjoint);
            }
        }
        self.pools = pools(&self.layers, values);
        self.heads = Heads::pack(&self.layers, values);
        self.head_adjoints = HeadAdjoints::pack(&self.layers, values);
    }
}

/// Sets a trunk's weights and the adjoints of its blocks, with an arithmetic's ways to set those of a convolution and of
/// its adjoint.
fn repack_trunk<A: Arithmetic>(
    layers: &Layers,
    values: &Values<'_>,
    (trunk, adjoints): (&mut Trunk<A>, &mut [[A::Convolution; 2]]),
    forward: impl Fn(&parameter::Convolution, &mut A::Convolution) + Sync,
    adjoint: impl Fn(&parameter::Convolution, &mut A::Convolution) + Sync,
) {
    let repack = |layer: &parameter::Convolution, to: &mut Layer<A>| {
        forward(layer, &mut to.convolution);
        to.bias.copy_from_slice(values.get(layer.bias));
    };
    repack(&layers.input, &mut trunk.input);
    trunk.features = matrix(&stacked(values, &[(&layers.features, trunk.width)], [FEATURES, FEATURES]));
    let blocks = trunk.blocks.par_iter_mut().zip(adjoints).zip(&layers.blocks);
    blocks.for_each(|((to, back), layer)| {
        repack(&layer.conv1, &mut to.conv1);
        repack(&layer.conv2, &mut to.conv2);
        adjoint(&layer.conv1, &mut back[0]);
        adjoint(&layer.conv2, &mut back[1]);
        to.pool = layer.pool.as_ref().map(|layer| matrix(&own_rows(values, &[layer])));
    });
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
