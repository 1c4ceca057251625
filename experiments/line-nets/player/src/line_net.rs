//! A line net on one core, in f32: tables of lines that are computed when they are first met, then ordinary loops. It is written for this
//! study alone, so it is as fast as the compiler makes it (build it with `-C target-cpu=x86-64-v3` or higher).

use std::collections::HashMap;

use tablut_net::{FEATURES, Inference, InputBatch, NetError, OutputBatch, PLANES};

use crate::tensors::Tensors;

const SIZE: usize = 9;
const SQUARES: usize = 81;
/// Numbers in a product of two squares.
const PAIR: usize = 8;
/// From and to of the moves along the line, then of those across it.
const HEADS: usize = 4 * PAIR;
const ENDS: usize = 8;
/// Channels inside the line network.
const WIDTH: usize = 48;
const VALUE: usize = 32;
const HIDDEN: usize = 64;
/// Width of the squares with a border.
const PADDED: usize = SIZE + 2;
const MOVES_LEFT_UNIT: f32 = 32.0;

/// What a line says about its nine squares.
struct Entry<const C: usize> {
    trunk: [[f32; C]; SIZE],
    heads: [[f32; HEADS]; SIZE],
    ends: [[f32; ENDS]; SIZE],
}

/// A matrix `[inputs][outputs]`.
type Matrix<const I: usize, const O: usize> = Box<[[f32; O]; I]>;

struct Block<const C: usize> {
    depthwise: [[f32; C]; 9],
    bias: [f32; C],
    mean: Matrix<C, C>,
    max: Matrix<C, C>,
    pointwise: Matrix<C, C>,
    pointwise_bias: [f32; C],
}

struct LineNetwork<const C: usize> {
    square: [[f32; WIDTH]; 4],
    /// By side, distance from the edge, and place.
    place: Vec<[f32; WIDTH]>,
    /// By layer and offset, and the bias.
    convolutions: Vec<(Vec<[[f32; WIDTH]; WIDTH]>, [f32; WIDTH])>,
    out: Vec<[f32; WIDTH]>,
    out_bias: Vec<f32>,
}

pub struct LineNet<const C: usize> {
    line: LineNetwork<C>,
    side: [[f32; C]; 2],
    features: Vec<[f32; C]>,
    /// By plane. Planes that the net does not have are 0.
    extra: [[f32; C]; PLANES],
    blocks: Vec<Block<C>>,
    pair: Matrix<C, HEADS>,
    pair_bias: [f32; HEADS],
    pair_mean: Matrix<C, HEADS>,
    pair_max: Matrix<C, HEADS>,
    linear: [f32; 2 * PAIR],
    far: [[f32; 8]; 2],
    value: Matrix<C, VALUE>,
    value_bias: [f32; VALUE],
    hidden: Vec<[f32; HIDDEN]>,
    hidden_bias: [f32; HIDDEN],
    out: [[f32; HIDDEN]; 4],
    out_bias: [f32; 4],
    entries: HashMap<u32, usize>,
    table: Vec<Entry<C>>,
    /// Where each policy entry ends.
    to: Vec<u8>,
    space: Space<C>,
}

/// Buffers of one evaluation.
struct Space<const C: usize> {
    x: Vec<[f32; C]>,
    h: Vec<[f32; C]>,
    pair: Vec<[f32; HEADS]>,
    /// For moves along rows, then for moves along columns: from, then to.
    first: Vec<[f32; PAIR]>,
    second: Vec<[f32; PAIR]>,
    first_linear: Vec<f32>,
    second_linear: Vec<f32>,
}

fn array<const N: usize>(values: impl IntoIterator<Item = f32>) -> [f32; N] {
    let values: Vec<f32> = values.into_iter().collect();
    values.try_into().unwrap_or_else(|values: Vec<f32>| panic!("{} values, expected {N}", values.len()))
}

/// The transpose of columns `from..` of a tensor of `[O][inputs]`.
fn matrix<const I: usize, const O: usize>(values: &[f32], inputs: usize, from: usize) -> Matrix<I, O> {
    assert_eq!(values.len(), O * inputs);
    let mut matrix = Box::new([[0.0; O]; I]);
    for (input, row) in matrix.iter_mut().enumerate() {
        for (output, value) in row.iter_mut().enumerate() {
            *value = values[output * inputs + from + input];
        }
    }
    matrix
}

impl<const C: usize> LineNetwork<C> {
    fn new(take: &impl Fn(&str) -> Vec<f32>) -> Self {
        let rows = |values: Vec<f32>| values.chunks_exact(WIDTH).map(|row| array(row.iter().copied())).collect::<Vec<[f32; WIDTH]>>();
        let convolution = |name: String| {
            let weights = take(&format!("{name}.weight"));
            let at = |offset: usize| {
                let mut matrix = [[0.0; WIDTH]; WIDTH];
                for (input, row) in matrix.iter_mut().enumerate() {
                    for (output, value) in row.iter_mut().enumerate() {
                        *value = weights[(output * WIDTH + input) * 5 + offset];
                    }
                }
                matrix
            };
            ((0..5).map(at).collect(), array(take(&format!("{name}.bias"))))
        };
        let convolutions = (0..2).flat_map(|at| [1, 2].map(|part| format!("line.conv{part}.{at}")));
        Self {
            square: rows(take("line.square")).try_into().expect("four kinds of squares"),
            place: rows(take("line.place")),
            convolutions: convolutions.map(convolution).collect(),
            out: rows(take("line.out.weight")),
            out_bias: take("line.out.bias"),
        }
    }

    fn convolve(&self, layer: usize, x: &[[f32; WIDTH]; SIZE]) -> [[f32; WIDTH]; SIZE] {
        let (weights, bias) = &self.convolutions[layer];
        let mut out = [*bias; SIZE];
        for (place, out) in out.iter_mut().enumerate() {
            for (offset, weights) in weights.iter().enumerate() {
                let Some(from) = (place + offset).checked_sub(2).filter(|&from| from < SIZE) else { continue };
                for (x, weights) in x[from].iter().zip(weights) {
                    for (out, weight) in out.iter_mut().zip(weights) {
                        *out += x * weight;
                    }
                }
            }
        }
        out
    }

    fn entry(&self, squares: u32, distance: usize, side: usize) -> Entry<C> {
        let mut x = [[0.0; WIDTH]; SIZE];
        for (at, x) in x.iter_mut().enumerate() {
            let (square, place) = (&self.square[(squares >> (2 * at) & 3) as usize], &self.place[(side * 5 + distance) * SIZE + at]);
            *x = array(square.iter().zip(place).map(|(a, b)| a + b));
        }
        let relu = |x: &[[f32; WIDTH]; SIZE]| x.map(|row| row.map(|value: f32| value.max(0.0)));
        for pair in 0..self.convolutions.len() / 2 {
            let change = self.convolve(2 * pair + 1, &relu(&self.convolve(2 * pair, &relu(&x))));
            for (x, change) in x.as_flattened_mut().iter_mut().zip(change.as_flattened()) {
                *x += change;
            }
        }
        let x = relu(&x);
        let out = |place: usize, output: usize| {
            self.out_bias[output] + x[place].iter().zip(&self.out[output]).map(|(a, b)| a * b).sum::<f32>()
        };
        let mut entry = Entry { trunk: [[0.0; C]; SIZE], heads: [[0.0; HEADS]; SIZE], ends: [[0.0; ENDS]; SIZE] };
        for place in 0..SIZE {
            entry.trunk[place] = std::array::from_fn(|at| out(place, at));
            entry.heads[place] = std::array::from_fn(|at| out(place, C + at));
            entry.ends[place] = std::array::from_fn(|at| out(place, C + HEADS + at));
        }
        entry
    }
}

/// Mean and maximum of each channel.
fn pool<const N: usize>(x: impl Iterator<Item = [f32; N]>) -> ([f32; N], [f32; N]) {
    let (mut sum, mut max) = ([0.0; N], [f32::MIN; N]);
    for row in x {
        for ((sum, max), value) in sum.iter_mut().zip(&mut max).zip(row) {
            *sum += value;
            *max = max.max(value);
        }
    }
    (sum.map(|value| value / SQUARES as f32), max)
}

/// Adds `x · weights` to `out`.
fn add_product<const I: usize, const O: usize>(x: &[f32; I], weights: &[[f32; O]; I], out: &mut [f32; O]) {
    for (x, weights) in x.iter().zip(weights) {
        for (out, weight) in out.iter_mut().zip(weights) {
            *out += x * weight;
        }
    }
}

/// `bias + x · weights` for three squares.
fn products<const I: usize, const O: usize>(x: [&[f32; I]; 3], weights: &[[f32; O]; I], bias: &[f32; O]) -> [[f32; O]; 3] {
    let [mut a, mut b, mut c] = [*bias; 3];
    for (input, weights) in weights.iter().enumerate() {
        for (at, weight) in weights.iter().enumerate() {
            a[at] += x[0][input] * weight;
            b[at] += x[1][input] * weight;
            c[at] += x[2][input] * weight;
        }
    }
    [a, b, c]
}

const fn padded(square: usize) -> usize {
    (square / SIZE + 1) * PADDED + square % SIZE + 1
}

impl<const C: usize> LineNet<C> {
    pub fn new(tensors: &Tensors) -> Self {
        let take = |name: &str| -> Vec<f32> {
            tensors.get(name).unwrap_or_else(|| panic!("no tensor {name}")).iter().copied().collect()
        };
        let channels = |values: &[f32], inputs: usize| -> Vec<[f32; C]> {
            (0..inputs).map(|input| std::array::from_fn(|output| values[output * inputs + input])).collect()
        };
        let n_blocks = (0..).take_while(|at| tensors.contains_key(&format!("blocks.{at}.pool.weight"))).count();
        let block = |at: usize| {
            let of = |part: &str| take(&format!("blocks.{at}.{part}"));
            let pool = of("pool.weight");
            Block {
                depthwise: channels(&of("depthwise.weight"), 9).try_into().expect("nine offsets"),
                bias: array(of("depthwise.bias")),
                mean: matrix(&pool, 2 * C, 0),
                max: matrix(&pool, 2 * C, C),
                pointwise: matrix(&of("pointwise.weight"), C, 0),
                pointwise_bias: array(of("pointwise.bias")),
            }
        };
        let extra_weights = take("extra.weight");
        let n_extra = extra_weights.len() / C;
        let mut extra = [[0.0; C]; PLANES];
        extra[8..8 + n_extra].copy_from_slice(&channels(&extra_weights, n_extra));
        let pool = take("pair_pool.weight");
        let (side, far) = (take("side"), take("far"));
        let hidden = take("value.hidden.weight");
        let rows = [take("value.out.weight"), take("value.left.weight")].concat();
        Self {
            line: LineNetwork::new(&take),
            side: [array(side[..C].iter().copied()), array(side[C..].iter().copied())],
            features: channels(&take("features.weight"), FEATURES),
            extra,
            blocks: (0..n_blocks).map(block).collect(),
            pair: matrix(&take("pair.weight"), C, 0),
            pair_bias: array(take("pair.bias")),
            pair_mean: matrix(&pool, 2 * C, 0),
            pair_max: matrix(&pool, 2 * C, C),
            linear: array(take("linear.weight")),
            far: [array(far[..8].iter().copied()), array(far[8..].iter().copied())],
            value: matrix(&take("value.conv.weight"), C, 0),
            value_bias: array(take("value.conv.bias")),
            hidden: (0..2 * VALUE).map(|input| std::array::from_fn(|output| hidden[output * 2 * VALUE + input])).collect(),
            hidden_bias: array(take("value.hidden.bias")),
            out: std::array::from_fn(|output| array(rows[output * HIDDEN..][..HIDDEN].iter().copied())),
            out_bias: array([take("value.out.bias"), take("value.left.bias")].concat()),
            entries: HashMap::new(),
            table: Vec::new(),
            to: (0..32 * SQUARES).map(|entry| {
                let (plane, from) = (entry / SQUARES, entry % SQUARES);
                let (direction, distance) = (plane / 8, (plane % 8 + 1) as isize);
                let step = [9, 1, -9, -1][direction] * distance;
                from.checked_add_signed(step).filter(|&to| to < SQUARES).unwrap_or(0) as u8
            }).collect(),
            space: Space {
                x: vec![[0.0; C]; PADDED * PADDED],
                h: vec![[0.0; C]; SQUARES],
                pair: vec![[0.0; HEADS]; SQUARES],
                first: vec![[0.0; PAIR]; 2 * SQUARES],
                second: vec![[0.0; PAIR]; 2 * SQUARES],
                first_linear: vec![0.0; 2 * SQUARES],
                second_linear: vec![0.0; 2 * SQUARES],
            },
        }
    }

    /// The entries of the nine rows, then of the nine columns.
    fn lines(&mut self, planes: &[f32], side: usize) -> [usize; 18] {
        let mut squares = [0_u32; 18];
        for (kind, plane) in planes.chunks_exact(SQUARES).take(3).enumerate() {
            for (square, _) in plane.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let (row, column) = (square / SIZE, square % SIZE);
                squares[row] |= (kind as u32 + 1) << (2 * column);
                squares[SIZE + column] |= (kind as u32 + 1) << (2 * row);
            }
        }
        std::array::from_fn(|line| {
            let distance = (line % SIZE).min(SIZE - 1 - line % SIZE);
            let key = squares[line] | ((5 * side + distance) as u32) << 18;
            *self.entries.entry(key).or_insert_with(|| {
                self.table.push(self.line.entry(squares[line], distance, side));
                self.table.len() - 1
            })
        })
    }

    fn evaluate(&mut self, planes: &[f32], features: &[f32], moves: &[tablut_net::PolicyIndex], output: &mut OutputBatch) {
        let side = usize::from(planes[4 * SQUARES] != 0.0);
        let lines = self.lines(planes, side);
        let table = &self.table;
        let Space { x, h, pair, first, second, first_linear, second_linear } = &mut self.space;

        let mut bias = self.side[side];
        for (value, weights) in features.iter().zip(&self.features) {
            for (bias, weight) in bias.iter_mut().zip(weights) {
                *bias += value * weight;
            }
        }
        for square in 0..SQUARES {
            let (row, column) = (&table[lines[square / SIZE]].trunk[square % SIZE], &table[lines[SIZE + square % SIZE]].trunk[square / SIZE]);
            let x = &mut x[padded(square)];
            for (at, x) in x.iter_mut().enumerate() {
                *x = row[at] + column[at] + bias[at];
            }
        }
        for (plane, weights) in planes.chunks_exact(SQUARES).zip(&self.extra).skip(8) {
            for (square, _) in plane.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                for (x, weight) in x[padded(square)].iter_mut().zip(weights) {
                    *x += weight;
                }
            }
        }
        for square in 0..SQUARES {
            for x in &mut x[padded(square)] {
                *x = x.max(0.0);
            }
        }
        for block in &self.blocks {
            let (mean, max) = pool((0..SQUARES).map(|square| x[padded(square)]));
            let mut bias = block.bias;
            add_product(&mean, &block.mean, &mut bias);
            add_product(&max, &block.max, &mut bias);
            for square in 0..SQUARES {
                let at = padded(square);
                let mut sum = bias;
                for row in 0..3 {
                    for column in 0..3 {
                        let from = &x[at + row * PADDED + column - PADDED - 1];
                        for ((sum, weight), x) in sum.iter_mut().zip(&block.depthwise[row * 3 + column]).zip(from) {
                            *sum += weight * x;
                        }
                    }
                }
                h[square] = sum.map(|value| value.max(0.0));
            }
            for square in (0..SQUARES).step_by(3) {
                let out = products([&h[square], &h[square + 1], &h[square + 2]], &block.pointwise, &block.pointwise_bias);
                for (out, square) in out.iter().zip(square..) {
                    for (x, out) in x[padded(square)].iter_mut().zip(out) {
                        *x = (*x + out).max(0.0);
                    }
                }
            }
        }
        let (mean, max) = pool((0..SQUARES).map(|square| x[padded(square)]));
        let mut bias = self.pair_bias;
        add_product(&mean, &self.pair_mean, &mut bias);
        add_product(&max, &self.pair_max, &mut bias);
        let (mut sums, mut tops) = ([0.0; VALUE], [0.0; VALUE]);
        for square in (0..SQUARES).step_by(3) {
            let three = [&x[padded(square)], &x[padded(square + 1)], &x[padded(square + 2)]];
            pair[square..square + 3].copy_from_slice(&products(three, &self.pair, &bias));
            for row in products(three, &self.value, &self.value_bias) {
                for (at, value) in row.into_iter().enumerate() {
                    sums[at] += value.max(0.0);
                    tops[at] = f32::max(tops[at], value);
                }
            }
        }
        for square in 0..SQUARES {
            let (row, column) = (square / SIZE, square % SIZE);
            let (on_row, on_column) = (&table[lines[row]].heads[column], &table[lines[SIZE + column]].heads[row]);
            for turned in 0..2 {
                let (along, across) = if turned == 0 { (on_row, on_column) } else { (on_column, on_row) };
                let own = &pair[square][2 * PAIR * turned..][..2 * PAIR];
                let mut both = [0.0; 2 * PAIR];
                for (at, both) in both.iter_mut().enumerate() {
                    *both = (own[at] + along[at] + across[2 * PAIR + at]).max(0.0);
                }
                let at = square + SQUARES * turned;
                first[at] = std::array::from_fn(|at| both[at]);
                second[at] = std::array::from_fn(|at| both[PAIR + at]);
                let sum = |values: &[f32], weights: &[f32]| values.iter().zip(weights).map(|(a, b)| a * b).sum::<f32>();
                first_linear[at] = sum(&first[at], &self.linear[..PAIR]);
                second_linear[at] = sum(&second[at], &self.linear[PAIR..]);
            }
        }
        let scale = 0.3 / (PAIR as f32).sqrt();
        for index in moves {
            let entry = usize::from(index.entry);
            let (plane, from, to) = (entry / SQUARES, entry % SQUARES, usize::from(self.to[entry]));
            let turned = usize::from(plane / 8 % 2 == 0);
            let offset = SQUARES * turned;
            let product: f32 = first[from + offset].iter().zip(&second[to + offset]).map(|(a, b)| a * b).sum();
            let (line, start, stop) = if turned == 0 {
                (lines[from / SIZE], from % SIZE, to % SIZE)
            } else {
                (lines[SIZE + from % SIZE], from / SIZE, to / SIZE)
            };
            let ends = table[line].ends[start][stop - usize::from(stop > start)];
            let linear = first_linear[from + offset] + second_linear[to + offset];
            output.logits.push(product * scale + linear + ends + self.far[side][plane % 8]);
        }
        let mut hidden = self.hidden_bias;
        for (value, weights) in sums.map(|sum| sum / SQUARES as f32).into_iter().chain(tops).zip(&self.hidden) {
            for (hidden, weight) in hidden.iter_mut().zip(weights) {
                *hidden += value * weight;
            }
        }
        let hidden = hidden.map(|value| value.max(0.0));
        let out: [f32; 4] = std::array::from_fn(|at| {
            self.out_bias[at] + hidden.iter().zip(&self.out[at]).map(|(a, b)| a * b).sum::<f32>()
        });
        let top = out[0].max(out[1]).max(out[2]);
        let chances = [out[0], out[1], out[2]].map(|value| (value - top).exp());
        let sum: f32 = chances.iter().sum();
        output.wdl.push(chances.map(|chance| chance / sum));
        output.moves_left.push((out[3].max(0.0) + (-out[3].abs()).exp().ln_1p()) * MOVES_LEFT_UNIT);
    }
}

impl<const C: usize> Inference for LineNet<C> {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        output.clear();
        for row in 0..input.n {
            let planes = &input.planes[row * PLANES * SQUARES..][..PLANES * SQUARES];
            let features = &input.features[row * FEATURES..][..FEATURES];
            self.evaluate(planes, features, &input.moves[input.move_range(row)], output);
        }
        Ok(())
    }
}
