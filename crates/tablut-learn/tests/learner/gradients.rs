//! Compares the residual net that learns on devices with burn's own convolutions.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tablut_games::LossParts;
use tablut_games::TrainingBatch;
use tablut_learn::{BurnBackend, GradientBackend, LearnerState, Multiply, OptimizerConfig, loss};
use tablut_net::{
    Architecture, BlockKind, PolicyIndex, PolicyWidths, Predictions, Residual, ValueWidths, Weights, encode_symmetric,
};
use tablut_rules::{Game, MoveList, Rules, Situation, Symmetry};

use super::burn_net::BurnNet;

/// Positions of random games under every rule set, with random targets.
pub fn batch(n: usize, seed: u64) -> TrainingBatch {
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
        let view = Situation { occurrences: 0, ..game.situation(&moves) };
        encode_symmetric(&view, Symmetry::ALL[rng.random_range(0..8)], &mut batch.input);
        let policy: Vec<f32> = (0..moves.len()).map(|_| rng.random_range(0.0..1.0)).collect();
        let total: f32 = policy.iter().sum();
        batch.policy.extend(policy.iter().map(|p| p / total));
        batch.wdl.push([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][rng.random_range(0..3)]);
        // Every third position is of an unfinished game.
        let plies = rng.random_range(1.0..100.0);
        batch.moves_left.push(if batch.moves_left.len() % 3 == 2 { f32::NAN } else { plies });
    }
    batch
}

/// A learner with biases that are not zero.
pub fn learner(architecture: &Architecture, seed: u64) -> LearnerState {
    let mut learner = LearnerState::new(&Weights::initial(architecture, seed));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for param in learner.params.iter_mut().filter(|param| !param.decays()) {
        param.weights.fill_with(|| rng.random_range(-0.1..0.1));
    }
    learner
}

fn named(name: &str) -> Architecture {
    name.parse().unwrap()
}

fn burn(learner: &LearnerState, multiply: Multiply) -> BurnBackend {
    BurnBackend::new(Device::flex(), multiply, learner, OptimizerConfig::default())
}

/// The loss and the gradients of all parameters with burn's own convolutions.
fn burns_gradients(learner: &LearnerState, batch: &TrainingBatch) -> (LossParts, Vec<Vec<f32>>) {
    let mut net = BurnNet::new(&learner.weights(), &Device::flex());
    for parameter in &mut net.parameters {
        *parameter = parameter.clone().autodiff().require_grad();
    }
    let device = Device::flex().autodiff();
    let loss = loss(net.forward(&batch.input, &device), batch, &device);
    let mut gradients = loss.total.backward();
    let values = |leaf: &Tensor<1>| {
        let gradient = leaf.grad_remove(&mut gradients).expect("every parameter has a gradient");
        gradient.try_into_vec_as::<f32>().unwrap()
    };
    let values = net.parameters.iter().map(values).collect();
    (loss.read(batch, Vec::new()).unwrap().0, values)
}

/// The norm of the difference, relative to the norm of `b`.
pub fn relative(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    assert_eq!(a.len(), b.len());
    norm(&mut a.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied())
}

/// Asserts that loss and gradients equal those of burn's own convolutions, by both kinds of products.
fn assert_burns(learner: &LearnerState, batch: &TrainingBatch) {
    let what = format!("{} with {} rows", learner.architecture, batch.input.n);
    let (burns, expected) = burns_gradients(learner, batch);
    for multiply in [Multiply::Matrices, Multiply::Convolutions] {
        let (parts, products) = burn(learner, multiply).gradients(batch).unwrap();
        assert!((parts.policy - burns.policy).abs() < 1e-5 * burns.policy, "{what}: {parts:?} and {burns:?}");
        assert!((parts.value - burns.value).abs() < 1e-5 * burns.value, "{what}: {parts:?} and {burns:?}");
        assert_eq!((products.len(), expected.len()), (learner.params.len(), learner.params.len()));
        for ((param, found), expected) in learner.params.iter().zip(&products).zip(&expected) {
            let difference = relative(found, expected);
            assert!(difference < 1e-5, "{what}, {} by {multiply:?}: off by {difference} of its norm", param.name);
        }
    }
}

#[test]
fn every_gradient_is_burns() {
    for (name, n) in [("b1c16", 1), ("b2c32", 16), ("b3c16", 37), ("b2c80", 9)] {
        assert_burns(&learner(&named(name), 3), &batch(n, 5));
    }
}

#[test]
fn every_gradient_is_burns_for_heads_and_pooling_of_any_kind() {
    let (policy, value) = (PolicyWidths { channels: 48 }, ValueWidths { channels: 16, hidden: 32 });
    for blocks in [vec![BlockKind::Pooled, BlockKind::Plain], vec![BlockKind::Plain]] {
        let architecture = Architecture::from(Residual::new(16, blocks, policy, value).unwrap());
        assert_burns(&learner(&architecture, 3), &batch(11, 5));
    }
}

#[test]
fn moves_with_a_choice_are_differentiated_too() {
    let mut batch = batch(6, 7);
    for (at, index) in batch.input.moves.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
        *index = PolicyIndex { choice: (32 * 81 + at % 81) as u16, ..*index };
    }
    assert_burns(&learner(&named("b1c16"), 8), &batch);
}

/// A smooth function of the predictions: half the sum of their squares, in f64.
pub fn energy(predictions: &Predictions) -> f64 {
    let all = predictions.logits.iter().chain(&predictions.wdl).chain(&predictions.moves_left);
    all.map(|&x| f64::from(x).powi(2) / 2.0).sum()
}

#[test]
fn the_loss_falls() {
    let mut backend = burn(&LearnerState::new(&Weights::initial(&named("b2c16"), 1)), Multiply::Matrices);
    let mut step = |step: u64| backend.step(&batch(12, 100 + step % 5), 0.002).unwrap().loss.sum();
    let losses: Vec<f32> = (0..30).map(&mut step).collect();
    assert!(losses[29] < 0.97 * losses[0], "{losses:?}");
    assert_eq!(backend.state().unwrap().steps, 30);
}

#[test]
fn burns_backend_goes_on_from_its_state_with_the_same_bits() {
    let mut whole = burn(&learner(&named("b1c16"), 31), Multiply::Matrices);
    let steps = |backend: &mut BurnBackend, seeds: std::ops::Range<u64>| {
        for seed in seeds {
            backend.step(&batch(5, seed), 0.01).unwrap();
        }
    };
    steps(&mut whole, 0..2);
    let mut again = burn(&whole.state().unwrap(), Multiply::Matrices);
    steps(&mut whole, 2..4);
    steps(&mut again, 2..4);
    assert!(whole.state().unwrap() == again.state().unwrap());
}
