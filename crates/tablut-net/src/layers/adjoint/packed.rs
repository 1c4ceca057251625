//! A net's weights, packed for the forward and the backward pass.

use rayon::prelude::*;
use tablut_kernels::{Convolution, Kernels, Matrix};

use crate::architecture::Architecture;
use crate::features::FEATURES;
use crate::layers::description::{Block, Layers};
use crate::layers::heads::{Heads, own_rows};
use crate::layers::packing::{Values, matrix, stacked, transposed};
use crate::layers::parameter::{self, Linear};
use crate::layers::trunk::{Layer, Trunk};
use crate::layers::winograd::F32;

/// All weights: each layer for the forward pass and, if a gradient goes through it, for the backward pass.
pub(super) struct Packed {
    pub layers: Layers,
    pub trunk: Trunk<F32>,
    pub heads: Heads<F32>,
    pub blocks: Vec<BlockAdjoint>,
    pub head_adjoints: HeadAdjoints,
}

/// Convolutions from gradients of a layer's outputs to gradients of its inputs.
pub(super) struct BlockAdjoint {
    pub conv1: Convolution,
    pub conv2: Convolution,
    pub pool: Option<Matrix>,
}

/// The same for the heads.
pub(super) struct HeadAdjoints {
    pub joint: Matrix,
    pub pool: Matrix,
    pub hidden: Matrix,
    pub out: Matrix,
}

impl Packed {
    /// A net whose weights are all zero.
    pub fn new(architecture: &Architecture) -> Self {
        let layers = architecture.layers();
        let zeros: Vec<_> = layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        let values = Values::new(zeros.iter().map(Vec::as_slice));
        let (trunk, heads) = (Trunk::pack(&layers, &values), Heads::pack(&layers, &values));
        let c = layers.channels;
        let block = |block: &Block| BlockAdjoint {
            conv1: Convolution::zeroed(c, c),
            conv2: Convolution::zeroed(c, c),
            pool: block.pool.as_ref().map(|pool| adjoint(&values, &[pool])),
        };
        let blocks = layers.blocks.iter().map(block).collect();
        let head_adjoints = HeadAdjoints::pack(&layers, &values);
        Self { layers, trunk, heads, blocks, head_adjoints }
    }

    /// Sets the values of all parameters.
    pub fn repack(&mut self, kernels: Kernels, values: &Values<'_>) {
        let Self { layers, trunk, heads, blocks, head_adjoints } = self;
        trunk.repack_stem(kernels, layers, values);
        let blocks = trunk.blocks.par_iter_mut().zip(blocks).zip(&layers.blocks);
        blocks.for_each(|((forward, back), layer)| {
            let sides = [
                (&layer.conv1, &mut forward.conv1, &mut back.conv1),
                (&layer.conv2, &mut forward.conv2, &mut back.conv2),
            ];
            for (layer, forward, back) in sides {
                forward.repack(kernels, layer, values);
                kernels.repack_adjoint(values.get(layer.weight), back);
            }
            if let (Some(layer), Some(pool), Some(back)) = (&layer.pool, &mut forward.pool, &mut back.pool) {
                *pool = matrix(&own_rows(values, &[layer]));
                *back = adjoint(values, &[layer]);
            }
        });
        *heads = Heads::pack(layers, values);
        *head_adjoints = HeadAdjoints::pack(layers, values);
    }
}

impl Trunk<F32> {
    /// Sets new weights before the blocks, quickly and in f32. The layers of the blocks have their own function.
    fn repack_stem(&mut self, kernels: Kernels, layers: &Layers, values: &Values<'_>) {
        self.input.repack(kernels, &layers.input, values);
        self.features = matrix(&stacked(values, &[(&layers.features, self.width)], [FEATURES, FEATURES]));
    }
}

impl Layer<F32> {
    /// Sets new weights, quickly and in f32.
    fn repack(&mut self, kernels: Kernels, layer: &parameter::Convolution, values: &Values<'_>) {
        kernels.repack(values.get(layer.weight), &mut self.convolution);
        self.bias.copy_from_slice(values.get(layer.bias));
    }
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
