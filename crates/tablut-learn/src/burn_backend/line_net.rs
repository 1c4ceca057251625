//! A net of lines in burn's operations, made of few and large ones, because each operation costs a kernel launch.
//!
//! All rows and columns of a batch go through the line network together. A convolution along a line is a product with a
//! matrix of all pairs of its nine squares; a 3×3 convolution of a channel is one with a matrix of all pairs of the
//! board's squares. Such a matrix is itself a product of zeros and ones with the layer's weights.

use burn::tensor::activation::{relu, softplus};
use burn::tensor::{Device, Tensor};
use tablut_net::layers::{Linear, ParameterId};
use tablut_net::lines::{BOTH, DISTANCES_FROM_EDGE, ENDS, LINE_WIDTH, LineLayers, PAIR, PAIR_SCALE, PAIRS, TAPS, TOP};
use tablut_net::{BOARD, SIZE, SQUARES};
use tablut_net::{FEATURES, InputBatch, PLANES, RULE_FEATURES};
use tablut_rules::Bitboard;

use super::moves::{LINE_ENDS, MoveIndices};
use super::tensors::{Multiply, indices, tensor};

/// Planes that the line network sees: pieces and special squares.
const SEEN_PLANES: [usize; 7] = [0, 1, 2, 5, 6, 7, 8];
const SIDE_PLANES: [usize; 2] = [3, 4];
/// Squares of a position's rows and columns.
const LINE_SQUARES: usize = 2 * SQUARES;

/// The net's outputs, before the softmax and in the units of the loss.
pub struct Outputs {
    /// Logits of each row's moves, padded with arbitrary values, `[n, width]`.
    pub logits: Tensor<2>,
    /// Logits of attackers win, draw, defenders win, `[n, 3]`.
    pub wdl: Tensor<2>,
    /// Plies to the end in units of 32, at least 0, `[n, 1]`.
    pub moves_left: Tensor<2>,
}

/// The net's layers, without weights, and the constant matrices that expand its convolutions, on a device.
pub struct BurnLineNet {
    layers: LineLayers,
    device: Device,
    multiply: Multiply,
    /// Which tap of a convolution along a line joins two of its squares, `[9 · 9, TAPS]`.
    taps: Tensor<2>,
    /// Which weight of a 3×3 convolution joins two squares of the board, `[81 · 81, 9]`.
    windows: Tensor<2>,
}

/// The net with its weights during one batch.
struct Forward<'a> {
    net: &'a BurnLineNet,
    parameters: &'a [Tensor<1>],
    n: usize,
}

impl BurnLineNet {
    /// A net of these layers on `device`, which multiplies matrices by `multiply`.
    pub fn new(layers: LineLayers, device: Device, multiply: Multiply) -> Self {
        let tap = |input: usize, output: usize| (input + TAPS / 2).checked_sub(output).filter(|&tap| tap < TAPS);
        let window = |input: usize, output: usize| {
            let step = |input: usize, output: usize| (input + 1).checked_sub(output).filter(|&step| step < 3);
            Some(3 * step(input / SIZE, output / SIZE)? + step(input % SIZE, output % SIZE)?)
        };
        let taps = joined::<TAPS>(SIZE, tap, &device);
        let windows = joined::<9>(SQUARES, window, &device);
        Self { layers, device, multiply, taps, windows }
    }

    pub fn layers(&self) -> &LineLayers {
        &self.layers
    }

    /// Runs the net with `parameters`, flat and in the layers' order, on a batch.
    pub fn forward(&self, parameters: &[Tensor<1>], input: &InputBatch) -> Outputs {
        Forward { net: self, parameters, n: input.n }.run(input)
    }
}

impl Forward<'_> {
    fn run(&self, input: &InputBatch) -> Outputs {
        let (layers, n, c) = (&self.net.layers, self.n, self.net.layers.channels);
        let features = tensor(input.features.clone(), [n, FEATURES], &self.net.device);
        let side = tensor(sides(input), [n, 2], &self.net.device);
        let lines = self.lines(input, features.clone(), side.clone()); // [n, 2, 9, 9, C + PAIRS + ENDS]
        let part = |first, len| lines.clone().narrow(4, first, len);
        let [rows, columns] = directions(part(0, c));
        let bias = self.multiply(side.clone(), self.parameter(layers.side).reshape([2, c]));
        let bias = bias + self.linear(features, &layers.features); // [n, C]
        let added = tensor(added_planes(input), [n, SQUARES, layers.added.inputs], &self.net.device);
        let sum = (rows + columns).reshape([n, SQUARES, c]) + self.squares(added, &layers.added);
        let mut x = (sum + bias.reshape([n, 1, c])).clamp(0.0, TOP); // [n, 81, C]
        for block in &layers.blocks {
            let pooled =
                self.linear(pool(x.clone()), &block.pool) + self.parameter(block.depthwise_bias).reshape([1, c]);
            let h = self.depthwise(x.clone(), block.depthwise) + pooled.reshape([n, 1, c]);
            x = (x + self.squares(h.clamp(0.0, TOP), &block.pointwise)).clamp(0.0, TOP);
        }
        let logits = self.logits(input, &x, side, part(c, PAIRS), part(c + PAIRS, ENDS));
        let value = &layers.value;
        let v = self.squares(x, &value.conv).clamp(0.0, TOP);
        let h = relu(self.linear(pool(v), &value.hidden));
        let moves_left = softplus(self.linear(h.clone(), &value.moves_left), 1.0);
        Outputs { logits, wdl: self.linear(h, &value.out), moves_left }
    }

    /// What the rows and the columns of the boards say about their squares, `[n, 2, 9, 9, outputs]`.
    fn lines(&self, input: &InputBatch, features: Tensor<2>, side: Tensor<2>) -> Tensor<5> {
        let (line, n, device) = (&self.net.layers.line, self.n, &self.net.device);
        let distances = (0..SIZE).map(|row| row.min(SIZE - 1 - row) as i32).collect();
        let places = self.parameter(line.places).reshape([2, DISTANCES_FROM_EDGE, SIZE * LINE_WIDTH]);
        let places = places.select(1, indices(distances, [SIZE], device)).reshape([2, SQUARES * LINE_WIDTH]);
        let start = self.multiply(side, places).reshape([n, 1, SQUARES, LINE_WIDTH]);
        let rules = self.linear(features.narrow(1, 0, RULE_FEATURES), &line.rules).reshape([n, 1, 1, LINE_WIDTH]);
        let seen = tensor(seen_planes(input), [n * LINE_SQUARES, SEEN_PLANES.len()], device);
        let seen = self.linear(seen, &line.squares).reshape([n, 2, SQUARES, LINE_WIDTH]);
        let mut x = (seen + (start + rules)).reshape([n * 2 * SIZE, SIZE * LINE_WIDTH]);
        for [first, second] in &line.pairs {
            let h = relu(self.along(relu(x.clone()), first));
            x = x + self.along(h, second);
        }
        let out = self.linear(relu(x).reshape([n * LINE_SQUARES, LINE_WIDTH]), &line.out);
        out.reshape([n, 2, SIZE, SIZE, line.out.outputs])
    }

    /// A convolution of five squares along the lines: `[lines, 9 · LINE_WIDTH]` → the same.
    fn along(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        const W: usize = LINE_WIDTH;
        let weight = self.parameter(layer.weight).reshape([W, TAPS, W]).permute([1, 2, 0]).reshape([TAPS, W * W]);
        let factor = self.multiply(self.net.taps.clone(), weight).reshape([SIZE, SIZE, W, W]);
        let factor = factor.permute([0, 2, 1, 3]).reshape([SIZE * W, SIZE * W]);
        let lines = x.dims()[0];
        let product = self.multiply(x, factor).reshape([lines * SIZE, W]);
        self.with_bias(product, layer).reshape([lines, SIZE * W])
    }

    /// A 3×3 convolution of each channel by itself, `[n, 81, C]` → the same.
    fn depthwise(&self, x: Tensor<3>, weight: ParameterId) -> Tensor<3> {
        let c = x.dims()[2];
        let factors = self.multiply(self.net.windows.clone(), self.parameter(weight).reshape([9, c]));
        let factors = factors.transpose().reshape([c, SQUARES, SQUARES]);
        self.net.multiply.products(x.permute([2, 0, 1]), factors).permute([1, 2, 0])
    }

    /// The moves' logits, `[n, width]`, from the trunk's output `[n, 81, C]` and the lines' vectors `[n, 2, 9, 9, PAIRS]` and
    /// biases `[n, 2, 9, 9, ENDS]`.
    fn logits(
        &self,
        input: &InputBatch,
        x: &Tensor<3>,
        side: Tensor<2>,
        vectors: Tensor<5>,
        ends: Tensor<5>,
    ) -> Tensor<2> {
        let (layers, n, device) = (&self.net.layers, self.n, &self.net.device);
        // Along the line and across it. Those of columns are swapped, so that both are along rows, then along columns.
        let [rows, columns] = directions(vectors.reshape([n, 2, SIZE, SIZE, 2, BOTH]));
        let lines = rows + columns.flip([4]);
        let pair = self.squares(x.clone(), &layers.pair)
            + self.linear(pool(x.clone()), &layers.pair_pool).reshape([n, 1, PAIRS]);
        let vectors = relu(pair.reshape([n, SQUARES, 2, BOTH]) + lines.reshape([n, SQUARES, 2, BOTH]));
        let vectors = vectors + self.parameter(layers.pair_shift).reshape([1, 1, 1, BOTH]);
        let vectors = vectors.reshape([n, SQUARES * 4, PAIR]);
        let moves = MoveIndices::new(input);
        let width = moves.width;
        let end = |places| {
            let places = indices(places, [n, width, 1], device).expand([n, width, PAIR]);
            vectors.clone().gather(1, places) // [n, width, PAIR]
        };
        let product = (end(moves.from) * end(moves.to)).sum_dim(2).reshape([n, width]);
        let ends = ends.reshape([n, LINE_ENDS]);
        let choice = self.squares(x.clone(), &layers.choice).reshape([n, SQUARES]);
        let distance = self.multiply(side, self.parameter(layers.distance).reshape([2, ENDS]));
        let biases = Tensor::cat(vec![ends, choice, distance, Tensor::zeros([n, 1], device)], 1);
        let biases = biases.gather(1, indices(moves.biases, [n, 3 * width], device));
        product * PAIR_SCALE + biases.reshape([n, 3, width]).sum_dim(1).reshape([n, width])
    }

    /// A dense layer on the channels of each square: `[n, 81, in]` → `[n, 81, out]`.
    fn squares(&self, x: Tensor<3>, layer: &Linear) -> Tensor<3> {
        let x = x.reshape([self.n * SQUARES, layer.inputs]);
        self.linear(x, layer).reshape([self.n, SQUARES, layer.outputs])
    }

    /// `[rows, in]` → `[rows, out]`, plus the bias if the layer has one.
    fn linear(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        let weight = self.parameter(layer.weight).reshape([layer.outputs, layer.inputs]);
        self.with_bias(self.multiply(x, weight.transpose()), layer)
    }

    fn with_bias(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        match layer.bias {
            Some(bias) => x + self.parameter(bias).reshape([1, layer.outputs]),
            None => x,
        }
    }

    fn multiply(&self, x: Tensor<2>, factor: Tensor<2>) -> Tensor<2> {
        self.net.multiply.product(x, factor)
    }

    fn parameter(&self, id: ParameterId) -> Tensor<1> {
        self.parameters[id.index()].clone()
    }
}

/// For each pair of input and output, a one at the weight that joins them, `[count · count, WEIGHTS]`.
fn joined<const WEIGHTS: usize>(
    count: usize,
    weight: impl Fn(usize, usize) -> Option<usize>,
    device: &Device,
) -> Tensor<2> {
    let mut values = vec![0.0; count * count * WEIGHTS];
    for (pair, values) in values.chunks_exact_mut(WEIGHTS).enumerate() {
        if let Some(weight) = weight(pair / count, pair % count) {
            values[weight] = 1.0;
        }
    }
    tensor(values, [count * count, WEIGHTS], device)
}

/// The rows' values and the columns' values, `[n, 2, 9, 9, …]`, both by row and column, `[n, 1, 9, 9, …]` each.
fn directions<const D: usize>(x: Tensor<D>) -> [Tensor<D>; 2] {
    [x.clone().narrow(1, 0, 1), x.narrow(1, 1, 1).swap_dims(2, 3)]
}

/// Mean and maximum over the squares: `[n, 81, C]` → `[n, 2C]`.
fn pool(x: Tensor<3>) -> Tensor<2> {
    let [n, _, c] = x.dims();
    Tensor::cat(vec![x.clone().mean_dim(1), x.max_dim(1)], 2).reshape([n, 2 * c])
}

/// Whether the attackers move, whether the defenders do, `[n, 2]`.
fn sides(input: &InputBatch) -> Vec<f32> {
    let of_row = |planes: &[Bitboard]| SIDE_PLANES.map(|plane| if planes[plane].is_empty() { 0.0 } else { 1.0 });
    input.planes.chunks_exact(PLANES).flat_map(of_row).collect()
}

/// What the lines are made of: pieces and special squares of all rows, then of all columns, `[n, 2, 9, 9, 7]`.
fn seen_planes(input: &InputBatch) -> Vec<f32> {
    const LEN: usize = SEEN_PLANES.len();
    let mut values = vec![0.0; input.n * LINE_SQUARES * LEN];
    for (planes, values) in input.planes.chunks_exact(PLANES).zip(values.chunks_exact_mut(LINE_SQUARES * LEN)) {
        for (kind, &plane) in SEEN_PLANES.iter().enumerate() {
            for square in planes[plane] {
                let square = BOARD.place(square);
                values[square * LEN + kind] = 1.0;
                values[(SQUARES + square % SIZE * SIZE + square / SIZE) * LEN + kind] = 1.0;
            }
        }
    }
    values
}

/// The planes that are added to the trunk's input, `[n, 81, planes]`.
fn added_planes(input: &InputBatch) -> Vec<f32> {
    const FIRST: usize = 9;
    const LEN: usize = PLANES - FIRST;
    let mut values = vec![0.0; input.n * SQUARES * LEN];
    for (planes, values) in input.planes.chunks_exact(PLANES).zip(values.chunks_exact_mut(SQUARES * LEN)) {
        for (kind, plane) in planes[FIRST..].iter().enumerate() {
            for square in *plane {
                values[BOARD.place(square) * LEN + kind] = 1.0;
            }
        }
    }
    values
}
