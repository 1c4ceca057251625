//! Compares the first GPU of this machine with the CPU: evaluations with the engine, gradients and steps with burn's
//! operations on the cores. Any Vulkan driver can be
//! used, also one that computes on the CPU (on Debian, mesa-vulkan-drivers). Without a driver the tests are skipped.
#![cfg(feature = "gpu")]

use std::sync::Arc;

use burn::tensor::Device;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{
    BurnBackend, ComputeDevice, DeviceError, GradientBackend, LearnerState, Multiply, OptimizerConfig, ParamState,
};
use tablut_net::{DeviceChoice, Engine, Inference, InputBatch, OutputBatch, Weights};
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

/// The device with 32-bit activations, or with its default ones. `None` on a machine without a Vulkan driver.
fn device(is_exact: bool) -> Option<ComputeDevice> {
    match ComputeDevice::open_as(DeviceChoice::Gpu(0), !is_exact) {
        Ok(device) => Some(device),
        Err(error @ DeviceError::Missing { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Positions of short games under every rule set.
fn batch(n: usize) -> TrainingBatch {
    let rules: Vec<_> = tablut_rules::RULE_SET_NAMES.iter().map(|name| Arc::new(Rules::named(name).unwrap())).collect();
    let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 2);
    let games = run_tasks(
        rules.len(),
        Concurrency { workers: 2, tasks_per_worker: 8 },
        |index| {
            SelfPlayGame::new(index as u64, &rules[index], &config, &search, simulations, game_rng(3, 0, index as u64))
        },
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    );
    let mut window = ReplayWindow::new(rules, usize::MAX);
    window.push(&games.unwrap()).unwrap();
    window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
}

/// burn's operations on the cores.
fn on_cores(state: &LearnerState, optimizer: OptimizerConfig) -> BurnBackend {
    BurnBackend::new(Device::flex(), Multiply::Matrices, state, optimizer)
}

/// A learner after a few steps on the cores, so that no tensor is near its small initial values.
fn trained(name: &str, batch: &TrainingBatch) -> LearnerState {
    let state = LearnerState::new(&Weights::initial(&name.parse().unwrap(), 2));
    let mut backend = on_cores(&state, OptimizerConfig::default());
    for _ in 0..4 {
        backend.step(batch, 0.003).unwrap();
    }
    backend.state().unwrap()
}

fn outputs(net: &mut dyn Inference, input: &InputBatch) -> OutputBatch {
    let mut output = OutputBatch::default();
    net.infer(input, &mut output).unwrap();
    output
}

/// The largest difference, relative to the largest of the expected values.
fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest =
        |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, |largest: f32, value| largest.max(value.abs()));
    largest(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / largest(&mut expected.iter().copied())
}

/// Asserts that the device's outputs differ from the engine's by at most `tolerance` of the largest value of each kind.
fn assert_evaluates(device: &ComputeDevice, tolerance: f32) {
    let batch = batch(70);
    for shape in ["b2c32", "b4c64"] {
        let weights = trained(shape, &batch).weights();
        let expected = outputs(&mut Engine::new(&weights).unwrap(), &batch.input);
        let mut net = device.processor().inference(&weights, 1).unwrap();
        let found = outputs(&mut *net, &batch.input);
        let kinds = [
            ("logits", &found.logits[..], &expected.logits[..]),
            ("outcomes", found.wdl.as_flattened(), expected.wdl.as_flattened()),
            ("moves left", &found.moves_left, &expected.moves_left),
        ];
        for (kind, found, expected) in kinds {
            let difference = difference(found, expected);
            eprintln!("{shape} on {}: {kind} differ by {difference}", device.name());
            assert!(difference <= tolerance, "{shape} on {}: {kind} differ by {difference}", device.name());
        }
    }
}

#[test]
fn evaluations_are_the_engines() {
    if let Some(device) = device(true) {
        assert_evaluates(&device, 1e-4);
    }
}

#[test]
fn evaluations_in_the_devices_own_precision_are_nearly_the_engines() {
    if let Some(device) = device(false) {
        assert_evaluates(&device, 2e-2);
    }
}

#[test]
fn threads_share_batches_and_get_their_own_rows() {
    let Some(device) = device(true) else { return };
    let (batch, processor) = (batch(24), device.processor());
    let weights = trained("b2c32", &batch).weights();
    let expected = outputs(&mut Engine::new(&weights).unwrap(), &batch.input);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut net = processor.inference(&weights, 1).unwrap();
                for _ in 0..5 {
                    assert!(difference(&outputs(&mut *net, &batch.input).logits, &expected.logits) < 1e-4);
                }
            });
        }
    });
}

/// The norm of the difference, relative to the norm of the expected values.
fn relative(found: &[f32], expected: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / norm(&mut expected.iter().copied())
}

#[test]
fn gradients_are_those_of_the_cores() {
    let Some(device) = device(true) else { return };
    // Without clipping, the first moment after one step from zero is the gradient for Muon, and a tenth of it for
    // AdamW.
    let optimizer = OptimizerConfig { max_gradient_norm: 1e9, ..OptimizerConfig::default() };
    // In a batch of a million rectified numbers one may round to the other side of zero. That moves a gradient by some
    // thousandths of its norm, and happens on Mesa's driver with the last of these batches.
    let batches = [("b1c16", 5), ("b2c32", 25), ("b3c16", 40), ("b2c32", 24)];
    let largest = batches.map(|(shape, n)| {
        let batch = batch(n);
        let state = LearnerState::new(&trained(shape, &batch).weights());
        let mut learner = device.learner(state.clone(), optimizer).unwrap();
        let found = learner.step(&batch, 0.001).unwrap();
        let (expected, gradients) = on_cores(&state, optimizer).gradients(&batch).unwrap();
        assert!((found.loss.sum() - expected.sum()).abs() < 1e-4 * expected.sum(), "{shape}: {found:?}, {expected:?}");
        let params = learner.state().unwrap().params;
        let difference = |(param, gradient): (&ParamState, &Vec<f32>)| {
            let share = if param.square.iter().all(|&v| v == 0.0) { 1.0 } else { 0.1 };
            relative(&param.momentum, &gradient.iter().map(|g| share * g).collect::<Vec<_>>())
        };
        params.iter().zip(&gradients).map(difference).fold(0.0, f64::max)
    });
    let close = largest.iter().filter(|&&difference| difference < 1e-4).count();
    assert!(close >= 3 && largest.iter().all(|&difference| difference < 1e-2), "off by {largest:?} of their norms");
}

#[test]
fn steps_on_the_device_learn_a_batch_by_heart() {
    let Some(device) = device(true) else { return };
    let batch = batch(24);
    let optimizer = OptimizerConfig::default();
    let state = LearnerState::new(&Weights::initial(&"b1c16".parse().unwrap(), 1));
    let mut learner = device.learner(state.clone(), optimizer).unwrap();
    let mut cores = on_cores(&state, optimizer);
    let steps = 30;
    let [first, last] =
        [1, steps - 1].map(|count| (0..count).map(|_| learner.step(&batch, 0.003).unwrap()).last().unwrap());
    let expected = (0..steps).map(|_| cores.step(&batch, 0.003).unwrap()).last().unwrap();
    assert!(last.loss.sum() < first.loss.sum(), "{first:?}, {last:?}");
    let apart = (last.loss.sum() - expected.loss.sum()).abs();
    assert!(apart < 2e-2 * expected.loss.sum(), "{last:?}, {expected:?}");
    assert_eq!(learner.state().unwrap().steps, steps);
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let error = ComputeDevice::open(DeviceChoice::Gpu(60_000)).err().expect("no machine has 60,000 GPUs").to_string();
    assert!(error.contains("gpu:60000") && error.contains("Vulkan"), "{error}");
}
