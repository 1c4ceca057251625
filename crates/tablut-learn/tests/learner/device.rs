//! Evaluations and steps on devices: burn's operations on the cores, and with the feature `gpu` the first GPU of this
//! machine. Any Vulkan driver can be used, also one that computes on the CPU (on Debian, mesa-vulkan-drivers). Without a
//! driver only the cores are tested.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_kernels::Kernels;
use tablut_learn::{
    ComputeDevice, CpuBackend, DeviceError, GradientBackend, LearnerState, OptimizerConfig, ParamState, StepError,
};
use tablut_net::layers::Values;
use tablut_net::lines::LineLearner;
use tablut_net::{DeviceChoice, Inference, InputBatch, MOVES_LEFT_UNIT, NetError, OutputBatch, Weights};
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

/// The reference on the cores, and the GPU if there is one.
fn devices() -> Vec<ComputeDevice> {
    let mut devices = vec![ComputeDevice::reference()];
    match ComputeDevice::open(DeviceChoice::Gpu(0)) {
        Ok(device) => devices.push(device),
        Err(error @ (DeviceError::Missing { .. } | DeviceError::NotBuilt(_))) => eprintln!("without a GPU: {error}"),
        Err(error) => panic!("{error}"),
    }
    devices
}

/// Positions of short games under a rule set with chosen captures and one without.
fn batch(n: usize) -> TrainingBatch {
    let rules = ["kvasir", "imperial"].map(|name| Arc::new(Rules::named(name).unwrap()));
    let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 2);
    let game = |index: usize| {
        let rng = game_rng(3, 0, index as u64);
        SelfPlayGame::new(index as u64, &rules[index % 2], &config, &search, simulations, rng)
    };
    let games = run_tasks(
        6,
        Concurrency { workers: 1, tasks_per_worker: 6 },
        game,
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    );
    let mut window = ReplayWindow::new(rules.to_vec(), usize::MAX);
    window.push(&games.unwrap()).unwrap();
    window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
}

/// A learner after a few steps on the cores, so that no tensor is near its small initial values.
fn trained(name: &str, batch: &TrainingBatch) -> LearnerState {
    let state = LearnerState::new(&Weights::initial(&name.parse().unwrap(), 2));
    let mut backend = CpuBackend::new(state, OptimizerConfig::default()).unwrap();
    for _ in 0..4 {
        backend.step(batch, 0.003).unwrap();
    }
    LearnerState::new(&backend.state().unwrap().weights())
}

fn outputs(net: &mut dyn Inference, input: &InputBatch) -> Result<OutputBatch, NetError> {
    let mut output = OutputBatch::default();
    net.infer(input, &mut output).map(|()| output)
}

fn inference(device: &ComputeDevice, weights: &Weights) -> Box<dyn Inference> {
    device.net_device().unwrap().open(weights).unwrap()
}

/// The largest difference, relative to the largest of the expected values.
fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest =
        |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, |largest: f32, value| largest.max(value.abs()));
    largest(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / largest(&mut expected.iter().copied())
}

#[test]
fn evaluations_are_those_of_the_learner_on_the_cores() {
    let batch = batch(21);
    let state = trained("lines32x2", &batch);
    let mut learner = LineLearner::new(state.architecture, Kernels::from_env().unwrap());
    learner.set_weights(&Values::new(state.params.iter().map(|param| param.weights.as_slice())));
    let expected = learner.forward(&batch.input);
    for device in devices() {
        let found = outputs(&mut *inference(&device, &state.weights()), &batch.input).unwrap();
        let chances: Vec<f32> = expected.wdl.as_chunks::<3>().0.iter().flat_map(softmax).collect();
        let plies: Vec<f32> = expected.moves_left.iter().map(|units| units * MOVES_LEFT_UNIT).collect();
        let differences = [
            difference(&found.logits, &expected.logits),
            difference(found.wdl.as_flattened(), &chances),
            difference(&found.moves_left, &plies),
        ];
        assert!(differences.iter().all(|&difference| difference < 1e-4), "{}: {differences:?}", device.name());
    }
}

fn softmax(logits: &[f32; 3]) -> [f32; 3] {
    let powers = logits.map(f32::exp);
    powers.map(|power| power / powers.iter().sum::<f32>())
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let device = ComputeDevice::reference();
    let mut net = inference(&device, &Weights::initial(&"lines32x1".parse().unwrap(), 1));
    let mut input = batch(3).input;
    assert_eq!(outputs(&mut *net, &input).unwrap().wdl.len(), 3);
    input.moves[0].entry = u16::MAX - 1;
    assert!(outputs(&mut *net, &input).unwrap_err().to_string().contains("policy index"));
    assert_eq!(outputs(&mut *net, &InputBatch::default()).unwrap(), OutputBatch::default());
}

/// The norm of the difference, relative to the norm of the expected values.
fn relative(found: &[f32], expected: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / norm(&mut expected.iter().copied())
}

#[test]
fn gradients_are_those_of_the_cores() {
    // Without clipping, the first moment after one step from zero is the gradient for Muon, and a tenth of it for
    // AdamW.
    let optimizer = OptimizerConfig { max_gradient_norm: 1e9, ..OptimizerConfig::default() };
    let batch = batch(16);
    let state = trained("lines32x1", &batch);
    let (expected_loss, gradients) = CpuBackend::new(state.clone(), optimizer).unwrap().gradients(&batch);
    for device in devices() {
        let mut learner = device.learner(state.clone(), optimizer).unwrap();
        let found = learner.step(&batch, 0.001).unwrap();
        let apart = (found.loss.sum() - expected_loss.sum()).abs();
        assert!(apart < 1e-4 * expected_loss.sum(), "{}: {found:?}, {expected_loss:?}", device.name());
        let params = learner.state().unwrap().params;
        let difference = |(param, gradient): (&ParamState, &Vec<f32>)| {
            let share = if param.square.iter().all(|&v| v == 0.0) { 1.0 } else { 0.1 };
            relative(&param.momentum, &gradient.iter().map(|g| share * g).collect::<Vec<_>>())
        };
        let differences = params.iter().zip(&gradients).map(difference);
        let largest = differences.fold(0.0, f64::max);
        assert!(largest < 1e-4, "{}: off by {largest} of a norm", device.name());
    }
}

#[test]
fn steps_on_a_device_learn_a_batch_by_heart() {
    let batch = batch(16);
    for device in devices() {
        let state = LearnerState::new(&Weights::initial(&"lines32x1".parse().unwrap(), 1));
        let mut learner = device.learner(state, OptimizerConfig::default()).unwrap();
        let losses: Vec<f32> = (0..12).map(|_| learner.step(&batch, 0.003).unwrap().loss.sum()).collect();
        assert!(losses[11] < 0.9 * losses[0], "{}: {losses:?}", device.name());
    }
}

#[test]
fn a_step_that_diverges_is_no_failure_of_the_device() {
    let state = LearnerState::new(&Weights::initial(&"lines32x1".parse().unwrap(), 5));
    let mut learner = ComputeDevice::reference().learner(state.clone(), OptimizerConfig::default()).unwrap();
    let mut bad = batch(8);
    bad.moves_left[0] = f32::INFINITY;
    assert!(matches!(learner.step(&bad, 0.01), Err(StepError::Diverged { step: 1, .. })));
    assert!(learner.state().unwrap() == state);
    learner.step(&batch(8), 0.01).unwrap();
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let error = ComputeDevice::open(DeviceChoice::Gpu(60_000)).err().expect("no machine has 60,000 GPUs").to_string();
    let expected = if cfg!(feature = "gpu") { "Vulkan" } else { "--features gpu" };
    assert!(error.contains("gpu:60000") && error.contains(expected), "{error}");
}
