//! A net of lines in burn's operations, made of few and large ones, because each operation costs a kernel launch.
//!
//! All rows and columns of a batch go through the line network together. A convolution along a line is a product with a
//! matrix of all pairs of its squares; a 3×3 convolution of a channel is one with a matrix of all pairs of the
//! board's squares. Such a matrix is itself a product of zeros and ones with the layer's weights.

use burn::tensor::activation::{relu, softplus};
use burn::tensor::{Device, Tensor};
use tablut_net::layers::{Linear, ParameterId};
use tablut_net::lines::{
    BOTH, DISTANCES, ENDS, LINE_WIDTH, LineLayers, PAIR, PAIR_SCALE, PAIRS, TAPS, TOP, place_rows,
};
use tablut_net::{BatchPart, FEATURES, InputBatch, PLANES, RULE_FEATURES};
use tablut_rules::{Bitboard, BoardSize};

use super::moves::{MoveIndices, line_ends};
use super::tensors::{Multiply, indices, tensor};

/// Planes that the line network sees: pieces and special squares.
const SEEN_PLANES: [usize; 7] = [0, 1, 2, 5, 6, 7, 8];
const SIDE_PLANES: [usize; 2] = [3, 4];

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
    /// For each size of board.
    boards: [Board; 3],
}

/// What the geometry of a board determines.
struct Board {
    size: BoardSize,
    /// Which tap of a convolution along a line joins two of its squares, `[width · width, TAPS]`.
    taps: Tensor<2>,
    /// Which weight of a 3×3 convolution joins two squares of the board, `[squares · squares, 9]`.
    windows: Tensor<2>,
}

/// The net with its weights during one batch with boards of one size.
struct Forward<'a> {
    net: &'a BurnLineNet,
    board: &'a Board,
    parameters: &'a [Tensor<1>],
    n: usize,
    width: usize,
    squares: usize,
}

impl BurnLineNet {
    /// A net of these layers on `device`, which multiplies matrices by `multiply`.
    pub fn new(layers: LineLayers, device: Device, multiply: Multiply) -> Self {
        let boards = BoardSize::ALL.map(|size| Board::new(size, &device));
        Self { layers, device, multiply, boards }
    }

    pub fn layers(&self) -> &LineLayers {
        &self.layers
    }

    /// Runs the net with `parameters`, flat and in the layers' order, on a batch.
    pub fn forward(&self, parameters: &[Tensor<1>], input: &InputBatch) -> Outputs {
        let parts = input.parts();
        let run = |part: &BatchPart<'_>| {
            let (width, squares) = (part.size.width(), part.size.n_squares());
            let board = &self.boards[part.size.index()];
            Forward { net: self, board, parameters, n: part.input.n, width, squares }.run(&part.input)
        };
        let mut outputs: Vec<Outputs> = parts.iter().map(run).collect();
        if outputs.len() == 1 {
            return outputs.remove(0);
        }
        let mut order: Vec<(usize, i32)> = parts.iter().flat_map(|part| part.rows.iter().copied()).zip(0..).collect();
        order.sort_unstable();
        let order = indices(order.into_iter().map(|(_, place)| place).collect(), [input.n], &self.device);
        let width = outputs.iter().map(|part| part.logits.dims()[1]).max().unwrap_or(0);
        let wide = |logits: &Tensor<2>| {
            let [n, own] = logits.dims();
            Tensor::cat(vec![logits.clone(), Tensor::zeros([n, width - own], &self.device)], 1)
        };
        let all = |tensor: &dyn Fn(&Outputs) -> Tensor<2>| {
            Tensor::cat(outputs.iter().map(tensor).collect(), 0).select(0, order.clone())
        };
        Outputs {
            logits: all(&|part| wide(&part.logits)),
            wdl: all(&|part| part.wdl.clone()),
            moves_left: all(&|part| part.moves_left.clone()),
        }
    }
}

impl Board {
    fn new(size: BoardSize, device: &Device) -> Self {
        let (width, squares) = (size.width(), size.n_squares());
        let tap = |input: usize, output: usize| (input + TAPS / 2).checked_sub(output).filter(|&tap| tap < TAPS);
        let window = |input: usize, output: usize| {
            let step = |input: usize, output: usize| (input + 1).checked_sub(output).filter(|&step| step < 3);
            Some(3 * step(input / width, output / width)? + step(input % width, output % width)?)
        };
        Self { size, taps: joined::<TAPS>(width, tap, device), windows: joined::<9>(squares, window, device) }
    }
}

impl Forward<'_> {
    fn run(&self, input: &InputBatch) -> Outputs {
        let (layers, n, c) = (&self.net.layers, self.n, self.net.layers.channels);
        let features = tensor(input.features.clone(), [n, FEATURES], &self.net.device);
        let side = tensor(sides(input), [n, 2], &self.net.device);
        let lines = self.lines(input, features.clone(), side.clone()); // [n, 2, width, width, C + PAIRS + ENDS]
        let part = |first, len| lines.clone().narrow(4, first, len);
        let [rows, columns] = directions(part(0, c));
        let bias = self.multiply(side.clone(), self.parameter(layers.side).reshape([2, c]));
        let bias = bias + self.linear(features, &layers.features); // [n, C]
        let added =
            tensor(added_planes(self.board.size, input), [n, self.squares, layers.added.inputs], &self.net.device);
        let sum = (rows + columns).reshape([n, self.squares, c]) + self.squares(added, &layers.added);
        let mut x = (sum + bias.reshape([n, 1, c])).clamp(0.0, TOP); // [n, squares, C]
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

    /// What the rows and the columns of the boards say about their squares, `[n, 2, width, width, outputs]`.
    fn lines(&self, input: &InputBatch, features: Tensor<2>, side: Tensor<2>) -> Tensor<5> {
        let (line, n, device) = (&self.net.layers.line, self.n, &self.net.device);
        let (width, squares) = (self.width, self.squares);
        let places = self.parameter(line.places);
        let rows = places.dims()[0] / 2 / LINE_WIDTH;
        let places = places.reshape([2, rows, LINE_WIDTH]);
        let end = |end: usize| {
            let row = |square: usize| {
                let row = square / width;
                place_rows(0, row.min(width - 1 - row), self.board.size, square % width)[end] as i32
            };
            places.clone().select(1, indices((0..squares).map(row).collect(), [squares], device))
        };
        let places = (end(0) + end(1)).reshape([2, squares * LINE_WIDTH]);
        let start = self.multiply(side, places).reshape([n, 1, squares, LINE_WIDTH]);
        let rules = self.linear(features.narrow(1, 0, RULE_FEATURES), &line.rules).reshape([n, 1, 1, LINE_WIDTH]);
        let seen = tensor(seen_planes(self.board.size, input), [n * 2 * squares, SEEN_PLANES.len()], device);
        let seen = self.linear(seen, &line.squares).reshape([n, 2, squares, LINE_WIDTH]);
        let mut x = (seen + (start + rules)).reshape([n * 2 * width, width * LINE_WIDTH]);
        for [first, second] in &line.pairs {
            let h = relu(self.along(relu(x.clone()), first));
            x = x + self.along(h, second);
        }
        let out = self.linear(relu(x).reshape([n * 2 * squares, LINE_WIDTH]), &line.out);
        out.reshape([n, 2, width, width, line.out.outputs])
    }

    /// A convolution of five squares along the lines: `[lines, width · LINE_WIDTH]` → the same.
    fn along(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        const W: usize = LINE_WIDTH;
        let weight = self.parameter(layer.weight).reshape([W, TAPS, W]).permute([1, 2, 0]).reshape([TAPS, W * W]);
        let factor = self.multiply(self.board.taps.clone(), weight).reshape([self.width, self.width, W, W]);
        let factor = factor.permute([0, 2, 1, 3]).reshape([self.width * W, self.width * W]);
        let lines = x.dims()[0];
        let product = self.multiply(x, factor).reshape([lines * self.width, W]);
        self.with_bias(product, layer).reshape([lines, self.width * W])
    }

    /// A 3×3 convolution of each channel by itself, `[n, squares, C]` → the same.
    fn depthwise(&self, x: Tensor<3>, weight: ParameterId) -> Tensor<3> {
        let c = x.dims()[2];
        let factors = self.multiply(self.board.windows.clone(), self.parameter(weight).reshape([9, c]));
        let factors = factors.transpose().reshape([c, self.squares, self.squares]);
        self.net.multiply.products(x.permute([2, 0, 1]), factors).permute([1, 2, 0])
    }

    /// The moves' logits, `[n, width]`, from the trunk's output `[n, squares, C]` and the lines' vectors `[n, 2, width, width, PAIRS]` and
    /// biases `[n, 2, width, width, ENDS]`.
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
        let [rows, columns] = directions(vectors.reshape([n, 2, self.width, self.width, 2, BOTH]));
        let lines = rows + columns.flip([4]);
        let pair = self.squares(x.clone(), &layers.pair)
            + self.linear(pool(x.clone()), &layers.pair_pool).reshape([n, 1, PAIRS]);
        let vectors = relu(pair.reshape([n, self.squares, 2, BOTH]) + lines.reshape([n, self.squares, 2, BOTH]));
        let vectors = vectors + self.parameter(layers.pair_shift).reshape([1, 1, 1, BOTH]);
        let vectors = vectors.reshape([n, self.squares * 4, PAIR]);
        let moves = MoveIndices::new(self.board.size, input);
        let width = moves.width;
        let end = |places| {
            let places = indices(places, [n, width, 1], device).expand([n, width, PAIR]);
            vectors.clone().gather(1, places) // [n, width, PAIR]
        };
        let product = (end(moves.from) * end(moves.to)).sum_dim(2).reshape([n, width]);
        let ends = ends.reshape([n, line_ends(self.board.size)]);
        let choice = self.squares(x.clone(), &layers.choice).reshape([n, self.squares]);
        let distance = self.multiply(side, self.parameter(layers.distance).reshape([2, DISTANCES]));
        let biases = Tensor::cat(vec![ends, choice, distance, Tensor::zeros([n, 1], device)], 1);
        let biases = biases.gather(1, indices(moves.biases, [n, 3 * width], device));
        product * PAIR_SCALE + biases.reshape([n, 3, width]).sum_dim(1).reshape([n, width])
    }

    /// A dense layer on the channels of each square: `[n, squares, in]` → `[n, squares, out]`.
    fn squares(&self, x: Tensor<3>, layer: &Linear) -> Tensor<3> {
        let x = x.reshape([self.n * self.squares, layer.inputs]);
        self.linear(x, layer).reshape([self.n, self.squares, layer.outputs])
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

/// The rows' values and the columns' values, `[n, 2, width, width, …]`, both by row and column,
/// `[n, 1, width, width, …]` each.
fn directions<const D: usize>(x: Tensor<D>) -> [Tensor<D>; 2] {
    [x.clone().narrow(1, 0, 1), x.narrow(1, 1, 1).swap_dims(2, 3)]
}

/// Mean and maximum over the squares: `[n, squares, C]` → `[n, 2C]`.
fn pool(x: Tensor<3>) -> Tensor<2> {
    let [n, _, c] = x.dims();
    Tensor::cat(vec![x.clone().mean_dim(1), x.max_dim(1)], 2).reshape([n, 2 * c])
}

/// Whether the attackers move, whether the defenders do, `[n, 2]`.
fn sides(input: &InputBatch) -> Vec<f32> {
    let of_row = |planes: &[Bitboard]| SIDE_PLANES.map(|plane| if planes[plane].is_empty() { 0.0 } else { 1.0 });
    input.planes.chunks_exact(PLANES).flat_map(of_row).collect()
}

/// What the lines are made of: pieces and special squares of all rows, then of all columns, `[n, 2, width, width, 7]`.
fn seen_planes(size: BoardSize, input: &InputBatch) -> Vec<f32> {
    const LEN: usize = SEEN_PLANES.len();
    let (width, squares) = (size.width(), size.n_squares());
    let mut values = vec![0.0; input.n * 2 * squares * LEN];
    for (planes, values) in input.planes.chunks_exact(PLANES).zip(values.chunks_exact_mut(2 * squares * LEN)) {
        for (kind, &plane) in SEEN_PLANES.iter().enumerate() {
            for square in planes[plane] {
                let square = size.place(square);
                values[square * LEN + kind] = 1.0;
                values[(squares + square % width * width + square / width) * LEN + kind] = 1.0;
            }
        }
    }
    values
}

/// The planes that are added to the trunk's input, `[n, squares, planes]`.
fn added_planes(size: BoardSize, input: &InputBatch) -> Vec<f32> {
    const FIRST: usize = 9;
    const LEN: usize = PLANES - FIRST;
    let mut values = vec![0.0; input.n * size.n_squares() * LEN];
    for (planes, values) in input.planes.chunks_exact(PLANES).zip(values.chunks_exact_mut(size.n_squares() * LEN)) {
        for (kind, plane) in planes[FIRST..].iter().enumerate() {
            for square in *plane {
                values[size.place(square) * LEN + kind] = 1.0;
            }
        }
    }
    values
}
