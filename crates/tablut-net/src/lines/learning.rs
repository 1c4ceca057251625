//! The forward and backward pass in f32, for training.
//!
//! The line network runs once for each distinct line of a batch. Its outputs are a table, from which the positions read.
//! Positions are divided into shards and lines into chunks, both of a fixed size. Each part sums its own gradients, and
//! the parts are added in order, so the bits do not depend on the number of threads.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use tablut_kernels::{Aligned, Grid, Kernels, LANES, Matrix, Rows};
use tablut_rules::{SIZE, SQUARES};

use super::description::{ADDED_PLANES, ENDS, LineLayers, PAIR, TOP};
use super::moves::{Entry, MoveEntry, entries};
use super::network::{Dense, LineAdjoints, LineGradients, LineWeights, Sums, add, add_rows, kept_len, transposed};
use super::patterns::{Classes, LINES, SeenLine};
use crate::architecture::LineShape;
use crate::batch::InputBatch;
use crate::features::{FEATURES, PLANES};
use crate::layers::adjoint::Predictions;
use crate::layers::{Linear, Values, softplus};

/// Positions that a thread runs through the trunk together.
const SHARD: usize = 16;
/// Lines that a thread runs through the line network together.
const CHUNK: usize = 64;
/// The board.
const GRID: Grid = Grid::new(SIZE, SIZE);
/// Numbers of the pair of vectors for a square and a direction.
const BOTH: usize = 2 * PAIR;
/// Channels of the policy's pairs, for both directions.
const PAIRS: usize = 2 * BOTH;
/// Factor of the product of a move's two vectors.
pub const PAIR_SCALE: f32 = 0.106_066_02;

/// A net of lines that learns: its weights, and the activations of the last batch.
pub struct LineLearner {
    kernels: Kernels,
    layers: LineLayers,
    entries: Vec<Entry>,
    weights: Option<Weights>,
    batch: Batch,
}

/// All weights, packed.
struct Weights {
    line: LineWeights,
    line_adjoints: LineAdjoints,
    side: Vec<f32>,
    features: Matrix,
    /// `[added planes][channels]`.
    added: Vec<f32>,
    blocks: Vec<Block>,
    /// The policy's pairs and the value head's channels.
    joint: Dense,
    joint_adjoint: Matrix,
    pair_pool: Matrix,
    pair_pool_adjoint: Matrix,
    shift: Vec<f32>,
    distance: Vec<f32>,
    choice: Vec<f32>,
    choice_bias: f32,
    hidden: Dense,
    hidden_adjoint: Matrix,
    out: Dense,
    out_adjoint: Matrix,
}

struct Block {
    depthwise: Vec<f32>,
    /// The taps in reverse order.
    flipped: Vec<f32>,
    depthwise_bias: Vec<f32>,
    pool: Matrix,
    pool_adjoint: Matrix,
    pointwise: Dense,
    pointwise_adjoint: Matrix,
}

/// The distinct lines of a batch, and its positions' activations.
#[derive(Default)]
struct Batch {
    n: usize,
    classes: Classes,
    lines: Vec<SeenLine>,
    /// Each position's lines, as indices of `lines`.
    of_row: Vec<[u32; LINES]>,
    /// The outputs of the line network, `[lines][9][out_width]`.
    table: Vec<f32>,
    /// What the line network's backward pass needs.
    kept: Vec<f32>,
    shards: Vec<Shard>,
}

/// The activations of a few positions. Images are `[row][square][channel]`, pooled values `[row][means, then maxima]`.
struct Shard {
    rows: Range<usize>,
    /// The input of each block, then the trunk's output.
    x: Vec<Aligned>,
    /// The activations inside each block.
    inside: Vec<Aligned>,
    /// The pooled input of each block, then the pooled output of the trunk.
    pooled: Vec<Aligned>,
    /// The rectified pairs along rows, then along columns, `[row][2][81][BOTH]`.
    both: Vec<f32>,
    /// The value head's activations.
    value: Aligned,
    value_pooled: Aligned,
    hidden: Aligned,
    out: Aligned,
    logits: Vec<f32>,
    /// The gradient of the sum of lines, `[row][81][channels]`.
    to_trunk: Aligned,
    /// The gradient of the pairs, `[row][81][PAIRS]`.
    to_pairs: Vec<f32>,
    /// The gradient of the ends, `[row][LINES][9][ENDS]`.
    to_ends: Vec<f32>,
}

/// Gradients of everything but the line network.
struct Gradients {
    side: Vec<f32>,
    features: Sums,
    added: Vec<f32>,
    blocks: Vec<BlockGradients>,
    joint: Sums,
    pair_pool: Sums,
    shift: Vec<f32>,
    distance: Vec<f32>,
    choice: Vec<f32>,
    choice_bias: f32,
    hidden: Sums,
    out: Sums,
}

struct BlockGradients {
    depthwise: Aligned,
    depthwise_bias: Vec<f32>,
    pool: Sums,
    pointwise: Sums,
}

impl LineLearner {
    /// A net with this architecture on `kernels`, without weights yet.
    pub fn new(architecture: LineShape, kernels: Kernels) -> Self {
        let (layers, entries) = (architecture.layers(), entries());
        Self { kernels, layers, entries, weights: None, batch: Batch::default() }
    }

    /// The kernels that it runs on.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Sets the values of all parameters.
    ///
    /// # Panics
    /// If a tensor does not have the size of the architecture.
    pub fn set_weights(&mut self, values: &Values<'_>) {
        self.weights = Some(Weights::pack(&self.layers, values));
    }

    /// Runs the net on a batch and keeps what [`LineLearner::backward`] needs.
    ///
    /// # Panics
    /// If no weights are set.
    pub fn forward(&mut self, input: &InputBatch) -> Predictions {
        let Self { kernels, layers, entries, weights, batch } = self;
        let (kernels, layers, entries) = (*kernels, &*layers, &entries[..]);
        let weights = weights.as_ref().expect("weights are set");
        batch.begin(layers, input);
        let (out, kept) = (SIZE * weights.line.out_width(), kept_len(layers.line.pairs.len()));
        batch.table.resize(batch.lines.len() * out, 0.0);
        batch.kept.resize(batch.lines.len() * kept, 0.0);
        let Batch { classes, lines, of_row, table, kept: all_kept, shards, .. } = batch;
        let chunks = table.par_chunks_mut(CHUNK * out).zip(all_kept.par_chunks_mut(CHUNK * kept));
        chunks.zip(lines.par_chunks(CHUNK)).for_each(|((table, all_kept), lines)| {
            let each = table.chunks_exact_mut(out).zip(all_kept.chunks_exact_mut(kept));
            for ((out, kept), &line) in each.zip(lines) {
                let product = |rows: Rows<'_>, matrix: &Matrix, init: &[f32], relu, out: &mut [f32]| {
                    kernels.product(rows, matrix, init, relu, out);
                };
                weights.line.forward(product, line, classes.class(line), kept, out);
            }
        });
        let tables = Tables { values: table, width: weights.line.out_width(), channels: layers.channels };
        shards.par_iter_mut().for_each(|shard| shard.forward(kernels, weights, &tables, of_row, entries, input));
        let mut predictions = Predictions::default();
        for shard in shards {
            predictions.logits.extend_from_slice(&shard.logits);
            for out in shard.out.chunks_exact(LANES) {
                predictions.wdl.extend_from_slice(&out[..3]);
                predictions.moves_left.push(softplus(out[3]));
            }
        }
        predictions
    }

    /// Gradients of all parameters, in their order, from the gradient of the last forward pass's predictions. `input`
    /// is the batch of that pass.
    ///
    /// # Panics
    /// If the sizes of `input` or `gradient` differ from that batch.
    pub fn backward(&mut self, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        let Self { kernels, layers, entries, weights, batch } = self;
        let (kernels, layers, entries) = (*kernels, &*layers, &entries[..]);
        let weights = weights.as_ref().expect("weights are set");
        assert_eq!(batch.n, input.n, "the batch of the forward pass");
        let tables = Tables { values: &batch.table, width: weights.line.out_width(), channels: layers.channels };
        let backward = |shard: &mut Shard| {
            let mut sums = Gradients::new(layers);
            shard.backward(kernels, weights, &tables, entries, input, gradient, &mut sums);
            sums
        };
        let parts: Vec<Gradients> = batch.shards.par_iter_mut().map(backward).collect();
        let users = batch.users();
        let (out, kept) = (SIZE * tables.width, kept_len(layers.line.pairs.len()));
        let chunk = |(chunk, lines): (usize, &[SeenLine])| {
            let mut sums = LineGradients::new(layers);
            let mut gradient = Aligned::zeroed(out);
            for (at, &line) in lines.iter().enumerate() {
                let index = chunk * CHUNK + at;
                batch.gather(layers.channels, tables.width, &users[index], &mut gradient);
                let kept = &batch.kept[index * kept..][..kept];
                let class = batch.classes.class(line);
                weights.line_adjoints.backward(kernels, line, class, kept, &gradient, &mut sums);
            }
            sums
        };
        let line_parts: Vec<_> = batch.lines.par_chunks(CHUNK).enumerate().map(chunk).collect();
        let mut gradients: Vec<_> = layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        if let Some(sum) = line_parts.into_iter().reduce(|mut sum, part| {
            sum.add(&part);
            sum
        }) {
            sum.write(layers, &mut gradients);
        }
        if let Some(sum) = parts.into_iter().reduce(|mut sum, part| {
            sum.add(&part);
            sum
        }) {
            sum.write(layers, &mut gradients);
        }
        gradients
    }
}

impl Batch {
    /// Finds the lines of a new batch, and makes room for its positions.
    fn begin(&mut self, layers: &LineLayers, input: &InputBatch) {
        self.classes = Classes::default();
        self.lines.clear();
        let mut found = HashMap::new();
        let Self { classes, lines, .. } = self;
        let of_row = (0..input.n).map(|row| {
            let planes = &input.planes[row * PLANES..][..PLANES];
            let all = classes.lines(planes, &input.features[row * FEATURES..][..FEATURES]);
            all.map(|line| {
                *found.entry(line.key()).or_insert_with(|| {
                    lines.push(line);
                    lines.len() as u32 - 1
                })
            })
        });
        self.of_row = of_row.collect();
        if self.n != input.n || self.shards.is_empty() {
            self.n = input.n;
            let shard = |first: usize| Shard::new(layers, first..(first + SHARD).min(input.n));
            self.shards = (0..input.n).step_by(SHARD).map(shard).collect();
        }
    }

    /// For each line, the positions that have it, and its place among the lines of the position.
    fn users(&self) -> Vec<Vec<(u32, u8)>> {
        let mut users = vec![Vec::new(); self.lines.len()];
        for (row, lines) in self.of_row.iter().enumerate() {
            for (at, &line) in lines.iter().enumerate() {
                users[line as usize].push((row as u32, at as u8));
            }
        }
        users
    }

    /// Sums the gradient of a line's output over the positions that have it.
    fn gather(&self, c: usize, width: usize, users: &[(u32, u8)], gradient: &mut [f32]) {
        gradient.fill(0.0);
        for &(row, at) in users {
            let (row, at) = (row as usize, usize::from(at));
            let (shard, row) = (&self.shards[row / SHARD], row % SHARD);
            let along_row = at < SIZE;
            for (place, gradient) in gradient.chunks_exact_mut(width).enumerate() {
                let square = if along_row { at * SIZE + place } else { place * SIZE + at - SIZE };
                add(&mut gradient[..c], &shard.to_trunk[(row * SQUARES + square) * c..][..c], 1.0);
                let pairs = &shard.to_pairs[(row * SQUARES + square) * PAIRS..][..PAIRS];
                let (on_rows, on_columns) = pairs.split_at(BOTH);
                let (along, across) = if along_row { (on_rows, on_columns) } else { (on_columns, on_rows) };
                add(&mut gradient[c..c + BOTH], along, 1.0);
                add(&mut gradient[c + BOTH..c + PAIRS], across, 1.0);
                let ends = &shard.to_ends[((row * LINES + at) * SIZE + place) * ENDS..][..ENDS];
                add(&mut gradient[c + PAIRS..c + PAIRS + ENDS], ends, 1.0);
            }
        }
    }
}

/// The outputs of the line network.
struct Tables<'a> {
    values: &'a [f32],
    width: usize,
    channels: usize,
}

impl Tables<'_> {
    /// What a line says about one of its squares.
    fn square(&self, line: u32, place: usize) -> &[f32] {
        &self.values[(line as usize * SIZE + place) * self.width..][..self.width]
    }

    fn trunk(&self, line: u32, place: usize) -> &[f32] {
        &self.square(line, place)[..self.channels]
    }

    fn along(&self, line: u32, place: usize) -> &[f32] {
        &self.square(line, place)[self.channels..][..BOTH]
    }

    fn across(&self, line: u32, place: usize) -> &[f32] {
        &self.square(line, place)[self.channels + BOTH..][..BOTH]
    }

    fn end(&self, line: u32, end: usize) -> f32 {
        self.square(line, end / ENDS)[self.channels + PAIRS + end % ENDS]
    }
}

impl Weights {
    fn pack(layers: &LineLayers, values: &Values<'_>) -> Self {
        let c = layers.channels;
        let matrix = |layer: &Linear| Matrix::pack(layer.outputs, layer.inputs, values.get(layer.weight));
        let adjoint = |layers: &[&Linear]| adjoint(values, layers);
        let value = &layers.value;
        let block = |block: &super::description::LineBlock| {
            let depthwise = values.get(block.depthwise).to_vec();
            Block {
                flipped: depthwise.chunks_exact(c).rev().flatten().copied().collect(),
                depthwise,
                depthwise_bias: values.get(block.depthwise_bias).to_vec(),
                pool: matrix(&block.pool),
                pool_adjoint: adjoint(&[&block.pool]),
                pointwise: Dense::pack(values, &block.pointwise),
                pointwise_adjoint: adjoint(&[&block.pointwise]),
            }
        };
        Self {
            line: LineWeights::pack(layers, values),
            line_adjoints: LineAdjoints::pack(layers, values),
            side: values.get(layers.side).to_vec(),
            features: matrix(&layers.features),
            added: transposed(values.get(layers.added.weight), layers.added.inputs),
            blocks: layers.blocks.iter().map(block).collect(),
            joint: Dense::stack(values, &[&layers.pair, &value.conv]),
            joint_adjoint: adjoint(&[&layers.pair, &value.conv]),
            pair_pool: matrix(&layers.pair_pool),
            pair_pool_adjoint: adjoint(&[&layers.pair_pool]),
            shift: values.get(layers.pair_shift).to_vec(),
            distance: values.get(layers.distance).to_vec(),
            choice: values.get(layers.choice.weight).to_vec(),
            choice_bias: layers.choice.bias.map_or(0.0, |bias| values.get(bias)[0]),
            hidden: Dense::pack(values, &value.hidden),
            hidden_adjoint: adjoint(&[&value.hidden]),
            out: Dense::stack(values, &[&value.out, &value.moves_left]),
            out_adjoint: adjoint(&[&value.out, &value.moves_left]),
        }
    }
}

/// The adjoint of layers that read the same rows, with their outputs side by side and padded.
fn adjoint(values: &Values<'_>, layers: &[&Linear]) -> Matrix {
    let inputs = layers[0].inputs;
    let mut rows: Vec<f32> = layers.iter().flat_map(|layer| values.get(layer.weight)).copied().collect();
    let padded = (rows.len() / inputs).next_multiple_of(LANES);
    rows.resize(padded * inputs, 0.0);
    Matrix::pack(inputs, padded, &transposed(&rows, inputs))
}

fn row(values: &[f32], index: usize, width: usize) -> &[f32] {
    &values[index * width..][..width]
}

fn row_mut(values: &mut [f32], index: usize, width: usize) -> &mut [f32] {
    &mut values[index * width..][..width]
}

/// Cuts values off at 0 and [`TOP`].
fn clip(values: &mut [f32]) {
    for value in values {
        let positive = if *value > 0.0 { *value } else { 0.0 };
        *value = if positive < TOP { positive } else { TOP };
    }
}

impl Shard {
    fn new(layers: &LineLayers, rows: Range<usize>) -> Self {
        let (n, c, blocks) = (rows.len(), layers.channels, layers.blocks.len());
        let image = |channels: usize| Aligned::zeroed(n * SQUARES * channels);
        let (v, h) = (layers.value.conv.outputs, layers.value.hidden.outputs);
        Self {
            rows,
            x: (0..=blocks).map(|_| image(c)).collect(),
            inside: (0..blocks).map(|_| image(c)).collect(),
            pooled: (0..=blocks).map(|_| Aligned::zeroed(n * 2 * c)).collect(),
            both: vec![0.0; n * 2 * SQUARES * BOTH],
            value: image(v),
            value_pooled: Aligned::zeroed(n * 2 * v),
            hidden: Aligned::zeroed(n * h),
            out: Aligned::zeroed(n * LANES),
            logits: Vec::new(),
            to_trunk: image(c),
            to_pairs: vec![0.0; n * SQUARES * PAIRS],
            to_ends: vec![0.0; n * LINES * SIZE * ENDS],
        }
    }

    fn forward(
        &mut self,
        kernels: Kernels,
        weights: &Weights,
        tables: &Tables<'_>,
        lines: &[[u32; LINES]],
        entries: &[Entry],
        input: &InputBatch,
    ) {
        let (n, c) = (self.rows.len(), tables.channels);
        let size = SQUARES * c;
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
                let (r, f) = (square / SIZE, square % SIZE);
                let (on_row, on_column) = (tables.trunk(lines[r], f), tables.trunk(lines[SIZE + f], r));
                for (((x, a), b), bias) in x.iter_mut().zip(on_row).zip(on_column).zip(&*bias) {
                    *x = a + b + bias;
                }
            }
            for (plane, squares) in planes[ADDED_PLANES].iter().enumerate() {
                for square in *squares {
                    add(row_mut(x, square.index(), c), row(&weights.added, plane, c), 1.0);
                }
            }
            clip(x);
        }
        for (index, block) in weights.blocks.iter().enumerate() {
            let (before, after) = self.x.split_at_mut(index + 1);
            let (x, y, inside) = (&before[index], &mut after[0], &mut self.inside[index]);
            let pooled = &mut self.pooled[index];
            for at in 0..n {
                let squares = Rows { values: row(x, at, size), stride: c, count: SQUARES };
                kernels.pool(squares, c, row_mut(pooled, at, 2 * c));
            }
            let rows = Rows { values: pooled, stride: 2 * c, count: n };
            kernels.product(rows, &block.pool, &block.depthwise_bias, false, &mut biases);
            for at in 0..n {
                let layer = [&block.depthwise[..], row(&biases, at, c)];
                kernels.depthwise(GRID, row(x, at, size), layer, false, row_mut(inside, at, size));
            }
            clip(inside);
            let rows = Rows { values: inside, stride: c, count: n * SQUARES };
            kernels.product(rows, &block.pointwise.matrix, &block.pointwise.bias, false, y);
            add(y, x, 1.0);
            clip(y);
        }
        self.heads(kernels, weights, tables, lines, entries, input);
    }

    fn heads(
        &mut self,
        kernels: Kernels,
        weights: &Weights,
        tables: &Tables<'_>,
        lines: &[[u32; LINES]],
        entries: &[Entry],
        input: &InputBatch,
    ) {
        let (n, c) = (self.rows.len(), tables.channels);
        let (size, v) = (SQUARES * c, self.value.len() / n / SQUARES);
        let wide = PAIRS + v;
        let (x, pooled) = (&self.x[self.inside.len()], &mut self.pooled[self.inside.len()]);
        let mut joint = Aligned::zeroed(SQUARES * wide);
        let mut init = vec![0.0; wide];
        self.logits.clear();
        for at in 0..n {
            let lines = &lines[self.rows.start + at];
            let squares = Rows { values: row(x, at, size), stride: c, count: SQUARES };
            let pooled = row_mut(pooled, at, 2 * c);
            kernels.pool(squares, c, pooled);
            init.copy_from_slice(&weights.joint.bias);
            let one = Rows { values: pooled, stride: 2 * c, count: 1 };
            kernels.product(one, &weights.pair_pool, &weights.joint.bias[..PAIRS], false, &mut init[..PAIRS]);
            kernels.product(squares, &weights.joint.matrix, &init, false, &mut joint);
            let both = row_mut(&mut self.both, at, 2 * SQUARES * BOTH);
            let (on_rows, on_columns) = both.split_at_mut(SQUARES * BOTH);
            let value = row_mut(&mut self.value, at, SQUARES * v);
            for (square, joint) in joint.chunks_exact(wide).enumerate() {
                let (r, f) = (square / SIZE, square % SIZE);
                let sum = |to: &mut [f32], own: &[f32], along: &[f32], across: &[f32]| {
                    for (((to, own), a), b) in to.iter_mut().zip(own).zip(along).zip(across) {
                        *to = (own + a + b).max(0.0);
                    }
                };
                let (in_row, in_column) = (lines[r], lines[SIZE + f]);
                let to = row_mut(on_rows, square, BOTH);
                sum(to, &joint[..BOTH], tables.along(in_row, f), tables.across(in_column, r));
                let to = row_mut(on_columns, square, BOTH);
                sum(to, &joint[BOTH..PAIRS], tables.along(in_column, r), tables.across(in_row, f));
                row_mut(value, square, v).copy_from_slice(&joint[PAIRS..]);
            }
            clip(value);
            let squares = Rows { values: value, stride: v, count: SQUARES };
            kernels.pool(squares, v, row_mut(&mut self.value_pooled, at, 2 * v));
            let side = usize::from(input.planes[(self.rows.start + at) * PLANES + 3].is_empty());
            let logit = |entry: u16| match entries[usize::from(entry)] {
                Entry::Choice(square) => {
                    let x = row(x, at * SQUARES + square, c);
                    weights.choice_bias + x.iter().zip(&weights.choice).map(|(a, b)| a * b).sum::<f32>()
                }
                Entry::Move(MoveEntry { from, to, line, end, distance }) => {
                    let (from, to) = (row(both, from, BOTH), row(both, to, BOTH));
                    let ends =
                        from[..PAIR].iter().zip(&to[PAIR..]).zip(weights.shift.iter().zip(&weights.shift[PAIR..]));
                    let product: f32 = ends.map(|((a, b), (s, t))| (a + s) * (b + t)).sum();
                    product * PAIR_SCALE + tables.end(lines[line], end) + weights.distance[side * ENDS + distance]
                }
            };
            let moves = &input.moves[input.move_range(self.rows.start + at)];
            self.logits.extend(moves.iter().map(|index| {
                let choice = (index.choice != crate::PolicyIndex::NO_CHOICE).then(|| logit(index.choice));
                logit(index.entry) + choice.unwrap_or(0.0)
            }));
        }
        let pooled = Rows { values: &self.value_pooled, stride: 2 * v, count: n };
        kernels.product(pooled, &weights.hidden.matrix, &weights.hidden.bias, true, &mut self.hidden);
        let hidden = Rows { values: &self.hidden, stride: weights.out.matrix.inputs(), count: n };
        kernels.product(hidden, &weights.out.matrix, &weights.out.bias, false, &mut self.out);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of the net, which live apart")]
    fn backward(
        &mut self,
        kernels: Kernels,
        weights: &Weights,
        tables: &Tables<'_>,
        entries: &[Entry],
        input: &InputBatch,
        gradient: &Predictions,
        sums: &mut Gradients,
    ) {
        let (n, c, blocks) = (self.rows.len(), tables.channels, self.inside.len());
        let size = SQUARES * c;
        let mut dx = Aligned::zeroed(n * size);
        self.heads_backward(kernels, weights, entries, input, gradient, sums, &mut dx);
        let mut channel_sums = Aligned::zeroed(n * c);
        let mut dpooled = Aligned::zeroed(n * 2 * c);
        let mut inner = Aligned::zeroed(n * size);
        for index in (0..blocks).rev() {
            let (block, sums) = (&weights.blocks[index], &mut sums.blocks[index]);
            let (x, inside) = (&self.x[index], &self.inside[index]);
            let count = n * SQUARES;
            let right = Rows { values: &dx, stride: c, count };
            kernels.outer(Rows { values: inside, stride: c, count }, c, right, false, &mut sums.pointwise.weight);
            add_rows(&mut sums.pointwise.bias, &dx);
            kernels.product(right, &block.pointwise_adjoint, &[], false, &mut inner);
            for at in 0..n {
                let inner = row_mut(&mut inner, at, size);
                kernels.gate(inner, row(inside, at, size), TOP, row_mut(&mut channel_sums, at, c));
                kernels.depthwise_gradient(GRID, row(x, at, size), inner, &mut sums.depthwise);
            }
            add_rows(&mut sums.depthwise_bias, &channel_sums);
            let right = Rows { values: &channel_sums, stride: c, count: n };
            let pooled = Rows { values: &self.pooled[index], stride: 2 * c, count: n };
            kernels.outer(pooled, 2 * c, right, false, &mut sums.pool.weight);
            kernels.product(right, &block.pool_adjoint, &[], false, &mut dpooled);
            for at in 0..n {
                let (dx, x) = (row_mut(&mut dx, at, size), row(x, at, size));
                kernels.depthwise(GRID, row(&inner, at, size), [&block.flipped, &[]], true, dx);
                unpool(kernels, row(&dpooled, at, 2 * c), row(&self.pooled[index], at, 2 * c), [c, 0], x, dx);
                kernels.gate(dx, x, TOP, row_mut(&mut channel_sums, at, c));
            }
        }
        // `channel_sums` are those of the sum of lines, whose bias they differentiate.
        let features = &input.features[self.rows.start * FEATURES..];
        let right = Rows { values: &channel_sums, stride: c, count: n };
        let features = Rows { values: features, stride: FEATURES, count: n };
        kernels.outer(features, FEATURES, right, false, &mut sums.features.weight);
        for at in 0..n {
            let planes = &input.planes[(self.rows.start + at) * PLANES..][..PLANES];
            let side = usize::from(planes[3].is_empty());
            add(row_mut(&mut sums.side, side, c), row(&channel_sums, at, c), 1.0);
            for (plane, squares) in planes[ADDED_PLANES].iter().enumerate() {
                for square in *squares {
                    add(row_mut(&mut sums.added, plane, c), row(&dx, at * SQUARES + square.index(), c), 1.0);
                }
            }
        }
        self.to_trunk = dx;
    }

    /// Leaves the gradient of the trunk's output, before it is cut off, in `dx`, and the gradients for the lines in the
    /// shard.
    #[expect(clippy::too_many_arguments, reason = "the parts of the net, which live apart")]
    fn heads_backward(
        &mut self,
        kernels: Kernels,
        weights: &Weights,
        entries: &[Entry],
        input: &InputBatch,
        gradient: &Predictions,
        sums: &mut Gradients,
        dx: &mut [f32],
    ) {
        let (n, h) = (self.rows.len(), weights.out.matrix.inputs());
        let (v, c) = (self.value.len() / n / SQUARES, dx.len() / n / SQUARES);
        let (size, wide) = (SQUARES * c, PAIRS + v);
        let mut dvalue = Aligned::zeroed(n * 2 * v);
        self.value_backward(kernels, weights, [v, h], gradient, sums, &mut dvalue);
        let (x, pooled) = (&self.x[self.inside.len()], &self.pooled[self.inside.len()]);
        let mut joint = Aligned::zeroed(SQUARES * wide);
        let mut joint_sums = vec![0.0; wide];
        let mut dpooled = vec![0.0; 2 * c];
        let mut channel_sums = vec![0.0; c];
        let mut dboth = vec![0.0; 2 * SQUARES * BOTH];
        let mut active = Aligned::zeroed(SQUARES * wide);
        self.to_ends.fill(0.0);
        for at in 0..n {
            let both = row(&self.both, at, 2 * SQUARES * BOTH);
            let dx = row_mut(dx, at, size);
            dx.fill(0.0);
            dboth.fill(0.0);
            let side = usize::from(input.planes[(self.rows.start + at) * PLANES + 3].is_empty());
            let ends = row_mut(&mut self.to_ends, at, LINES * SIZE * ENDS);
            let mut add_entry = |entry: u16, gradient: f32| match entries[usize::from(entry)] {
                Entry::Choice(square) => {
                    sums.choice_bias += gradient;
                    add(&mut sums.choice, row(x, at * SQUARES + square, c), gradient);
                    add(row_mut(dx, square, c), &weights.choice, gradient);
                }
                Entry::Move(MoveEntry { from, to, line, end, distance }) => {
                    sums.distance[side * ENDS + distance] += gradient;
                    ends[line * SIZE * ENDS + end] += gradient;
                    let scaled = gradient * PAIR_SCALE;
                    for k in 0..PAIR {
                        let a = both[from * BOTH + k] + weights.shift[k];
                        let b = both[to * BOTH + PAIR + k] + weights.shift[PAIR + k];
                        dboth[from * BOTH + k] += scaled * b;
                        dboth[to * BOTH + PAIR + k] += scaled * a;
                        sums.shift[k] += scaled * b;
                        sums.shift[PAIR + k] += scaled * a;
                    }
                }
            };
            for index in input.move_range(self.rows.start + at) {
                let (mv, gradient) = (input.moves[index], gradient.logits[index]);
                add_entry(mv.entry, gradient);
                if mv.choice != crate::PolicyIndex::NO_CHOICE {
                    add_entry(mv.choice, gradient);
                }
            }
            let to_pairs = row_mut(&mut self.to_pairs, at, SQUARES * PAIRS);
            for (square, joint) in joint.chunks_exact_mut(wide).enumerate() {
                for direction in 0..2 {
                    let place = square + direction * SQUARES;
                    let pairs = row(&dboth, place, BOTH).iter().zip(row(both, place, BOTH));
                    for (to, (gradient, active)) in joint[direction * BOTH..].iter_mut().zip(pairs) {
                        *to = if *active > 0.0 { *gradient } else { 0.0 };
                    }
                }
                row_mut(to_pairs, square, PAIRS).copy_from_slice(&joint[..PAIRS]);
                joint[PAIRS..].fill(0.0);
                active[square * wide..][..PAIRS].fill(1.0);
                active[square * wide + PAIRS..][..v].copy_from_slice(row(&self.value, at * SQUARES + square, v));
            }
            let (gradient, pooled_value) = (row(&dvalue, at, 2 * v), row(&self.value_pooled, at, 2 * v));
            unpool(kernels, gradient, pooled_value, [wide, PAIRS], &active, &mut joint);
            kernels.gate(&mut joint, &active, TOP, &mut joint_sums);
            add(&mut sums.joint.bias, &joint_sums, 1.0);
            let left = Rows { values: row(x, at, size), stride: c, count: SQUARES };
            let right = Rows { values: &joint, stride: wide, count: SQUARES };
            kernels.outer(left, c, right, at > 0, &mut sums.joint.weight);
            let one = Rows { values: &joint_sums, stride: wide, count: 1 };
            let pooled = row(pooled, at, 2 * c);
            let pooled_row = Rows { values: pooled, stride: 2 * c, count: 1 };
            kernels.outer(
                pooled_row,
                2 * c,
                Rows { values: &joint_sums[..PAIRS], ..one },
                at > 0,
                &mut sums.pair_pool.weight,
            );
            kernels.product(one, &weights.pair_pool_adjoint, &[], false, &mut dpooled);
            let mut from_joint = Aligned::zeroed(size);
            kernels.product(right, &weights.joint_adjoint, &[], false, &mut from_joint);
            add(dx, &from_joint, 1.0);
            let x = row(x, at, size);
            unpool(kernels, &dpooled, pooled, [c, 0], x, dx);
            kernels.gate(dx, x, TOP, &mut channel_sums);
        }
    }

    fn value_backward(
        &self,
        kernels: Kernels,
        weights: &Weights,
        [v, h]: [usize; 2],
        gradient: &Predictions,
        sums: &mut Gradients,
        dvalue: &mut [f32],
    ) {
        let n = self.rows.len();
        let mut out = Aligned::zeroed(n * LANES);
        for (at, (row, out)) in self.rows.clone().zip(out.chunks_exact_mut(LANES)).enumerate() {
            out[..3].copy_from_slice(&gradient.wdl[3 * row..][..3]);
            // The derivative of the softplus is the sigmoid, which is 1 - exp(-softplus).
            out[3] = gradient.moves_left[row] * -libm::expm1f(-softplus(self.out[at * LANES + 3]));
        }
        add_rows(&mut sums.out.bias, &out);
        let back = Rows { values: &out, stride: LANES, count: n };
        kernels.outer(Rows { values: &self.hidden, stride: h, count: n }, h, back, false, &mut sums.out.weight);
        let mut hidden = Aligned::zeroed(n * h);
        kernels.product(back, &weights.out_adjoint, &[], false, &mut hidden);
        kernels.gate(&mut hidden, &self.hidden, f32::INFINITY, &mut sums.hidden.bias);
        let back = Rows { values: &hidden, stride: h, count: n };
        let pooled = Rows { values: &self.value_pooled, stride: 2 * v, count: n };
        kernels.outer(pooled, 2 * v, back, false, &mut sums.hidden.weight);
        kernels.product(back, &weights.hidden_adjoint, &[], false, dvalue);
    }
}

/// Adds the gradient of pooled values to that of the image, whose channels start at `first` of `width`.
fn unpool(
    kernels: Kernels,
    gradient: &[f32],
    pooled: &[f32],
    [width, first]: [usize; 2],
    active: &[f32],
    image: &mut [f32],
) {
    let c = gradient.len() / 2;
    let share: Vec<f32> = gradient[..c].iter().map(|mean| mean / SQUARES as f32).collect();
    for square in image.chunks_exact_mut(width) {
        add(&mut square[first..first + c], &share, 1.0);
    }
    kernels.add_at_maxima(active, &pooled[c..], &gradient[c..], [width, first], image);
}

impl Gradients {
    fn new(layers: &LineLayers) -> Self {
        let (c, value) = (layers.channels, &layers.value);
        let block = |_: &super::description::LineBlock| BlockGradients {
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
            distance: vec![0.0; 2 * ENDS],
            choice: vec![0.0; c],
            choice_bias: 0.0,
            hidden: Sums::new(value.hidden.inputs, value.hidden.outputs),
            out: Sums::new(value.out.inputs, LANES),
        }
    }

    fn add(&mut self, other: &Self) {
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

    /// Writes the gradients in the tensors' layout.
    fn write(&self, layers: &LineLayers, to: &mut [Vec<f32>]) {
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
