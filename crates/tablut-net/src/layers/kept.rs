//! Images that are kept until the backward pass has read them, for training.

use tablut_kernels::Aligned;
use tablut_rules::SQUARES;

use super::description::Layers;
use super::trunk::Place;
use super::winograd::{PLANE_WIDTH, Store};

/// All activations of some positions. Images are `[row][square][channel]`, pooled values `[row][means, then maxima]`.
pub struct Kept {
    channels: usize,
    joint_width: usize,
    pub(super) planes: Aligned,
    /// The input of each block, and after the last one the trunk's output.
    pub(super) x: Vec<Aligned>,
    /// The activations between a block's convolutions.
    pub(super) inside: Vec<Aligned>,
    /// Their pooled values; empty for plain blocks.
    pub(super) pooled: Vec<Aligned>,
    pub(super) output_pooled: Aligned,
    /// Policy and value activations side by side.
    pub(super) joint: Aligned,
}

impl Kept {
    /// Buffers for the activations of `n` positions.
    pub fn new(layers: &Layers, n: usize) -> Self {
        let channels = layers.channels;
        let joint_width = layers.policy.conv.outputs + layers.value.conv.outputs;
        let image = |channels: usize| Aligned::zeroed(n * SQUARES * channels);
        let pooled = |pools: bool| Aligned::zeroed(if pools { n * 2 * channels } else { 0 });
        Self {
            channels,
            joint_width,
            planes: image(PLANE_WIDTH),
            x: (0..=layers.blocks.len()).map(|_| image(channels)).collect(),
            inside: layers.blocks.iter().map(|_| image(channels)).collect(),
            pooled: layers.blocks.iter().map(|block| pooled(block.pool.is_some())).collect(),
            output_pooled: pooled(true),
            joint: image(joint_width),
        }
    }

    /// The trunk's output.
    pub fn output(&self) -> &[f32] {
        &self.x[self.inside.len()]
    }

    /// The rows from `first` on, as a store.
    pub(super) fn rows_from(&mut self, first: usize) -> KeptRows<'_> {
        KeptRows { kept: self, first }
    }
}

/// Some of the kept rows.
pub(super) struct KeptRows<'a> {
    kept: &'a mut Kept,
    first: usize,
}

impl Store for KeptRows<'_> {
    const POOLS_OUTPUT_BY_ITSELF: bool = true;

    fn planes(&mut self, row: usize) -> &mut [f32] {
        row_mut(&mut self.kept.planes, self.first + row, SQUARES * PLANE_WIDTH)
    }

    fn image(&mut self, place: Place, row: usize) -> (&mut [f32], &mut [f32]) {
        let Kept { channels, x, inside, pooled, output_pooled, .. } = &mut *self.kept;
        let (size, width, row) = (SQUARES * *channels, 2 * *channels, self.first + row);
        match place {
            Place::Stem => (row_mut(&mut x[0], row, size), &mut []),
            Place::Inside(block) => {
                let pooled = &mut pooled[block];
                let pooled = if pooled.is_empty() { &mut [] } else { row_mut(pooled, row, width) };
                (row_mut(&mut inside[block], row, size), pooled)
            }
            Place::After(block) => {
                let (before, after) = x.split_at_mut(block + 1);
                let image = row_mut(&mut after[0], row, size);
                image.copy_from_slice(super::kept::row(&before[block], row, size));
                (image, row_mut(output_pooled, row, width))
            }
        }
    }

    fn pooled(&self, place: Place) -> &[f32] {
        let pooled = match place {
            Place::Inside(block) => &self.kept.pooled[block],
            Place::Stem | Place::After(_) => &self.kept.output_pooled,
        };
        &pooled[self.first * 2 * self.kept.channels..]
    }

    fn trunk_and_joint(&mut self, row: usize) -> (&[f32], &mut [f32]) {
        let Kept { channels, joint_width, x, inside, joint, .. } = &mut *self.kept;
        let row = self.first + row;
        let trunk = super::kept::row(&x[inside.len()], row, SQUARES * *channels);
        (trunk, row_mut(joint, row, SQUARES * *joint_width))
    }
}

/// Row `index` of values with `width` values per row.
pub fn row(values: &[f32], index: usize, width: usize) -> &[f32] {
    &values[index * width..][..width]
}

/// Row `index`, mutable.
pub fn row_mut(values: &mut [f32], index: usize, width: usize) -> &mut [f32] {
    &mut values[index * width..][..width]
}
