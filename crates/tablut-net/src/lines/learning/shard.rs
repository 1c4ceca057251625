//! The activations of a few positions, and their forward pass.

use std::ops::Range;

use tablut_kernels::{Aligned, Grid, Kernels, LANES, Rows};
use tablut_rules::BoardSize;

use super::table::Tables;
use super::weights::PackedWeights;
use crate::batch::InputBatch;
use crate::features::{FEATURES, PLANES};
use crate::layers::{row, row_mut};
use crate::lines::dense::add;
use crate::lines::description::{ADDED_PLANES, BOTH, DISTANCES, ENDS, LineLayers, PAIR, PAIR_SCALE, PAIRS, TOP};
use crate::lines::moves::{Entry, MoveEntry};
use crate::lines::patterns::MOST_LINES;
use crate::policy::PolicyIndex;

/// The grid of a board's squares.
pub(super) fn grid(size: BoardSize) -> Grid {
    Grid::new(size.width(), size.width())
}

/// The activations of a few positions on boards of one size. Images are `[row][square][channel]`, pooled values `[row][means, then maxima]`.
pub(super) struct Shard {
    pub(super) size: BoardSize,
    pub(super) rows: Range<usize>,
    /// The input of each block, then the trunk's output.
    pub(super) x: Vec<Aligned>,
    pub(super) inside: Vec<Aligned>,
    /// The pooled input of each block, then the pooled output of the trunk.
    pub(super) pooled: Vec<Aligned>,
    /// The rectified pairs along rows, then along columns, `[row][2][square][BOTH]`.
    pub(super) both: Vec<f32>,
    pub(super) value: Aligned,
    pub(super) value_pooled: Aligned,
    pub(super) hidden: Aligned,
    pub(super) out: Aligned,
    pub(super) logits: Vec<f32>,
    /// The gradient of the sum of lines, `[row][square][channels]`.
    pub(super) to_trunk: Aligned,
    /// The gradient of the pairs, `[row][square][PAIRS]`.
    pub(super) to_pairs: Vec<f32>,
    /// The gradient of the ends, `[row][line][place][ENDS]`.
    pub(super) to_ends: Vec<f32>,
}

/// Cuts values off at 0 and [`TOP`].
fn clip(values: &mut [f32]) {
    for value in values {
        let positive = if *value > 0.0 { *value } else { 0.0 };
        *value = if positive < TOP { positive } else { TOP };
    }
}

impl Shard {
    pub(super) fn new(layers: &LineLayers, size: BoardSize, rows: Range<usize>) -> Self {
        let (n, c, blocks) = (rows.len(), layers.channels, layers.blocks.len());
        let squares = size.n_squares();
        let image = |channels: usize| Aligned::zeroed(n * squares * channels);
        let (v, h) = (layers.value.conv.outputs, layers.value.hidden.outputs);
        Self {
            size,
            rows,
            x: (0..=blocks).map(|_| image(c)).collect(),
            inside: (0..blocks).map(|_| image(c)).collect(),
            pooled: (0..=blocks).map(|_| Aligned::zeroed(n * 2 * c)).collect(),
            both: vec![0.0; n * 2 * squares * BOTH],
            value: image(v),
            value_pooled: Aligned::zeroed(n * 2 * v),
            hidden: Aligned::zeroed(n * h),
            out: Aligned::zeroed(n * LANES),
            logits: Vec::new(),
            to_trunk: image(c),
            to_pairs: vec![0.0; n * squares * PAIRS],
            to_ends: vec![0.0; n * 2 * squares * ENDS],
        }
    }

    pub(super) fn forward(
        &mut self,
        kernels: Kernels,
        weights: &PackedWeights,
        tables: &Tables<'_>,
        lines: &[[u32; MOST_LINES]],
        entries: &[Entry],
        input: &InputBatch,
    ) {
        let (n, c) = (self.rows.len(), tables.channels);
        let (side, count) = (self.size.width(), self.size.n_squares());
        let size = count * c;
        let mut biases = Aligned::zeroed(n * c);
        let features = &input.features[self.rows.start * FEATURES..];
        let features = Rows { values: features, stride: FEATURES, count: n };
        kernels.product(features, &weights.features, &[], false, &mut biases);
        for at in 0..n {
            let lines = &lines[self.rows.start + at];
            let planes = &input.planes[(self.rows.start + at) * PLANES..][..PLANES];
            let bias = row_mut(&mut biases, at, c);
            add(bias, row(&weights.side, usize::from(planes[3].is_empty()), c), 1.0);
            let x = row_mut(&mut self.x[0], at, size);
            for (square, x) in x.chunks_exact_mut(c).enumerate() {
                let (r, f) = (square / side, square % side);
                let (on_row, on_column) = (tables.trunk(lines[r], f), tables.trunk(lines[side + f], r));
                for (((x, a), b), bias) in x.iter_mut().zip(on_row).zip(on_column).zip(&*bias) {
                    *x = a + b + bias;
                }
            }
            for (plane, squares) in planes[ADDED_PLANES].iter().enumerate() {
                for square in *squares {
                    add(row_mut(x, self.size.place(square), c), row(&weights.added, plane, c), 1.0);
                }
            }
            clip(x);
        }
        for (index, block) in weights.blocks.iter().enumerate() {
            let (before, after) = self.x.split_at_mut(index + 1);
            let (x, y, inside) = (&before[index], &mut after[0], &mut self.inside[index]);
            let pooled = &mut self.pooled[index];
            for at in 0..n {
                let squares = Rows { values: row(x, at, size), stride: c, count };
                kernels.pool(squares, c, row_mut(pooled, at, 2 * c));
            }
            let rows = Rows { values: pooled, stride: 2 * c, count: n };
            kernels.product(rows, &block.pool, &block.depthwise_bias, false, &mut biases);
            for at in 0..n {
                let layer = [&block.depthwise[..], row(&biases, at, c)];
                kernels.depthwise(grid(self.size), row(x, at, size), layer, false, row_mut(inside, at, size));
            }
            clip(inside);
            let rows = Rows { values: inside, stride: c, count: n * count };
            kernels.product(rows, &block.pointwise.matrix, &block.pointwise.bias, false, y);
            add(y, x, 1.0);
            clip(y);
        }
        self.heads(kernels, weights, tables, lines, entries, input);
    }

    fn heads(
        &mut self,
        kernels: Kernels,
        weights: &PackedWeights,
        tables: &Tables<'_>,
        lines: &[[u32; MOST_LINES]],
        entries: &[Entry],
        input: &InputBatch,
    ) {
        let (n, c) = (self.rows.len(), tables.channels);
        let (side, count) = (self.size.width(), self.size.n_squares());
        let (size, v) = (count * c, self.value.len() / n / count);
        let wide = PAIRS + v;
        let (x, pooled) = (&self.x[self.inside.len()], &mut self.pooled[self.inside.len()]);
        let mut joint = Aligned::zeroed(count * wide);
        let mut init = vec![0.0; wide];
        self.logits.clear();
        for at in 0..n {
            let lines = &lines[self.rows.start + at];
            let squares = Rows { values: row(x, at, size), stride: c, count };
            let pooled = row_mut(pooled, at, 2 * c);
            kernels.pool(squares, c, pooled);
            init.copy_from_slice(&weights.joint.bias);
            let one = Rows { values: pooled, stride: 2 * c, count: 1 };
            kernels.product(one, &weights.pair_pool, &weights.joint.bias[..PAIRS], false, &mut init[..PAIRS]);
            kernels.product(squares, &weights.joint.matrix, &init, false, &mut joint);
            let both = row_mut(&mut self.both, at, 2 * count * BOTH);
            let (on_rows, on_columns) = both.split_at_mut(count * BOTH);
            let value = row_mut(&mut self.value, at, count * v);
            for (square, joint) in joint.chunks_exact(wide).enumerate() {
                let (r, f) = (square / side, square % side);
                let sum = |to: &mut [f32], own: &[f32], along: &[f32], across: &[f32]| {
                    for (((to, own), a), b) in to.iter_mut().zip(own).zip(along).zip(across) {
                        *to = (own + a + b).max(0.0);
                    }
                };
                let (in_row, in_column) = (lines[r], lines[side + f]);
                let to = row_mut(on_rows, square, BOTH);
                sum(to, &joint[..BOTH], tables.along(in_row, f), tables.across(in_column, r));
                let to = row_mut(on_columns, square, BOTH);
                sum(to, &joint[BOTH..PAIRS], tables.along(in_column, r), tables.across(in_row, f));
                row_mut(value, square, v).copy_from_slice(&joint[PAIRS..]);
            }
            clip(value);
            let squares = Rows { values: value, stride: v, count };
            kernels.pool(squares, v, row_mut(&mut self.value_pooled, at, 2 * v));
            let to_move = input.row(self.rows.start + at).side();
            let logit = |entry: u16| match entries[usize::from(entry)] {
                Entry::Choice(square) => {
                    let x = row(x, at * count + square, c);
                    weights.choice_bias + x.iter().zip(&weights.choice).map(|(a, b)| a * b).sum::<f32>()
                }
                Entry::Move(MoveEntry { from, to, line, end, distance }) => {
                    let (from, to) = (row(both, from, BOTH), row(both, to, BOTH));
                    let ends =
                        from[..PAIR].iter().zip(&to[PAIR..]).zip(weights.shift.iter().zip(&weights.shift[PAIR..]));
                    let product: f32 = ends.map(|((a, b), (s, t))| (a + s) * (b + t)).sum();
                    product * PAIR_SCALE
                        + tables.end(lines[line], end)
                        + weights.distance[to_move * DISTANCES + distance]
                }
            };
            let moves = &input.moves[input.move_range(self.rows.start + at)];
            self.logits.extend(moves.iter().map(|index| {
                let choice = (index.choice != PolicyIndex::NO_CHOICE).then(|| logit(index.choice));
                logit(index.entry) + choice.unwrap_or(0.0)
            }));
        }
        let pooled = Rows { values: &self.value_pooled, stride: 2 * v, count: n };
        kernels.product(pooled, &weights.hidden.matrix, &weights.hidden.bias, true, &mut self.hidden);
        let hidden = Rows { values: &self.hidden, stride: weights.out.matrix.inputs(), count: n };
        kernels.product(hidden, &weights.out.matrix, &weights.out.bias, false, &mut self.out);
    }
}
