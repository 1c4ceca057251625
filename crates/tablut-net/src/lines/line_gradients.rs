//! The backward pass of the line network.

use tablut_kernels::{Aligned, Kernels, LANES, Matrix};

use super::dense::{Sums, add, add_rows, adjoint, transposed};
use super::description::{LINE_WIDTH, LineLayers, TAPS, line_outputs};
use super::network::{flags, inner, kept_len, padded, place_rows, squares, squares_of_line, windows};
use super::patterns::{Classes, LineClass, SeenLine};
use crate::layers::{Linear, Values, row_mut};

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

impl LineAdjoints {
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
        Self {
            pairs: layers.line.pairs.iter().map(|pair| pair.each_ref().map(along)).collect(),
            out: adjoint(values, &[&layers.line.out]),
        }
    }

    /// Adds the gradients for a few lines of one length to `sums`. `gradient` is that of their outputs,
    /// `[lines][squares][out_width]`; `kept` comes from the forward pass. Several lines share the reads and writes of the sums.
    pub fn backward(
        &self,
        kernels: Kernels,
        (lines, classes): (&[SeenLine], &Classes),
        kept: &[f32],
        gradient: &[f32],
        sums: &mut LineGradients,
    ) {
        let (n, size) = (lines.len(), classes.class(lines[0]).size);
        let (padded_len, of_line) = (padded(size), squares_of_line(size));
        let width = gradient.len() / (n * size.width());
        let (kept_len, pairs_len) = (kept_len(self.pairs.len(), size), 2 * self.pairs.len() * padded_len);
        let lasts: Vec<&[f32]> = kept.chunks_exact(kept_len).map(|kept| &kept[pairs_len..]).collect();
        let [mut dx, mut between, mut change] = [(); 3].map(|()| Aligned::zeroed(n * of_line));
        let mut wide = Aligned::zeroed(padded_len);
        let mut channel_sums = [0.0; LINE_WIDTH];
        let outputs = || gradient.chunks_exact(size.width() * width).map(|gradient| squares(gradient, width));
        let pairs: Vec<_> =
            lasts.iter().map(|last| squares(last, LINE_WIDTH)).zip(outputs()).map(<[_; 2]>::from).collect();
        kernels.outer(&pairs, LINE_WIDTH, true, &mut sums.out.weight);
        add_rows(&mut sums.out.bias, gradient);
        for ((dx, last), gradient) in dx.chunks_exact_mut(of_line).zip(lasts).zip(outputs()) {
            kernels.product(gradient, &self.out, &[], false, dx);
            kernels.gate(dx, last, f32::INFINITY, &mut channel_sums);
        }
        for (pair, ([first, second], [first_sums, second_sums])) in
            self.pairs.iter().zip(&mut sums.pairs).enumerate().rev()
        {
            let mut through = |adjoint: &Matrix, at: usize, gradient: &[f32], sums: &mut Sums, out: &mut [f32]| {
                let inputs = || kept.chunks_exact(kept_len).map(|kept| &kept[at * padded_len..][..padded_len]);
                let gradients = || gradient.chunks_exact(of_line);
                let right = gradients().map(|gradient| squares(gradient, LINE_WIDTH));
                let pairs: Vec<_> = inputs().map(windows).zip(right).map(<[_; 2]>::from).collect();
                kernels.outer(&pairs, TAPS * LINE_WIDTH, true, &mut sums.weight);
                add_rows(&mut sums.bias, gradient);
                for ((out, input), gradient) in out.chunks_exact_mut(of_line).zip(inputs()).zip(gradients()) {
                    wide[inner(size)].copy_from_slice(gradient);
                    kernels.product(windows(&wide), adjoint, &[], false, out);
                    kernels.gate(out, &input[inner(size)], f32::INFINITY, &mut channel_sums);
                }
            };
            through(second, 2 * pair + 1, &dx, second_sums, &mut between);
            through(first, 2 * pair, &between, first_sums, &mut change);
            add(&mut dx, &change, 1.0);
        }
        for (dx, &line) in dx.chunks_exact(of_line).zip(lines) {
            sums.add_embedding(line, classes.class(line), dx);
        }
    }
}

impl LineGradients {
    pub fn new(layers: &LineLayers) -> Self {
        let line = &layers.line;
        let sums = |layer: &Linear| Sums::new(layer.inputs, layer.outputs);
        let outputs = line_outputs(layers.channels).next_multiple_of(LANES);
        Self {
            squares: vec![0.0; line.squares.inputs * LINE_WIDTH],
            places: vec![0.0; layers.parameter(line.places).len()],
            rules: vec![0.0; line.rules.inputs * LINE_WIDTH],
            pairs: line.pairs.iter().map(|pair| pair.each_ref().map(sums)).collect(),
            out: Sums::new(LINE_WIDTH, outputs),
        }
    }

    /// Adds the gradients of the vectors that a line's squares start with. `dx` is `[squares][LINE_WIDTH]`.
    fn add_embedding(&mut self, line: SeenLine, class: &LineClass, dx: &[f32]) {
        let mut total = [0.0; LINE_WIDTH];
        add_rows(&mut total, dx);
        for (at, dx) in dx.chunks_exact(LINE_WIDTH).enumerate() {
            for place in place_rows(usize::from(line.side), class.distance, class.size, at) {
                add(row_mut(&mut self.places, place, LINE_WIDTH), dx, 1.0);
            }
            for flag in flags(line, class, at) {
                add(row_mut(&mut self.squares, flag, LINE_WIDTH), dx, 1.0);
            }
        }
        for (feature, &value) in class.rules.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            add(row_mut(&mut self.rules, feature, LINE_WIDTH), &total, value);
        }
    }

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
