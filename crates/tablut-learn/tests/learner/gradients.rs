//! Compares the kernels' net with burn's own operations and with finite differences, and checks that its bits are
//! fixed.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::ThreadPoolBuilder;
use tablut_games::LossParts;
use tablut_games::TrainingBatch;
use tablut_kernels::{Bf16Kernels, Kernels, Simd};
use tablut_learn::{
    BurnBackend, CpuBackend, GradientBackend, KernelNet, LearnerState, Multiply, OptimizerConfig, loss,
};
use tablut_net::layers::Values;
use tablut_net::layers::adjoint::Predictions;
use tablut_net::{
    Architecture, BlockKind, PolicyIndex, PolicyWidths, Residual, ValueWidths, View, Weights, encode_symmetric,
};
use tablut_rules::{Game, MoveList, Rules, Symmetry};

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
        let view = View { occurrences: 0, ..game.situation(&moves) };
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

fn cpu(learner: &LearnerState) -> CpuBackend {
    CpuBackend::new(learner.clone(), OptimizerConfig::default()).unwrap()
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

/// Asserts that loss and gradients equal burn's, with convolutions and with matrix products.
fn assert_burns(learner: &LearnerState, batch: &TrainingBatch) {
    let what = format!("{} with {} rows", learner.architecture, batch.input.n);
    let (parts, gradients) = cpu(learner).gradients(batch);
    let (burns, expected) = burns_gradients(learner, batch);
    assert!((parts.policy - burns.policy).abs() < 1e-5 * burns.policy, "{what}: {parts:?} and {burns:?}");
    assert!((parts.value - burns.value).abs() < 1e-5 * burns.value, "{what}: {parts:?} and {burns:?}");
    assert_eq!((gradients.len(), expected.len()), (learner.params.len(), learner.params.len()));
    for ((param, found), expected) in learner.params.iter().zip(&gradients).zip(&expected) {
        let difference = relative(found, expected);
        assert!(difference < 1e-5, "{what}, {}: off by {difference} of its norm", param.name);
    }
    for multiply in [Multiply::Matrices, Multiply::Convolutions] {
        let (parts, products) = burn(learner, multiply).gradients(batch).unwrap();
        assert!((parts.policy - burns.policy).abs() < 1e-5 * burns.policy, "{what}: {parts:?} and {burns:?}");
        for ((param, found), expected) in learner.params.iter().zip(&products).zip(&expected) {
            let difference = relative(found, expected);
            assert!(difference < 1e-5, "{what}, {} by {multiply:?}: off by {difference} of its norm", param.name);
        }
    }
}

#[test]
fn every_gradient_is_burns() {
    // Numbers of rows that fill shards and groups exactly, almost, or partly.
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
fn gradients_are_the_slopes_of_finite_differences() {
    let batch = batch(3, 11);
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let residual = Residual::standard(2, 16).unwrap();
        let mut learner = learner(&residual.clone().into(), 12);
        let mut net = KernelNet::new(&residual, Kernels::new(simd).unwrap(), None);
        let mut forward = |learner: &LearnerState| {
            net.set_weights(&Values::new(learner.params.iter().map(|param| param.weights.as_slice())));
            let predictions = net.forward(&batch.input);
            (energy(&predictions), net.backward(&batch.input, &predictions))
        };
        let (_, gradients) = forward(&learner);
        for (index, gradient) in gradients.iter().enumerate() {
            let name = learner.params[index].name.clone();
            // Along the gradient the slope is the gradient's own norm, which is far larger than the rounding of f32.
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
            let slope = (moved(2e-3) - moved(-2e-3)) / 4e-3;
            assert!((slope - norm).abs() < 0.01 * norm, "{simd}, {name}: slope {slope}, gradient {norm}");
        }
    }
}

#[test]
fn gradients_in_bf16_are_near_those_in_f32_with_and_without_registers() {
    let registers = Bf16Kernels::request();
    if registers.is_none() {
        eprintln!("skipped for the matrix registers: this machine has no AMX");
    }
    // The rows fill a shard only partly. There are plain and pooled blocks, and more channels than one tile has.
    for (name, n) in [("b2c32", 19), ("b2c64", 3)] {
        let Architecture::Residual(residual) = named(name) else { panic!("a residual net") };
        let (learner, batch) = (learner(&named(name), 21), batch(n, 22));
        let kernels = Kernels::from_env().unwrap();
        let of = |mut net: KernelNet| {
            net.set_weights(&Values::new(learner.params.iter().map(|param| param.weights.as_slice())));
            let predictions = net.forward(&batch.input);
            let gradients = net.backward(&batch.input, &predictions);
            (predictions, gradients)
        };
        let (expected, slopes) = of(KernelNet::new(&residual, kernels, None));
        for bf16 in [Some(Bf16Kernels::without_registers()), registers].into_iter().flatten() {
            let (found, gradients) = of(KernelNet::new(&residual, kernels, Some(bf16)));
            assert!(relative(&found.logits, &expected.logits) < 0.02, "{bf16:?}, {name}: logits");
            assert_ne!(found.logits, expected.logits, "{bf16:?}, {name}: nothing was rounded");
            for ((param, found), expected) in learner.params.iter().zip(&gradients).zip(&slopes) {
                let difference = relative(found, expected);
                assert!(difference < 0.03, "{bf16:?}, {name}, {}: off by {difference} of its norm", param.name);
            }
        }
    }
}

#[test]
fn the_loss_falls_as_with_burns_own_operations() {
    let start = LearnerState::new(&Weights::initial(&named("b2c16"), 1));
    let run = |backend: &mut dyn GradientBackend| -> Vec<(f32, [f32; 2])> {
        let step = |step: u64| {
            let report = backend.step(&batch(12, 100 + step % 5), 0.002).unwrap();
            (report.loss.sum(), [report.gradient_norm, report.weight_norm])
        };
        (0..30).map(step).collect()
    };
    let (mut ours, mut burns) = (cpu(&start), burn(&start, Multiply::Matrices));
    let (losses, expected) = (run(&mut ours), run(&mut burns));
    assert!(losses[29].0 < 0.97 * losses[0].0, "{losses:?}");
    for (step, ((a, norms), (b, expected))) in losses.iter().zip(&expected).enumerate() {
        assert!((a - b).abs() < 1e-3 * b, "step {step}: {a} and {b}");
        assert!(relative(norms, expected) < 0.02, "step {step}: {norms:?} and {expected:?}");
    }
    let (ours, burns) = (ours.state().unwrap(), burns.state().unwrap());
    assert_eq!((ours.steps, burns.steps), (30, 30));
    for (a, b) in ours.params.iter().zip(&burns.params).filter(|(param, _)| param.decays()) {
        assert!(relative(&a.weights, &b.weights) < 0.02, "{}", a.name);
        assert!(relative(&a.average, &b.average) < 0.02, "{}", a.name);
    }
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

#[test]
fn one_step_of_burns_backend_is_the_cpus() {
    let start = learner(&named("b2c16"), 41);
    let (mut ours, mut burns) = (cpu(&start), burn(&start, Multiply::Matrices));
    let batch = batch(9, 42);
    let (a, b): (LossParts, LossParts) =
        (ours.step(&batch, 0.01).unwrap().loss, burns.step(&batch, 0.01).unwrap().loss);
    assert!((a.sum() - b.sum()).abs() < 1e-5 * a.sum());
    let (ours, burns) = (ours.state().unwrap(), burns.state().unwrap());
    for (a, b) in ours.params.iter().zip(&burns.params) {
        assert!(relative(&a.momentum, &b.momentum) < 1e-4, "{}", a.name);
        // Tensors that Muon updates have no second moment.
        assert!(a.square == b.square || relative(&a.square, &b.square) < 1e-4, "{}", a.name);
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let batch = batch(50, 21);
    let run = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut backend = cpu(&learner(&named("b2c32"), 22));
            for _ in 0..4 {
                backend.step(&batch, 0.002).unwrap();
            }
            backend.state().unwrap()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}
