//! Gradients of everything but the line network.

use tablut_kernels::{Aligned, LANES};

use crate::features::FEATURES;
use crate::lines::dense::{Sums, add, transposed};
use crate::lines::description::{ADDED_PLANES, BOTH, DISTANCES, LineBlock, LineLayers, PAIRS};

pub(super) struct Gradients {
    pub(super) side: Vec<f32>,
    pub(super) features: Sums,
    pub(super) added: Vec<f32>,
    pub(super) blocks: Vec<BlockGradients>,
    pub(super) joint: Sums,
    pub(super) pair_pool: Sums,
    pub(super) shift: Vec<f32>,
    pub(super) distance: Vec<f32>,
    pub(super) choice: Vec<f32>,
    pub(super) choice_bias: f32,
    pub(super) hidden: Sums,
    pub(super) out: Sums,
}

pub(super) struct BlockGradients {
    pub(super) depthwise: Aligned,
    pub(super) depthwise_bias: Vec<f32>,
    pub(super) pool: Sums,
    pub(super) pointwise: Sums,
}

impl Gradients {
    pub(super) fn new(layers: &LineLayers) -> Self {
        let (c, value) = (layers.channels, &layers.value);
        let block = |_: &LineBlock| BlockGradients {
            depthwise: Aligned::zeroed(9 * c),
            depthwise_bias: vec![0.0; c],
            pool: Sums::new(2 * c, c),
            pointwise: Sums::new(c, c),
        };
        Self {
            side: vec![0.0; 2 * c],
            features: Sums::new(FEATURES, c),
            added: vec![0.0; ADDED_PLANES.len() * c],
            blocks: layers.blocks.iter().map(block).collect(),
            joint: Sums::new(c, PAIRS + value.conv.outputs),
            pair_pool: Sums::new(2 * c, PAIRS),
            shift: vec![0.0; BOTH],
            distance: vec![0.0; 2 * DISTANCES],
            choice: vec![0.0; c],
            choice_bias: 0.0,
            hidden: Sums::new(value.hidden.inputs, value.hidden.outputs),
            out: Sums::new(value.out.inputs, LANES),
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.side, &other.side),
            (&mut self.added, &other.added),
            (&mut self.shift, &other.shift),
            (&mut self.distance, &other.distance),
            (&mut self.choice, &other.choice),
        ];
        for (sum, other) in pairs {
            add(sum, other, 1.0);
        }
        self.choice_bias += other.choice_bias;
        for (sums, other) in self.blocks.iter_mut().zip(&other.blocks) {
            add(&mut sums.depthwise, &other.depthwise, 1.0);
            add(&mut sums.depthwise_bias, &other.depthwise_bias, 1.0);
            sums.pool.add(&other.pool);
            sums.pointwise.add(&other.pointwise);
        }
        self.features.add(&other.features);
        self.joint.add(&other.joint);
        self.pair_pool.add(&other.pair_pool);
        self.hidden.add(&other.hidden);
        self.out.add(&other.out);
    }

    pub(super) fn write(&self, layers: &LineLayers, to: &mut [Vec<f32>]) {
        let value = &layers.value;
        to[layers.side.index()].clone_from(&self.side);
        self.features.write(&[&layers.features], to);
        to[layers.added.weight.index()] = transposed(&self.added, layers.channels);
        for (block, sums) in layers.blocks.iter().zip(&self.blocks) {
            to[block.depthwise.index()] = sums.depthwise.to_vec();
            to[block.depthwise_bias.index()].clone_from(&sums.depthwise_bias);
            sums.pool.write(&[&block.pool], to);
            sums.pointwise.write(&[&block.pointwise], to);
        }
        self.joint.write(&[&layers.pair, &value.conv], to);
        self.pair_pool.write(&[&layers.pair_pool], to);
        to[layers.pair_shift.index()].clone_from(&self.shift);
        to[layers.distance.index()].clone_from(&self.distance);
        to[layers.choice.weight.index()].clone_from(&self.choice);
        if let Some(bias) = layers.choice.bias {
            to[bias.index()] = vec![self.choice_bias];
        }
        self.hidden.write(&[&value.hidden], to);
        self.out.write(&[&value.out, &value.moves_left], to);
    }
}
