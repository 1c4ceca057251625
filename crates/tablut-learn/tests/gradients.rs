//! The kernels' net against burn's own operations and against finite differences, and its promise of fixed bits.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::ThreadPoolBuilder;
use tablut_games::TrainingBatch;
use tablut_kernels::{Kernels, Simd};
use tablut_learn::{Differentiation, KernelNet, LearnerState, LossWeights, OptimizerConfig, Predictions};
use tablut_net::{NetShape, PolicyIndex, View, Weights, encode_symmetric};
use tablut_rules::{Game, MoveList, Rules, Symmetry};

/// Positions of random games under every rule set, with random targets.
fn batch(n: usize, seed: u64) -> TrainingBatch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let rules: Vec<_> = tablut_rules::RULE_SET_NAMES.iter().map(|name| Arc::new(Rules::load(name).unwrap())).collect();
    let mut batch = TrainingBatch::default();
    let mut moves = MoveList::new();
    while batch.input.n < n {
        let rules = &rules[batch.input.n % rules.len()];
        let mut game = Game::new(Arc::clone(rules), tablut_rules::Side::Attackers);
        for _ in 0..rng.random_range(0..60) {
            game.legal_moves(&mut moves);
            if !moves.is_empty() {
                let mv = moves[rng.random_range(0..moves.len())];
                game.play(mv).unwrap();
            }
        }
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            continue;
        }
        let (position, plies_since_capture) = (game.position(), game.plies_since_capture());
        let view = View { rules, position, occurrences: 0, plies_since_capture, moves: &moves };
        encode_symmetric(&view, Symmetry::ALL[rng.random_range(0..8)], &mut batch.input);
        let policy: Vec<f32> = (0..moves.len()).map(|_| rng.random_range(0.0..1.0)).collect();
        let total: f32 = policy.iter().sum();
        batch.policy.extend(policy.iter().map(|p| p / total));
        batch.wdl.push([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][rng.random_range(0..3)]);
        batch.moves_left.push(rng.random_range(1.0..100.0));
    }
    batch
}

/// A learner with biases that are not zero.
fn learner(shape: &str, seed: u64) -> LearnerState {
    let mut learner = LearnerState::new(&Weights::initial(shape.parse::<NetShape>().unwrap(), seed));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for slot in learner.slots.iter_mut().filter(|slot| !slot.decays) {
        slot.weights.fill_with(|| rng.random_range(-0.1..0.1));
    }
    learner
}

/// The norm of the difference in parts of the norm of `b`.
fn relative(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    assert_eq!(a.len(), b.len());
    norm(&mut a.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied())
}

#[test]
fn every_gradient_is_burns() {
    // Rows that fill shards and groups exactly, just not, and not at all.
    for (shape, n) in [("b1c16", 1), ("b2c32", 16), ("b3c16", 37), ("b2c80", 9)] {
        let (learner, batch) = (learner(shape, 3), batch(n, 5));
        let weights = LossWeights::default();
        let (parts, gradients) = Differentiation::kernels(learner.shape).unwrap().gradients(&learner, &batch, weights);
        let (burns, expected) = Differentiation::burn_on_cpu().gradients(&learner, &batch, weights);
        assert!((parts.policy - burns.policy).abs() < 1e-5 * burns.policy, "{shape}: {parts:?} and {burns:?}");
        assert!((parts.value - burns.value).abs() < 1e-5 * burns.value, "{shape}: {parts:?} and {burns:?}");
        for ((spec, found), expected) in learner.shape.tensors().iter().zip(&gradients).zip(&expected) {
            let difference = relative(found, expected);
            assert!(difference < 1e-5, "{shape} with {n} rows, {}: off by {difference} of its norm", spec.name);
        }
    }
}

#[test]
fn moves_with_a_choice_are_differentiated_too() {
    let mut batch = batch(6, 7);
    for (at, index) in batch.input.moves.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
        *index = PolicyIndex { choice: (32 * 81 + at % 81) as u16, ..*index };
    }
    let learner = learner("b1c16", 8);
    let weights = LossWeights::default();
    let (_, gradients) = Differentiation::kernels(learner.shape).unwrap().gradients(&learner, &batch, weights);
    let (_, expected) = Differentiation::burn_on_cpu().gradients(&learner, &batch, weights);
    for (found, expected) in gradients.iter().zip(&expected) {
        assert!(relative(found, expected) < 1e-5);
    }
}

/// A smooth function of the predictions: half the sum of their squares, in f64.
fn energy(predictions: &Predictions) -> f64 {
    let all = predictions.logits.iter().chain(&predictions.wdl).chain(&predictions.moves_left);
    all.map(|&x| f64::from(x).powi(2) / 2.0).sum()
}

#[test]
fn gradients_are_the_slopes_of_finite_differences() {
    let batch = batch(3, 11);
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let mut learner = learner("b2c16", 12);
        let mut net = KernelNet::with_kernels(learner.shape, Kernels::new(simd).unwrap());
        let mut forward = |learner: &LearnerState| {
            net.set_weights(&learner.slots.iter().map(|slot| slot.weights.as_slice()).collect::<Vec<_>>());
            let predictions = net.forward(&batch.input);
            (energy(&predictions), net.backward(&batch.input, &predictions))
        };
        let (_, gradients) = forward(&learner);
        for (index, spec) in learner.shape.tensors().iter().enumerate() {
            // Along the gradient the slope is the gradient's own norm, and far above the rounding of f32.
            let gradient = &gradients[index];
            let norm = gradient.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
            let before = learner.slots[index].weights.clone();
            let mut moved = |by: f64| {
                for ((w, &start), &g) in learner.slots[index].weights.iter_mut().zip(&before).zip(gradient) {
                    *w = (f64::from(start) + by * f64::from(g) / norm) as f32;
                }
                let energy = forward(&learner).0;
                learner.slots[index].weights.copy_from_slice(&before);
                energy
            };
            let slope = (moved(2e-3) - moved(-2e-3)) / 4e-3;
            assert!((slope - norm).abs() < 0.01 * norm, "{simd}, {}: slope {slope}, gradient {norm}", spec.name);
        }
    }
}

#[test]
fn the_loss_falls_as_with_burns_own_operations() {
    let run = |mut differentiation: Differentiation| -> Vec<f32> {
        let mut learner = LearnerState::new(&Weights::initial("b2c16".parse().unwrap(), 1));
        let step = |step: u64| {
            let (batch, config) = (batch(12, 100 + step % 5), OptimizerConfig::default());
            let report = learner.step(&mut differentiation, &batch, 0.002, LossWeights::default(), &config).unwrap();
            report.loss.policy + report.loss.value + report.loss.moves_left
        };
        (0..30).map(step).collect()
    };
    let ours = run(Differentiation::kernels("b2c16".parse().unwrap()).unwrap());
    let burns = run(Differentiation::burn_on_cpu());
    assert!(ours[29] < 0.97 * ours[0], "{ours:?}");
    for (step, (a, b)) in ours.iter().zip(&burns).enumerate() {
        assert!((a - b).abs() < 1e-3 * b, "step {step}: {a} and {b}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let batch = batch(50, 21);
    let run = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut learner = learner("b2c32", 22);
            let mut differentiation = Differentiation::kernels(learner.shape).unwrap();
            for _ in 0..4 {
                let config = OptimizerConfig::default();
                learner.step(&mut differentiation, &batch, 0.002, LossWeights::default(), &config).unwrap();
            }
            learner
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}
