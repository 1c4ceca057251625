//! The forward pass in integers, for play. All sums are integers, and the few numbers that are not are rounded in the same
//! way everywhere, so every instruction set gives the same bits.

use tablut_kernels::{Aligned, Grid, GridLines, Int8Depthwise, Int8Matrix, Kernels, LANES, Matrix, Rows, short};
use tablut_rules::{BoardSize, GRID_SQUARES};

use super::dense::transposed;
use super::description::{ADDED_PLANES, BOTH, DISTANCES, LineBlock, PAIR, PAIR_SCALE, PAIRS};
use super::moves::{Entry, MoveEntry, entries};
use super::network::{LineWeights, shorten};
use super::patterns::{Classes, MOST_LINES};
use super::tables::{COARSE, FINE, Tables, steps};
use crate::architecture::Architecture;
use crate::batch::SeenRow;
use crate::features::{FEATURES, RULE_FEATURES};
use crate::layers::{Dense, Linear, ValueOutput, Values, matrix};
use crate::policy::PolicyIndex;

/// Steps of an activation in 1.
const STEPS: f32 = 32.0;
/// Bits from the steps of the trunk's sums to those of activations.
const CLIP_SHIFT: u32 = 3;
/// The largest number of a pair, in steps.
const LARGEST_PAIR: i16 = 4095;
const MOST_CHANNELS: usize = 128;

pub(crate) struct LineNet {
    channels: usize,
    /// For each size of board.
    entries: [Vec<Entry>; 3],
    line: LineWeights,
    side: Vec<f32>,
    /// From the features of the rules.
    rules: Matrix,
    /// `[channels]`, from the feature that counts plies.
    plies: Vec<f32>,
    /// `[added planes][channels]`.
    added: Vec<i16>,
    blocks: Vec<Block>,
    /// The policy's pairs and the value head's channels.
    joint: Int8Matrix,
    joint_bias: Vec<f32>,
    pair_pool: Matrix,
    shift: [i16; BOTH],
    distance: Vec<f32>,
    choice: Vec<f32>,
    choice_bias: f32,
    hidden: Dense,
    out: Dense,
}

struct Block {
    depthwise: Int8Depthwise,
    depthwise_bias: Vec<f32>,
    pool: Matrix,
    pointwise: Int8Matrix,
    starts: Vec<i32>,
}

/// One thread's buffers, as long as for the largest board, and the lines that it has met.
pub(crate) struct LineSpace {
    classes: Classes,
    tables: Tables,
    /// What the features of the rules add to every square, `[channels]` for each of the rule sets in `classes`.
    of_rules: Vec<f32>,
    sums: Aligned<i16>,
    x: Aligned<u8>,
    inside: Aligned<u8>,
    joint: Aligned<i16>,
    value: Aligned<u8>,
    /// The pairs along rows, then along columns.
    both: Aligned<i16>,
    /// Starts of the sums of `joint`.
    starts: Vec<i32>,
    hidden: Vec<f32>,
}

/// The lines of a position.
struct Lines {
    size: BoardSize,
    /// Where their entries start.
    entries: [u32; MOST_LINES],
}

impl LineNet {
    pub fn pack(architecture: Architecture, values: &Values<'_>) -> Self {
        let layers = architecture.layers();
        let c = layers.channels;
        let value = &layers.value;
        let joint: Vec<f32> =
            [&layers.pair, &value.conv].iter().flat_map(|layer| values.get(layer.weight)).copied().collect();
        let units: Vec<f32> =
            (0..PAIRS + value.conv.outputs).map(|at| if at < PAIRS { COARSE } else { STEPS }).collect();
        let shift = values.get(layers.pair_shift);
        let bias = |layer: &Linear| layer.bias.map(|bias| values.get(bias).to_vec()).unwrap_or_default();
        let block = |block: &LineBlock| {
            let weights = values.get(block.pointwise.weight);
            let pointwise = Int8Matrix::pack([c, c], weights, &vec![STEPS; c]);
            let mut starts = vec![0; c];
            pointwise.starts(&bias(&block.pointwise), &mut starts);
            Block {
                depthwise: Int8Depthwise::pack(values.get(block.depthwise)),
                depthwise_bias: values.get(block.depthwise_bias).to_vec(),
                pool: matrix(values, &block.pool).shortened(),
                pointwise,
                starts,
            }
        };
        let added = transposed(values.get(layers.added.weight), layers.added.inputs);
        let features = values.get(layers.features.weight).as_chunks::<FEATURES>().0;
        let rules: Vec<[f32; RULE_FEATURES]> =
            features.iter().map(|row| *row.first_chunk().expect("the last feature counts plies")).collect();
        let plies: Vec<f32> = features.iter().map(|row| row[RULE_FEATURES]).collect();
        Self {
            channels: c,
            entries: BoardSize::ALL.map(entries),
            line: LineWeights::pack(&layers, values).shortened(),
            side: values.get(layers.side).to_vec(),
            rules: Matrix::pack(c, RULE_FEATURES, rules.as_flattened()).shortened(),
            plies: plies.iter().copied().map(short).collect(),
            added: added.iter().map(|&value| steps(value, FINE)).collect(),
            blocks: layers.blocks.iter().map(block).collect(),
            joint: Int8Matrix::pack([units.len(), c], &joint, &units),
            joint_bias: [bias(&layers.pair), bias(&value.conv)].concat(),
            pair_pool: matrix(values, &layers.pair_pool).shortened(),
            shift: std::array::from_fn(|at| steps(shift[at], COARSE).clamp(-LARGEST_PAIR, LARGEST_PAIR)),
            distance: values.get(layers.distance).to_vec(),
            choice: values.get(layers.choice.weight).to_vec(),
            choice_bias: bias(&layers.choice).first().copied().unwrap_or(0.0),
            hidden: Dense::pack(values, &value.hidden).shortened(),
            out: Dense::stack(values, &[&value.out, &value.moves_left]).shortened(),
        }
    }

    pub fn space(&self) -> LineSpace {
        let (c, v) = (self.channels, self.hidden.matrix.inputs() / 2);
        LineSpace {
            classes: Classes::default(),
            tables: Tables::new(c),
            of_rules: Vec::new(),
            sums: Aligned::zeroed(GRID_SQUARES * c),
            x: Aligned::zeroed(GRID_SQUARES * c),
            inside: Aligned::zeroed(GRID_SQUARES * c),
            joint: Aligned::zeroed(GRID_SQUARES * (PAIRS + v)),
            value: Aligned::zeroed(GRID_SQUARES * v),
            both: Aligned::zeroed(2 * GRID_SQUARES * BOTH),
            starts: vec![0; PAIRS + v],
            hidden: vec![0.0; self.hidden.matrix.padded_outputs()],
        }
    }

    /// Evaluates one position, and writes the logits of its moves.
    pub fn evaluate(
        &self,
        kernels: Kernels,
        space: &mut LineSpace,
        row: SeenRow<'_>,
        moves: &[PolicyIndex],
        logits: &mut [f32],
    ) -> ValueOutput {
        if space.classes.is_full() {
            space.classes = Classes::default();
            space.of_rules.clear();
            space.tables.clear();
        } else if space.tables.is_full() {
            space.tables.clear();
        }
        let (size, squares) = (row.size, row.size.n_squares());
        let mut entries = [0; MOST_LINES];
        for (entry, line) in entries.iter_mut().zip(space.classes.lines(row)) {
            *entry = space.tables.entry(kernels, &self.line, &space.classes, line);
        }
        let lines = Lines { size, entries };
        self.sum_lines(kernels, space, &lines, row);
        for block in &self.blocks {
            block.run(kernels, size, space);
        }
        let (mut pooled, mut biases) = ([0.0; 2 * MOST_CHANNELS], [0.0; 2 * PAIRS]);
        let pooled = &mut pooled[..2 * self.channels];
        kernels.int8_pool(&space.x[..squares * self.channels], pooled);
        let biases = &mut biases[..self.joint_bias.len()];
        biases.copy_from_slice(&self.joint_bias);
        let one = Rows { values: pooled, stride: pooled.len(), count: 1 };
        kernels.product(one, &self.pair_pool, &self.joint_bias[..PAIRS], false, &mut biases[..PAIRS]);
        self.joint.starts(biases, &mut space.starts);
        let joint = &mut space.joint[..squares * self.joint.outputs()];
        kernels.int8_product(&space.x[..squares * self.channels], &self.joint, &space.starts, joint);
        self.pairs(kernels, space, &lines);
        self.logits(space, &lines, row.side(), moves, logits);
        self.value(kernels, size, space)
    }

    /// Writes the trunk's input: the sums of rows and columns, the bias of the position, and the added planes.
    fn sum_lines(&self, kernels: Kernels, space: &mut LineSpace, lines: &Lines, row: SeenRow<'_>) {
        let (c, size) = (self.channels, row.size);
        let LineSpace { classes, tables, of_rules, sums, x, .. } = space;
        while of_rules.len() < classes.n_rules() * c {
            let first = of_rules.len();
            let rules: Vec<f32> = classes.rules(first / c).iter().copied().map(short).collect();
            of_rules.resize(first + c, 0.0);
            let one = Rows { values: &rules, stride: rules.len(), count: 1 };
            kernels.product(one, &self.rules, &[], false, &mut of_rules[first..]);
        }
        let mut bias = [0; MOST_CHANNELS];
        let bias = &mut bias[..c];
        let plies = short(row.features[RULE_FEATURES]);
        let parts = of_rules[classes.last_rules() * c..].iter().zip(&self.plies).zip(&self.side[row.side() * c..]);
        for (bias, ((rules, weight), side)) in bias.iter_mut().zip(parts) {
            *bias = steps(rules + plies * weight + side, FINE);
        }
        let (sums, x) = (&mut sums[..size.n_squares() * c], &mut x[..size.n_squares() * c]);
        let (rows, columns) = tables.rows_and_columns(size, &lines.entries, 0);
        let lines = GridLines { rows: &rows[..size.width()], columns: &columns[..size.width()], stride: c + PAIRS };
        kernels.int8_line_sums(lines, bias, sums);
        for (plane, squares) in row.planes[ADDED_PLANES].iter().enumerate() {
            let added = &self.added[plane * c..][..c];
            for square in *squares {
                for (sum, added) in sums[size.place(square) * c..][..c].iter_mut().zip(added) {
                    *sum = sum.saturating_add(*added);
                }
            }
        }
        kernels.int8_clip(sums, CLIP_SHIFT, x);
    }

    /// Adds what the lines say to the policy's pairs.
    fn pairs(&self, kernels: Kernels, space: &mut LineSpace, lines: &Lines) {
        let LineSpace { tables, joint, both, value, .. } = space;
        let (width, squares) = (lines.size.width(), lines.size.n_squares());
        let (rows, columns) = tables.rows_and_columns(lines.size, &lines.entries, self.channels);
        let lines = GridLines { rows: &rows[..width], columns: &columns[..width], stride: self.channels + PAIRS };
        let (joint, both) = (&joint[..squares * self.joint.outputs()], &mut both[..2 * squares * BOTH]);
        let value = &mut value[..squares * (self.joint.outputs() - PAIRS)];
        kernels.int8_line_pairs(lines, joint, (LARGEST_PAIR, &self.shift), both, value);
    }

    fn logits(&self, space: &LineSpace, lines: &Lines, side: usize, moves: &[PolicyIndex], logits: &mut [f32]) {
        let (c, size) = (self.channels, lines.size);
        let entries = &self.entries[size.index()];
        let logit = |entry: u16| match entries[usize::from(entry)] {
            Entry::Choice(square) => {
                let x = &space.x[square * c..][..c];
                let products = x.iter().zip(&self.choice).map(|(&x, weight)| f32::from(x) * weight);
                products.sum::<f32>() / STEPS + self.choice_bias
            }
            Entry::Move(MoveEntry { from, to, line, place, distance, .. }) => {
                let from: &[i16; PAIR] = space.both[from * BOTH..][..PAIR].try_into().expect("eight");
                let to: &[i16; PAIR] = space.both[to * BOTH + PAIR..][..PAIR].try_into().expect("eight");
                let product: i32 = from.iter().zip(to).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
                let ends = f32::from(space.tables.end(size, lines.entries[line], place)) / FINE;
                product as f32 * (PAIR_SCALE / COARSE / COARSE) + ends + self.distance[side * DISTANCES + distance]
            }
        };
        for (to, index) in logits.iter_mut().zip(moves) {
            *to = logit(index.entry);
            if index.choice != PolicyIndex::NO_CHOICE {
                *to += logit(index.choice);
            }
        }
    }

    fn value(&self, kernels: Kernels, size: BoardSize, space: &mut LineSpace) -> ValueOutput {
        let (mut pooled, mut out) = ([0.0; 2 * MOST_CHANNELS], [0.0; LANES]);
        let pooled = &mut pooled[..self.hidden.matrix.inputs()];
        kernels.int8_pool(&space.value[..size.n_squares() * pooled.len() / 2], pooled);
        let one = Rows { values: pooled, stride: pooled.len(), count: 1 };
        kernels.product(one, &self.hidden.matrix, &self.hidden.bias, true, &mut space.hidden);
        shorten(&mut space.hidden);
        let one = Rows { values: &space.hidden, stride: space.hidden.len(), count: 1 };
        kernels.product(one, &self.out.matrix, &self.out.bias, false, &mut out);
        ValueOutput::of([out[0], out[1], out[2], out[3]])
    }
}

impl Block {
    fn run(&self, kernels: Kernels, size: BoardSize, space: &mut LineSpace) {
        let LineSpace { x, inside, .. } = space;
        let c = self.starts.len();
        let (x, inside) = (&mut x[..size.n_squares() * c], &mut inside[..size.n_squares() * c]);
        let (mut pooled, mut biases) = ([0.0; 2 * MOST_CHANNELS], [0.0; MOST_CHANNELS]);
        let (pooled, biases) = (&mut pooled[..2 * c], &mut biases[..c]);
        kernels.int8_pool(x, pooled);
        let one = Rows { values: pooled, stride: 2 * c, count: 1 };
        kernels.product(one, &self.pool, &self.depthwise_bias, false, biases);
        let mut starts = [0; MOST_CHANNELS];
        let starts = &mut starts[..c];
        self.depthwise.starts(biases, starts);
        kernels.int8_depthwise(Grid::new(size.width(), size.width()), x, &self.depthwise, starts, inside);
        kernels.int8_product_onto(inside, &self.pointwise, &self.starts, x);
    }
}
