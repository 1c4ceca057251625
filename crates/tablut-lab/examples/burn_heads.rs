//! Compares the time of the heads and the loss in burn, forward and backward, with the time of a whole training step.
//! The two alternate many times in one process.
//!
//! `cargo run --release -p tablut-lab --example burn_heads -- [SHAPE] [BATCH] [ROUNDS]`

use std::time::Instant;

use burn::tensor::activation::{log_softmax, relu, softplus};
use burn::tensor::{Device, Int, Tensor, TensorData};
use tablut_games::TrainingBatch;
use tablut_learn::{CpuBackend, GradientBackend, LearnerState, OptimizerConfig};
use tablut_net::{Architecture, FEATURES, PLANES, POLICY_ENTRIES, POLICY_PLANES, PolicyIndex, Weights};
use tablut_rules::SQUARES;

/// Moves of a position, about as many as in games.
const MOVES: usize = 80;

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "b4c32".to_owned());
    let architecture: Architecture = name.parse().expect("a net's name, such as b4c32");
    let mut number = |default: usize| args.next().map_or(default, |text| text.parse().expect("a number"));
    let (n, rounds) = (number(256), number(40));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    pool.install(|| compare(&architecture, n, rounds));
}

fn compare(architecture: &Architecture, n: usize, rounds: usize) {
    let batch = batch(n);
    let state = LearnerState::new(&Weights::initial(architecture, 1));
    let mut backend = CpuBackend::new(state, OptimizerConfig::default()).expect("a CPU that the kernels support");
    let (mut steps, mut heads) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        backend.step(&batch, 1e-4).expect("finite gradients");
        steps.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        burn_heads(architecture, &batch);
        heads.push(start.elapsed().as_secs_f64());
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        1e3 * times[times.len() / 2]
    };
    let (step, heads) = (median(&mut steps), median(&mut heads));
    println!(
        "{architecture}, {n} positions, two threads, medians of {rounds}: a step {step:.1} ms, the heads and the loss by burn \
         {heads:.1} ms ({:.0} % of it)",
        100.0 * heads / step
    );
}

/// The heads and the loss, forward and backward, from a trunk's output. The layout is burn's fastest: channels last,
/// with one large product for both 1×1 convolutions.
fn burn_heads(architecture: &Architecture, batch: &TrainingBatch) {
    let device = Device::flex().autodiff();
    let (n, c) = (batch.input.n, architecture.residual().expect("a residual net").channels());
    let value = architecture.residual().expect("a residual net").value();
    let (v, h) = (value.channels, value.hidden);
    let leaf = |dims: [usize; 2], scale: f32| {
        let values = (0..dims[0] * dims[1]).map(|i| scale * ((i * 7919 % 1000) as f32 / 1000.0 - 0.5)).collect();
        Tensor::<2>::from_data(TensorData::new::<f32, _>(values, dims), &device).require_grad()
    };
    let trunk = leaf([n * SQUARES, c], 1.0);
    let (joint, pooling, out) = (leaf([c, c + v], 0.3), leaf([2 * c, c], 0.1), leaf([c, POLICY_PLANES], 0.1));
    let (hidden, last) = (leaf([2 * v, h], 0.2), leaf([h, 4], 0.1));
    let pool = |x: Tensor<3>| {
        let [n, _, c] = x.dims();
        let mean = x.clone().mean_dim(1).reshape([n, c]);
        Tensor::cat(vec![mean, x.max_dim(1).reshape([n, c])], 1)
    };
    let squares = trunk.clone().reshape([n, SQUARES, c]);
    let bias = pool(squares).matmul(pooling.clone()); // [n, C]
    let both = trunk.clone().matmul(joint.clone()).reshape([n, SQUARES, c + v]);
    let p = relu(both.clone().slice([0..n, 0..SQUARES, 0..c]) + bias.reshape([n, 1, c]));
    let table = p.reshape([n * SQUARES, c]).matmul(out.clone()).reshape([n, SQUARES * POLICY_PLANES]);
    let entries = |index: &PolicyIndex| i32::from(index.entry) % (SQUARES * POLICY_PLANES) as i32;
    let entries: Vec<i32> = batch.input.moves.iter().map(entries).collect();
    let logits = table.gather(1, Tensor::<2, Int>::from_data(TensorData::new(entries, [n, MOVES]), &device));
    let targets = Tensor::<2>::from_data(TensorData::new(batch.policy.clone(), [n, MOVES]), &device);
    let policy = (log_softmax(logits, 1) * targets).sum();
    let value = relu(pool(relu(both.slice([0..n, 0..SQUARES, c..c + v]))).matmul(hidden.clone())).matmul(last.clone());
    let wdl = Tensor::<2>::from_data(TensorData::new(batch.wdl.concat(), [n, 3]), &device);
    let outcome = (log_softmax(value.clone().slice([0..n, 0..3]), 1) * wdl).sum();
    let left = softplus(value.slice([0..n, 3..4]), 1.0).sum();
    let gradients = (policy.neg() - outcome + left).backward();
    for leaf in [&trunk, &joint, &pooling, &out, &hidden, &last] {
        let gradient = leaf.grad(&gradients).expect("every leaf is used");
        std::hint::black_box(gradient.into_data());
    }
}

/// Random positions with [`MOVES`] moves each.
fn batch(n: usize) -> TrainingBatch {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize
    };
    let mut batch = TrainingBatch::default();
    batch.input.n = n;
    batch.input.planes = (0..n * PLANES).map(|_| tablut_rules::Bitboard::where_square(|_| random() % 5 == 0)).collect();
    batch.input.features = vec![0.5; n * FEATURES];
    for row in 0..n {
        batch.input.moves.extend((0..MOVES).map(|_| PolicyIndex {
            entry: (random() % (POLICY_ENTRIES - SQUARES)) as u16,
            choice: PolicyIndex::NO_CHOICE,
        }));
        batch.input.move_ends.push(((row + 1) * MOVES) as u32);
        batch.policy.extend([1.0 / MOVES as f32; MOVES]);
        batch.wdl.push([1.0, 0.0, 0.0]);
        batch.moves_left.push(20.0);
    }
    batch
}
