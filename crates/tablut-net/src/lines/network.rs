//! The line network in f32: from the squares of one line to features of each of them.

use tablut_kernels::{Aligned, Kernels, Matrix, Rows};
use tablut_rules::SIZE;

use super::description::{DISTANCES_FROM_EDGE, LINE_WIDTH, LineLayers, SPECIALS, TAPS, line_outputs};
use super::patterns::{LineClass, SeenLine};
use crate::layers::{Linear, Values};

/// Squares of a line with two empty ones at each end.
const PADDED: usize = (SIZE + TAPS - 1) * LINE_WIDTH;
/// The inner squares.
const INNER: std::ops::Range<usize> = TAPS / 2 * LINE_WIDTH..(SIZE + TAPS / 2) * LINE_WIDTH;
/// A line's activations without padding.
pub const SQUARES_OF_LINE: usize = SIZE * LINE_WIDTH;
/// Kinds of pieces.
const PIECES: usize = 3;

/// The line network's weights, packed for the kernels.
pub struct LineWeights {
    /// `[pieces, then special squares][width]`.
    squares: Vec<f32>,
    places: Vec<f32>,
    /// `[RULE_FEATURES][width]`.
    rules: Vec<f32>,
    pairs: Vec<[Dense; 2]>,
    out: Dense,
}

/// A dense layer's weights and biases, with padded outputs.
pub struct Dense {
    /// The weights.
    pub matrix: Matrix,
    /// `[padded outputs]`.
    pub bias: Vec<f32>,
}

impl Dense {
    /// The layer's weights.
    pub fn pack(values: &Values<'_>, layer: &Linear) -> Self {
        Self::stack(values, &[layer])
    }

    /// Layers with the same inputs, one after another.
    pub fn stack(values: &Values<'_>, layers: &[&Linear]) -> Self {
        let weights: Vec<f32> = layers.iter().flat_map(|layer| values.get(layer.weight)).copied().collect();
        let outputs = layers.iter().map(|layer| layer.outputs).sum();
        let matrix = Matrix::pack(outputs, layers[0].inputs, &weights);
        let biases = layers.iter().filter_map(|layer| layer.bias);
        let mut bias: Vec<f32> = biases.flat_map(|bias| values.get(bias)).copied().collect();
        bias.resize(matrix.padded_outputs(), 0.0);
        Self { matrix, bias }
    }
}

/// The transpose of a matrix `[rows][columns]`.
pub fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| values[column..].iter().step_by(columns)).copied().collect()
}

/// Floats that are kept of one line for the backward pass.
pub fn kept_len(pairs: usize) -> usize {
    2 * pairs * PADDED + SQUARES_OF_LINE
}

impl LineWeights {
    /// Packs the weights.
    pub fn pack(layers: &LineLayers, values: &Values<'_>) -> Self {
        let line = &layers.line;
        Self {
            squares: transposed(values.get(line.squares.weight), line.squares.inputs),
            places: values.get(line.places).to_vec(),
            rules: transposed(values.get(line.rules.weight), line.rules.inputs),
            pairs: line.pairs.iter().map(|pair| pair.each_ref().map(|layer| Dense::pack(values, layer))).collect(),
            out: Dense::pack(values, &line.out),
        }
    }

    /// Pairs of convolutions.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Length of the output for each square, including padding.
    pub fn out_width(&self) -> usize {
        self.out.matrix.padded_outputs()
    }

    /// Computes a line's output, `[9][out_width]`, by `product` (one of the kernels' products). `kept` has
    /// [`kept_len`] values; its padding is zero.
    pub fn forward(
        &self,
        product: impl Fn(Rows<'_>, &Matrix, &[f32], bool, &mut [f32]),
        line: SeenLine,
        class: &LineClass,
        kept: &mut [f32],
        out: &mut [f32],
    ) {
        let mut x = Aligned::zeroed(SQUARES_OF_LINE);
        self.embed(line, class, &mut x);
        let mut change = Aligned::zeroed(SQUARES_OF_LINE);
        let (pairs, last) = kept.split_at_mut(2 * self.pairs.len() * PADDED);
        for ([first, second], kept) in self.pairs.iter().zip(pairs.chunks_exact_mut(2 * PADDED)) {
            let (before, between) = kept.split_at_mut(PADDED);
            rectify(&x, &mut before[INNER]);
            product(windows(before), &first.matrix, &first.bias, true, &mut between[INNER]);
            product(windows(between), &second.matrix, &second.bias, false, &mut change);
            for (x, change) in x.iter_mut().zip(&*change) {
                *x += change;
            }
        }
        rectify(&x, last);
        product(squares(last, LINE_WIDTH), &self.out.matrix, &self.out.bias, false, out);
    }

    fn embed(&self, line: SeenLine, class: &LineClass, x: &mut [f32]) {
        let first = place_row(line, class);
        let mut rules = [0.0; LINE_WIDTH];
        for (feature, &value) in class.rules.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            add(&mut rules, row(&self.rules, feature), value);
        }
        for (at, x) in x.chunks_exact_mut(LINE_WIDTH).enumerate() {
            x.copy_from_slice(row(&self.places, first + at));
            add(x, &rules, 1.0);
            for flag in flags(line, class, at) {
                add(x, row(&self.squares, flag), 1.0);
            }
        }
    }
}

/// The rows of `places` for a line start here.
fn place_row(line: SeenLine, class: &LineClass) -> usize {
    (usize::from(line.side) * DISTANCES_FROM_EDGE + class.distance) * SIZE
}

/// The vectors of a square: of its piece and of what is special about it.
fn flags(line: SeenLine, class: &LineClass, place: usize) -> impl Iterator<Item = usize> {
    let (pieces, special) = (line.contents(place), class.special(place));
    (0..PIECES + SPECIALS).filter(move |&flag| if flag < PIECES { pieces[flag] } else { special[flag - PIECES] })
}

/// The windows of five squares around each of a padded line's inner squares.
fn windows(padded: &[f32]) -> Rows<'_> {
    Rows { values: padded, stride: LINE_WIDTH, count: SIZE }
}

fn squares(values: &[f32], width: usize) -> Rows<'_> {
    Rows { values, stride: width, count: SIZE }
}

fn row(values: &[f32], index: usize) -> &[f32] {
    &values[index * LINE_WIDTH..][..LINE_WIDTH]
}

fn row_mut(values: &mut [f32], index: usize) -> &mut [f32] {
    &mut values[index * LINE_WIDTH..][..LINE_WIDTH]
}

fn rectify(x: &[f32], out: &mut [f32]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out = if *x > 0.0 { *x } else { 0.0 };
    }
}

/// Adds `values * factor` to `sums`.
pub fn add(sums: &mut [f32], values: &[f32], factor: f32) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value * factor;
    }
}

/// Adds the sum of `rows` to `sum`.
pub fn add_rows(sum: &mut [f32], rows: &[f32]) {
    for row in rows.chunks_exact(sum.len()) {
        add(sum, row, 1.0);
    }
}

/// The adjoints of the line network's layers.
pub struct LineAdjoints {
    pairs: Vec<[Matrix; 2]>,
    out: Matrix,
}

/// Gradients of the line network's weights: weights `[inputs][padded outputs]`, biases `[padded outputs]`.
pub struct LineGradients {
    squares: Vec<f32>,
    places: Vec<f32>,
    rules: Vec<f32>,
    pairs: Vec<[Sums; 2]>,
    out: Sums,
}

/// The gradient of one layer, or of several with the same inputs side by side.
pub struct Sums {
    /// `[inputs][padded outputs]`.
    pub weight: Aligned,
    /// `[padded outputs]`.
    pub bias: Aligned,
}

impl Sums {
    /// Zeros.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self { weight: Aligned::zeroed(inputs * outputs), bias: Aligned::zeroed(outputs) }
    }

    /// Adds another gradient.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.weight, &other.weight, 1.0);
        add(&mut self.bias, &other.bias, 1.0);
    }

    /// Writes the gradients of layers that are side by side in the tensors' layout.
    pub fn write(&self, layers: &[&Linear], to: &mut [Vec<f32>]) {
        let (width, mut first) = (self.bias.len(), 0);
        for layer in layers {
            let column = |output: usize| self.weight[first + output..].iter().step_by(width).take(layer.inputs);
            to[layer.weight.index()] = (0..layer.outputs).flat_map(column).copied().collect();
            if let Some(bias) = layer.bias {
                to[bias.index()] = self.bias[first..first + layer.outputs].to_vec();
            }
            first += layer.outputs;
        }
    }
}

impl LineAdjoints {
    /// Packs the adjoints.
    pub fn pack(layers: &LineLayers, values: &Values<'_>) -> Self {
        let along = |layer: &Linear| {
            // `[output][tap][input]` to `[input][tap, reversed][output]`.
            let weights = values.get(layer.weight);
            let element = |at: usize| {
                let (input, tap, output) = (at / (TAPS * LINE_WIDTH), at / LINE_WIDTH % TAPS, at % LINE_WIDTH);
                weights[(output * TAPS + TAPS - 1 - tap) * LINE_WIDTH + input]
            };
            let turned: Vec<f32> = (0..weights.len()).map(element).collect();
            Matrix::pack(LINE_WIDTH, TAPS * LINE_WIDTH, &turned)
        };
        let out = &layers.line.out;
        let padded = out.outputs.next_multiple_of(tablut_kernels::LANES);
        let mut rows = values.get(out.weight).to_vec();
        rows.resize(padded * out.inputs, 0.0);
        Self {
            pairs: layers.line.pairs.iter().map(|pair| pair.each_ref().map(along)).collect(),
            out: Matrix::pack(out.inputs, padded, &transposed(&rows, out.inputs)),
        }
    }

    /// Adds the gradients for one line to `sums`. `gradient` is that of the line's output, `[9][out_width]`; `kept` comes
    /// from the forward pass.
    pub fn backward(
        &self,
        kernels: Kernels,
        line: SeenLine,
        class: &LineClass,
        kept: &[f32],
        gradient: &[f32],
        sums: &mut LineGradients,
    ) {
        let width = gradient.len() / SIZE;
        let (pairs, last) = kept.split_at(2 * self.pairs.len() * PADDED);
        let [mut dx, mut inner] = [(); 2].map(|()| Aligned::zeroed(SQUARES_OF_LINE));
        let mut padded = Aligned::zeroed(PADDED);
        let mut channel_sums = [0.0; LINE_WIDTH];
        kernels.outer(squares(last, LINE_WIDTH), LINE_WIDTH, squares(gradient, width), true, &mut sums.out.weight);
        add_rows(&mut sums.out.bias, gradient);
        kernels.product(squares(gradient, width), &self.out, &[], false, &mut dx);
        kernels.gate(&mut dx, last, f32::INFINITY, &mut channel_sums);
        let layers = self.pairs.iter().zip(&mut sums.pairs).zip(pairs.chunks_exact(2 * PADDED));
        for (([first, second], [first_sums, second_sums]), kept) in layers.rev() {
            let (before, between) = kept.split_at(PADDED);
            let mut through = |adjoint: &Matrix, input: &[f32], gradient: &[f32], sums: &mut Sums, out: &mut [f32]| {
                kernels.outer(windows(input), TAPS * LINE_WIDTH, squares(gradient, LINE_WIDTH), true, &mut sums.weight);
                add_rows(&mut sums.bias, gradient);
                padded[INNER].copy_from_slice(gradient);
                kernels.product(windows(&padded), adjoint, &[], false, out);
                kernels.gate(out, &input[INNER], f32::INFINITY, &mut channel_sums);
            };
            through(second, between, &dx, second_sums, &mut inner);
            let mut change = Aligned::zeroed(SQUARES_OF_LINE);
            through(first, before, &inner, first_sums, &mut change);
            add(&mut dx, &change, 1.0);
        }
        let first = place_row(line, class);
        let mut total = [0.0; LINE_WIDTH];
        add_rows(&mut total, &dx);
        for (at, dx) in dx.chunks_exact(LINE_WIDTH).enumerate() {
            add(row_mut(&mut sums.places, first + at), dx, 1.0);
            for flag in flags(line, class, at) {
                add(row_mut(&mut sums.squares, flag), dx, 1.0);
            }
        }
        for (feature, &value) in class.rules.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            add(row_mut(&mut sums.rules, feature), &total, value);
        }
    }
}

impl LineGradients {
    /// Zeros.
    pub fn new(layers: &LineLayers) -> Self {
        let line = &layers.line;
        let sums = |layer: &Linear| Sums::new(layer.inputs, layer.outputs);
        let outputs = line_outputs(layers.channels).next_multiple_of(tablut_kernels::LANES);
        Self {
            squares: vec![0.0; line.squares.inputs * LINE_WIDTH],
            places: vec![0.0; 2 * DISTANCES_FROM_EDGE * SQUARES_OF_LINE],
            rules: vec![0.0; line.rules.inputs * LINE_WIDTH],
            pairs: line.pairs.iter().map(|pair| pair.each_ref().map(sums)).collect(),
            out: Sums::new(LINE_WIDTH, outputs),
        }
    }

    /// Adds other gradients.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.squares, &other.squares, 1.0);
        add(&mut self.places, &other.places, 1.0);
        add(&mut self.rules, &other.rules, 1.0);
        for (sums, other) in self.pairs.iter_mut().flatten().zip(other.pairs.iter().flatten()) {
            sums.add(other);
        }
        self.out.add(&other.out);
    }

    /// Writes the gradients in the tensors' layout.
    pub fn write(&self, layers: &LineLayers, to: &mut [Vec<f32>]) {
        let line = &layers.line;
        to[line.squares.weight.index()] = transposed(&self.squares, LINE_WIDTH);
        to[line.places.index()].clone_from(&self.places);
        to[line.rules.weight.index()] = transposed(&self.rules, LINE_WIDTH);
        for (layer, sums) in line.pairs.iter().flatten().zip(self.pairs.iter().flatten()) {
            sums.write(&[layer], to);
        }
        self.out.write(&[&line.out], to);
    }
}
