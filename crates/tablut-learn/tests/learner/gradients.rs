//! Compares the learner's gradients with burn's on the cores and with finite differences, and its outputs with the engine's.

use std::sync::Arc;

use burn::tensor::Device;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::ThreadPoolBuilder;
use tablut_games::{LossParts, TrainingBatch};
use tablut_kernels::{Kernels, Simd};
use tablut_learn::{BurnBackend, CpuBackend, GradientBackend, LearnerState, Multiply, OptimizerConfig};
use tablut_net::layers::Values;
use tablut_net::lines::LineLearner;
use tablut_net::{
    Architecture, Engine, Inference, OutputBatch, PolicyIndex, Predictions, Weights, encode_symmetric, policy_planes,
};
use tablut_rules::{Game, MoveList, Rules, Situation, Symmetry};

/// Adds a position of a random game to a batch, with random targets and a choice of capture in every fifth move.
fn add_position(batch: &mut TrainingBatch, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let names = tablut_rules::RULE_SET_NAMES;
    let name = names[seed as usize % names.len()];
    let rules = Arc::new(Rules::named(name).unwrap());
    let mut moves = MoveList::new();
    let game = loop {
        let mut game = Game::new(Arc::clone(&rules), tablut_rules::Side::Attackers);
        for _ in 0..rng.random_range(0..60) {
            game.legal_moves(&mut moves);
            if !moves.is_empty() {
                let mv = moves[rng.random_range(0..moves.len())];
                game.play(mv).unwrap();
            }
        }
        game.legal_moves(&mut moves);
        if !moves.is_empty() {
            break game;
        }
    };
    let first = batch.input.moves.len();
    let situation = Situation { occurrences: 0, ..game.situation(&moves) };
    encode_symmetric(&situation, Symmetry::ALL[rng.random_range(0..8)], &mut batch.input);
    for (at, index) in batch.input.moves[first..].iter_mut().enumerate().filter(|(at, _)| at % 5 == 0) {
        let squares = rules.size().n_squares();
        let choice = ((policy_planes(rules.size()) - 1) * squares + at % squares) as u16;
        *index = PolicyIndex { choice, ..*index };
    }
    let policy: Vec<f32> = (0..moves.len()).map(|_| rng.random_range(0.0..1.0)).collect();
    let total: f32 = policy.iter().sum();
    batch.policy.extend(policy.iter().map(|p| p / total));
    batch.wdl.push([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][rng.random_range(0..3)]);
    // Every third position is of an unfinished game.
    let plies = rng.random_range(1.0..100.0);
    batch.moves_left.push(if seed % 3 == 2 { f32::NAN } else { plies });
}

/// Positions of random games under every rule set.
fn batch(seeds: impl IntoIterator<Item = u64>) -> TrainingBatch {
    let mut batch = TrainingBatch::default();
    seeds.into_iter().for_each(|seed| add_position(&mut batch, seed));
    batch
}

/// A learner with biases that are not zero.
fn learner(architecture: &Architecture, seed: u64) -> LearnerState {
    let mut learner = LearnerState::new(&Weights::initial(architecture, seed));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for param in learner.params.iter_mut().filter(|param| !param.decays()) {
        param.weights.fill_with(|| rng.random_range(-0.1..0.1));
    }
    learner
}

/// The norm of the difference, relative to the norm of `b`.
fn relative(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    assert_eq!(a.len(), b.len());
    norm(&mut a.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied())
}

/// A smooth function of the predictions: half the sum of their squares, in f64.
fn energy(predictions: &Predictions) -> f64 {
    let all = predictions.logits.iter().chain(&predictions.wdl).chain(&predictions.moves_left);
    all.map(|&x| f64::from(x).powi(2) / 2.0).sum()
}

fn lines(name: &str) -> Architecture {
    name.parse().unwrap()
}

fn burn(learner: &LearnerState) -> BurnBackend {
    BurnBackend::new(Device::flex(), Multiply::Matrices, learner, OptimizerConfig::default())
}

fn gradients(learner: &LearnerState, batch: &TrainingBatch) -> (LossParts, Vec<Vec<f32>>) {
    CpuBackend::new(learner.clone(), OptimizerConfig::default()).unwrap().gradients(batch)
}

/// The largest difference of a parameter's gradient, relative to its norm.
fn largest_difference(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(found, expected)| relative(found, expected)).fold(0.0, f64::max)
}

/// Whether small changes of the weights change the gradients of a position little.
///
/// A gradient jumps where a rectified number crosses zero, or where the largest of pooled numbers changes. There, sums in
/// another order can give another gradient, and both are right.
fn is_smooth(learner: &LearnerState, seed: u64) -> bool {
    let batch = batch([seed]);
    let expected = gradients(learner, &batch).1;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..4).all(|_| {
        let mut changed = learner.clone();
        for weight in changed.params.iter_mut().flat_map(|param| &mut param.weights) {
            *weight *= 1.0 + 1e-5 * rng.random_range(-1.0..1.0);
        }
        largest_difference(&gradients(&changed, &batch).1, &expected) < 1e-3
    })
}

#[test]
fn every_gradient_is_burns() {
    for (name, n) in [("lines32x2", 48), ("lines64x3", 24)] {
        let learner = learner(&lines(name), 3);
        let smooth: Vec<u64> = (0..400).filter(|&seed| is_smooth(&learner, seed)).take(n).collect();
        assert_eq!(smooth.len(), n, "too few smooth positions");
        let batch = batch(smooth);
        let (parts, found) = gradients(&learner, &batch);
        let (burns, expected) = burn(&learner).gradients(&batch).unwrap();
        assert!((parts.policy - burns.policy).abs() < 1e-5 * burns.policy, "{parts:?} and {burns:?}");
        assert!((parts.value - burns.value).abs() < 1e-5 * burns.value, "{parts:?} and {burns:?}");
        let difference = largest_difference(&found, &expected);
        assert!(difference < 1e-4, "{name}: {difference}");
    }
}

#[test]
fn products_by_convolutions_have_the_same_gradients() {
    let (learner, batch) = (learner(&lines("lines32x1"), 3), batch(0..3));
    let (_, expected) = burn(&learner).gradients(&batch).unwrap();
    let by = BurnBackend::new(Device::flex(), Multiply::Convolutions, &learner, OptimizerConfig::default());
    for (found, expected) in by.gradients(&batch).unwrap().1.iter().zip(&expected) {
        assert!(relative(found, expected) < 1e-4);
    }
}

#[test]
fn gradients_are_the_slopes_of_finite_differences() {
    let batch = batch(11..14);
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let architecture = lines("lines32x1");
        let mut learner = learner(&architecture, 12);
        let mut net = LineLearner::new(architecture, Kernels::new(simd).unwrap());
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
    let architecture = lines("lines32x2");
    let (learner, batch) = (learner(&architecture, 7), batch(0..60));
    let mut net = LineLearner::new(architecture, Kernels::from_env().unwrap());
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
    let batch = batch(0..50);
    let run = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let state = learner(&lines("lines32x1"), 22);
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
