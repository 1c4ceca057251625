//! Compares the learner of nets of lines with burn's own operations, with finite differences and with the engine.

use burn::tensor::activation::{relu, softplus};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Int, Tensor, TensorData};
use rayon::ThreadPoolBuilder;
use tablut_games::{LossParts, TrainingBatch};
use tablut_kernels::{Kernels, Simd};
use tablut_learn::{CpuBackend, GradientBackend, LearnerState, OptimizerConfig, Outputs, loss};
use tablut_net::layers::{Linear, ParameterId, Values};
use tablut_net::lines::{LineLayers, LineLearner};
use tablut_net::{
    Architecture, Engine, FEATURES, Inference, InputBatch, LineShape, OutputBatch, PLANES, POLICY_ENTRIES, PolicyIndex,
    RULE_FEATURES,
};
use tablut_rules::{SIZE, SQUARES};

use super::gradients::{batch, energy, learner, relative};

const TOP: f32 = 127.0 / 32.0;

/// A net of lines in burn's own operations: the line network is a convolution 1×5 over all rows at once, and over the
/// columns of the transposed board.
struct BurnLines {
    layers: LineLayers,
    parameters: Vec<Tensor<1>>,
}

impl BurnLines {
    fn forward(&self, input: &InputBatch, device: &Device) -> Outputs {
        let (layers, n, c) = (&self.layers, input.n, self.layers.channels);
        let planes = tensor(input.plane_values(), [n, PLANES, SIZE, SIZE], device);
        let features = tensor(input.features.clone(), [n, FEATURES], device);
        let rows = self.lines(&planes, &features);
        let columns = self.lines(&planes.clone().swap_dims(2, 3), &features).swap_dims(2, 3);
        let part = |x: &Tensor<4>, first: usize, len: usize| x.clone().narrow(1, first, len);
        let side = self.parameter(layers.side).reshape([2, c]);
        let bias = planes.clone().slice([0..n, 3..5, 0..1, 0..1]).reshape([n, 2]).matmul(side);
        let bias = bias + self.linear(features, &layers.features);
        let sum = part(&rows, 0, c) + part(&columns, 0, c) + bias.reshape([n, c, 1, 1]);
        let mut x = (sum + self.squares(part(&planes, 9, PLANES - 9), &layers.added)).clamp(0.0, TOP);
        for block in &layers.blocks {
            let pooled =
                self.linear(pool(x.clone()), &block.pool) + self.parameter(block.depthwise_bias).reshape([1, c]);
            let weight = self.parameter(block.depthwise).reshape([9, c]).transpose().reshape([c, 1, 3, 3]);
            let h = conv2d(x.clone(), weight, None, ConvOptions::new([1, 1], [1, 1], [1, 1], c));
            let h = (h + pooled.reshape([n, c, 1, 1])).clamp(0.0, TOP);
            x = (x + self.squares(h, &block.pointwise)).clamp(0.0, TOP);
        }
        let pair = self.squares(x.clone(), &layers.pair);
        let pair = pair + self.linear(pool(x.clone()), &layers.pair_pool).reshape([n, 32, 1, 1]);
        let on_rows = relu(part(&pair, 0, 16) + part(&rows, c, 16) + part(&columns, c + 16, 16));
        let on_columns = relu(part(&pair, 16, 16) + part(&columns, c, 16) + part(&rows, c + 16, 16));
        let both = Tensor::cat(vec![on_rows.reshape([n, 16, SQUARES]), on_columns.reshape([n, 16, SQUARES])], 2);
        let shift = self.parameter(layers.pair_shift).reshape([1, 16, 1]);
        let both = both + shift; // [n, 16, 162]
        let ends = |x: &Tensor<4>| part(x, c + 32, 8).reshape([n, 8 * SQUARES]);
        let ends = Tensor::cat(vec![ends(&rows), ends(&columns)], 1);
        let found: Vec<[i32; 4]> = (0..32 * SQUARES).map(entry).collect();
        let column = |at: usize| {
            let values: Vec<i32> = found.iter().map(|entry| entry[at]).collect();
            Tensor::<1, Int>::from_data(TensorData::new(values, [32 * SQUARES]), device)
        };
        let from = both.clone().narrow(1, 0, 8).select(2, column(0));
        let to = both.narrow(1, 8, 8).select(2, column(1));
        let product = (from * to).sum_dim(1).reshape([n, 32 * SQUARES]) * (0.3 / 8.0_f32.sqrt());
        let distance = self.parameter(layers.distance).reshape([2, 8]);
        let side = planes.slice([0..n, 3..5, 0..1, 0..1]).reshape([n, 2]).matmul(distance);
        let moves = product + ends.select(1, column(2)) + side.select(1, column(3));
        let choice = self.squares(x.clone(), &layers.choice).reshape([n, SQUARES]);
        let v = self.squares(x, &layers.value.conv).clamp(0.0, TOP);
        let h = relu(self.linear(pool(v), &layers.value.hidden));
        let policy = Tensor::cat(vec![moves, choice], 1);
        assert_eq!(policy.dims(), [n, POLICY_ENTRIES]);
        let wdl = self.linear(h.clone(), &layers.value.out);
        Outputs { policy, wdl, moves_left: softplus(self.linear(h, &layers.value.moves_left), 1.0) }
    }

    /// What the rows of a board say about their squares, `[n, outputs, 9, 9]`.
    fn lines(&self, planes: &Tensor<4>, features: &Tensor<2>) -> Tensor<4> {
        let (line, n) = (&self.layers.line, planes.dims()[0]);
        let w = line.squares.outputs;
        let part = |first: usize, len: usize| planes.clone().narrow(1, first, len);
        let shown = Tensor::cat(vec![part(0, 3), part(5, 4)], 1);
        let rules = self.linear(features.clone().slice([0..n, 0..RULE_FEATURES]), &line.rules);
        let mut x = self.squares(shown, &line.squares) + rules.reshape([n, w, 1, 1]);
        let places = self.parameter(line.places).reshape([2, 5, SIZE, w]);
        for side in 0..2 {
            let of_side = places.clone().slice([side..side + 1, 0..5, 0..SIZE, 0..w]).reshape([5, SIZE, w]);
            let distance = |row: usize| row.min(SIZE - 1 - row);
            let rows = (0..SIZE).map(|row| of_side.clone().narrow(0, distance(row), 1)).collect();
            let map = Tensor::cat(rows, 0).permute([2, 0, 1]).reshape([1, w, SIZE, SIZE]);
            x = x + part(3 + side, 1) * map;
        }
        for [first, second] in &line.pairs {
            let h = self.along(relu(x.clone()), first);
            x = x + self.along(relu(h), second);
        }
        self.squares(relu(x), &line.out)
    }

    /// A convolution of five squares along the rows.
    fn along(&self, x: Tensor<4>, layer: &Linear) -> Tensor<4> {
        let w = layer.outputs;
        let weight = self.parameter(layer.weight).reshape([w, 5, w]).swap_dims(1, 2).reshape([w, w, 1, 5]);
        let bias = layer.bias.map(|bias| self.parameter(bias));
        conv2d(x, weight, bias, ConvOptions::new([1, 1], [0, 2], [1, 1], 1))
    }

    fn squares(&self, x: Tensor<4>, layer: &Linear) -> Tensor<4> {
        let weight = self.parameter(layer.weight).reshape([layer.outputs, layer.inputs, 1, 1]);
        let bias = layer.bias.map(|bias| self.parameter(bias));
        conv2d(x, weight, bias, ConvOptions::new([1, 1], [0, 0], [1, 1], 1))
    }

    fn linear(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        let weight = self.parameter(layer.weight).reshape([layer.outputs, layer.inputs]);
        let product = x.matmul(weight.transpose());
        match layer.bias {
            Some(bias) => product + self.parameter(bias).reshape([1, layer.outputs]),
            None => product,
        }
    }

    fn parameter(&self, id: ParameterId) -> Tensor<1> {
        self.parameters[id.index()].clone()
    }
}

/// From and to of an entry, plus 81 for columns; its place among the ends; its distance.
fn entry(index: usize) -> [i32; 4] {
    let (plane, from) = (index / SQUARES, index % SQUARES);
    let (direction, distance) = (plane / 8, plane % 8);
    let (row, column) = (from / SIZE, from % SIZE);
    // North, east, south, west. Moves that leave the board are in no batch.
    let step = [(1, 0), (0, 1), (-1, 0), (0, -1)][direction];
    let far = distance as i32 + 1;
    let (r, c) = (row as i32 + step.0 * far, column as i32 + step.1 * far);
    let to = if (0..9).contains(&r) && (0..9).contains(&c) { r * 9 + c } else { from as i32 };
    let along_row = direction % 2 == 1;
    let (offset, stop, start) = if along_row { (0, c, column as i32) } else { (81, r, row as i32) };
    let slot = (stop - i32::from(stop > start)).clamp(0, 7);
    // The tensor of ends is `[slot][square]`, rows first.
    [from as i32 + offset, to + offset, slot * 81 + from as i32 + offset * 8, distance as i32]
}

fn pool(x: Tensor<4>) -> Tensor<2> {
    let [n, c, ..] = x.dims();
    let x = x.reshape([n, c, SQUARES]);
    Tensor::cat(vec![x.clone().mean_dim(2).reshape([n, c]), x.max_dim(2).reshape([n, c])], 1)
}

fn tensor<const D: usize>(values: Vec<f32>, dims: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, dims), device)
}

fn lines(name: &str) -> (Architecture, LineShape) {
    let architecture: Architecture = name.parse().unwrap();
    let Architecture::Lines(lines) = architecture else { panic!("a net of lines") };
    (architecture, lines)
}

fn burns_gradients(learner: &LearnerState, lines: LineShape, batch: &TrainingBatch) -> (LossParts, Vec<Vec<f32>>) {
    let device = Device::flex();
    let leaf = |values: &Vec<f32>| tensor(values.clone(), [values.len()], &device).autodiff().require_grad();
    let parameters: Vec<_> = learner.params.iter().map(|param| leaf(&param.weights)).collect();
    let net = BurnLines { layers: lines.layers(), parameters };
    let device = device.autodiff();
    let loss = loss(net.forward(&batch.input, &device), batch, &device);
    let mut gradients = loss.total.backward();
    let values = |leaf: &Tensor<1>| {
        let gradient = leaf.grad_remove(&mut gradients).expect("every parameter has a gradient");
        gradient.try_into_vec_as::<f32>().unwrap()
    };
    let values = net.parameters.iter().map(values).collect();
    (loss.read(batch, Vec::new()).unwrap().0, values)
}

/// A batch with a choice of capture in some moves.
fn batch_with_choices(n: usize, seed: u64) -> TrainingBatch {
    let mut batch = batch(n, seed);
    for (at, index) in batch.input.moves.iter_mut().enumerate().filter(|(at, _)| at % 5 == 0) {
        *index = PolicyIndex { choice: (32 * 81 + at % 81) as u16, ..*index };
    }
    batch
}

#[test]
fn every_gradient_is_burns() {
    for (name, n) in [("lines32x1", 1), ("lines32x2", 37), ("lines64x1", 18)] {
        let (architecture, lines) = lines(name);
        let (learner, batch) = (learner(&architecture, 3), batch_with_choices(n, 5));
        let mut cpu = CpuBackend::new(learner.clone(), OptimizerConfig::default()).unwrap();
        let (parts, gradients) = cpu.gradients(&batch);
        let (burns, expected) = burns_gradients(&learner, lines, &batch);
        assert!((parts.policy - burns.policy).abs() < 1e-5 * burns.policy, "{name}: {parts:?} and {burns:?}");
        assert!((parts.value - burns.value).abs() < 1e-5 * burns.value, "{name}: {parts:?} and {burns:?}");
        for ((param, found), expected) in learner.params.iter().zip(&gradients).zip(&expected) {
            let difference = relative(found, expected);
            // An activation near zero may have another sign, because burn adds in another order.
            assert!(difference < 2e-3, "{name}, {}: off by {difference} of its norm", param.name);
        }
    }
}

#[test]
fn gradients_are_the_slopes_of_finite_differences() {
    let batch = batch_with_choices(3, 11);
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let (architecture, lines) = lines("lines32x1");
        let mut learner = learner(&architecture, 12);
        let mut net = LineLearner::new(lines, Kernels::new(simd).unwrap());
        let mut forward = |learner: &LearnerState| {
            net.set_weights(&Values::new(learner.params.iter().map(|param| param.weights.as_slice())));
            let predictions = net.forward(&batch.input);
            (energy(&predictions), net.backward(&batch.input, &predictions))
        };
        let (_, gradients) = forward(&learner);
        for (index, gradient) in gradients.iter().enumerate() {
            let name = learner.params[index].name.clone();
            let norm = gradient.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
            let before = learner.params[index].weights.clone();
            let mut moved = |by: f64| {
                for ((w, &start), &g) in learner.params[index].weights.iter_mut().zip(&before).zip(gradient) {
                    *w = (f64::from(start) + by * f64::from(g) / norm) as f32;
                }
                let energy = forward(&learner).0;
                learner.params[index].weights.copy_from_slice(&before);
                energy
            };
            let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((slope - norm).abs() < 0.02 * norm, "{simd}, {name}: slope {slope}, gradient {norm}");
        }
    }
}

#[test]
fn the_engine_plays_what_was_learnt() {
    let (architecture, lines) = lines("lines32x2");
    let (learner, batch) = (learner(&architecture, 7), batch_with_choices(60, 8));
    let mut net = LineLearner::new(lines, Kernels::from_env().unwrap());
    net.set_weights(&Values::new(learner.params.iter().map(|param| param.weights.as_slice())));
    let expected = net.forward(&batch.input);
    let mut output = OutputBatch::default();
    Engine::new(&learner.weights()).unwrap().infer(&batch.input, &mut output).unwrap();
    let error = relative(&output.logits, &expected.logits);
    assert!(error < 0.05, "logits are off by {error}");
    let left: Vec<f32> = expected.moves_left.iter().map(|left| left * 32.0).collect();
    let error = relative(&output.moves_left, &left);
    assert!(error < 0.02, "the moves left are off by {error}");
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let batch = batch(50, 21);
    let run = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let state = learner(&lines("lines32x1").0, 22);
            let mut backend = CpuBackend::new(state, OptimizerConfig::default()).unwrap();
            for _ in 0..4 {
                backend.step(&batch, 0.002).unwrap();
            }
            backend.state().unwrap()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}
