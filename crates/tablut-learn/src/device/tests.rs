//! Tests of a device's server, guard and learner on burn's CPU operations, which every machine has.

use std::collections::BTreeMap;
use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Counters, LocalGames, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_kernels::Kernels;
use tablut_net::{Engine, Inference, InputBatch, NetError, OutputBatch, Weights};
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

use super::*;
use crate::burn_backend::BurnBackend;
use crate::config::TrainConfig;
use crate::optimizer::{self, StepConstants, global_norm};
use crate::run::Run;
use crate::train::train;
use crate::train_error::TrainError;

fn faulty(fault: &str) -> ComputeDevice {
    ComputeDevice::faulty_reference(Fault::parse(fault).unwrap()).unwrap()
}

/// Positions of short games under a rule set with chosen captures and one without.
fn batch(n: usize) -> TrainingBatch {
    let rules = ["kvasir", "imperial"].map(|name| Arc::new(Rules::named(name).unwrap()));
    let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 2);
    let games = run_tasks(
        6,
        Concurrency { workers: 1, tasks_per_worker: 6 },
        |index| {
            SelfPlayGame::new(
                index as u64,
                &rules[index % 2],
                &config,
                &search,
                simulations,
                game_rng(3, 0, index as u64),
            )
        },
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    );
    let mut window = ReplayWindow::new(rules.to_vec(), usize::MAX);
    window.push(&games.unwrap()).unwrap();
    window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
}

fn weights(seed: u64) -> Weights {
    Weights::initial(&"b2c16".parse().unwrap(), seed)
}

/// Asserts that two nets' outputs differ by less than a ten-thousandth of the largest.
fn assert_close(found: &OutputBatch, expected: &OutputBatch) {
    let arrays =
        |output: &OutputBatch| [output.logits.clone(), output.wdl.as_flattened().to_vec(), output.moves_left.clone()];
    for (found, expected) in arrays(found).iter().zip(&arrays(expected)) {
        assert_eq!(found.len(), expected.len());
        let largest = expected.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-4 * largest, "{found} and {expected}");
        }
    }
}

/// The first rows of a batch.
fn first(batch: &InputBatch, n: usize) -> InputBatch {
    let moves = batch.move_range(n - 1).end;
    InputBatch {
        n,
        planes: batch.planes[..n * tablut_net::PLANES].to_vec(),
        features: batch.features[..n * tablut_net::FEATURES].to_vec(),
        moves: batch.moves[..moves].to_vec(),
        move_ends: batch.move_ends[..n].to_vec(),
    }
}

fn outputs(net: &mut dyn Inference, input: &InputBatch) -> Result<OutputBatch, NetError> {
    let mut output = OutputBatch::default();
    net.infer(input, &mut output).map(|()| output)
}

#[test]
fn many_threads_get_what_the_engine_says_of_their_own_positions() {
    let processor = ComputeDevice::reference().unwrap().processor();
    let (nets, whole) = ([weights(1), weights(2)], batch(40).input);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (processor, weights, whole) = (&processor, &nets[thread % 2], &whole);
            scope.spawn(move || {
                let mut net = processor.inference(weights, 1).unwrap();
                let mut engine = Engine::new(weights).unwrap();
                for round in 0..4 {
                    let input = first(whole, 1 + 5 * thread + round);
                    let expected = outputs(&mut engine, &input).unwrap();
                    assert_close(&outputs(&mut *net, &input).unwrap(), &expected);
                }
            });
        }
    });
}

#[test]
fn equal_weights_are_on_the_device_once_and_only_while_they_are_used() {
    let device = ComputeDevice::reference().unwrap();
    let on = device.on.as_ref().unwrap();
    let first = [on.open(&weights(1)).unwrap(), on.open(&weights(1)).unwrap()];
    assert_eq!(on.link.store.in_use(), 1);
    drop(first);
    let second = on.open(&weights(2)).unwrap();
    assert_eq!(on.link.store.in_use(), 1);
    drop(second);
    assert_eq!(on.link.store.in_use(), 0);
}

#[test]
fn inputs_that_do_not_fit_are_refused_and_harm_nobody() {
    let processor = ComputeDevice::reference().unwrap().processor();
    let mut net = processor.inference(&weights(1), 1).unwrap();
    let mut input = batch(3).input;
    input.moves[0].entry = u16::MAX - 1;
    assert!(outputs(&mut *net, &input).unwrap_err().to_string().contains("policy index"));
    assert_eq!(outputs(&mut *net, &InputBatch::default()).unwrap(), OutputBatch::default());
    assert!(outputs(&mut *net, &batch(3).input).is_ok());
}

#[test]
fn a_device_that_fails_fails_for_all_with_its_name() {
    let device = faulty("evaluate:2");
    let processor = device.processor();
    let input = batch(4).input;
    let mut nets = [processor.inference(&weights(1), 1).unwrap(), processor.inference(&weights(2), 1).unwrap()];
    assert!(outputs(&mut *nets[0], &input).is_ok());
    for net in &mut nets {
        let error = outputs(&mut **net, &input).unwrap_err().to_string();
        assert!(error.contains("burn on the cores") && error.contains("--device cpu"), "{error}");
    }
    assert!(processor.inference(&weights(3), 1).is_err());
    let learner = LearnerState::new(&weights(1));
    let learner = device.learner(learner, OptimizerConfig::default());
    assert!(matches!(learner, Err(StepError::Device(_))));
}

#[test]
fn a_learner_on_a_device_takes_the_steps_of_the_cores_optimiser() {
    let (mut state, batch) = (LearnerState::new(&weights(5)), batch(32));
    let optimizer = OptimizerConfig::default();
    let mut learner = ComputeDevice::reference().unwrap().learner(state.clone(), optimizer).unwrap();
    let start = state.weights();
    for step in 1..=3 {
        let backend = BurnBackend::new(Device::flex(), Multiply::Matrices, &state, optimizer);
        let (loss, gradients) = backend.gradients(&batch).unwrap();
        let norm = global_norm(gradients.iter().map(Vec::as_slice));
        let constants = StepConstants::new(&optimizer, step, 0.003);
        optimizer::step(&mut state.params, &gradients, norm, &constants, Kernels::from_env().unwrap());
        state.steps = step;
        let found = learner.step(&batch, 0.003).unwrap();
        let close = |found: f32, expected: f32, within: f32| (found - expected).abs() < within * expected;
        assert!(close(found.loss.sum(), loss.sum(), 1e-4), "{found:?}, {loss:?}");
        assert!(close(found.gradient_norm, norm, 1e-3), "{found:?}, {norm}");
    }
    let found = learner.state().unwrap();
    assert_eq!(found.steps, 3);
    let distance = |a: &Weights, b: &Weights| {
        let pairs = a.iter().zip(b.iter()).flat_map(|((_, a), (_, b))| a.iter().zip(b.iter()));
        pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
    };
    for (found, expected) in [(found.weights(), state.weights()), (found.averaged_weights(), state.averaged_weights())]
    {
        let (far, apart) = (distance(&expected, &start), distance(&found, &expected));
        assert!(far > 0.1 && apart < 0.01 * far, "{far} from the start, {apart} apart");
    }
}

#[test]
fn a_residual_net_does_not_learn_on_the_cores() {
    let cores = ComputeDevice::default();
    let error = cores.learner(LearnerState::new(&weights(1)), OptimizerConfig::default()).err().unwrap().to_string();
    assert!(error.contains("b2c16") && error.contains("gpu:0") && error.contains("lines32x2"), "{error}");
    assert_eq!(cores.check_learns(&"b2c16".parse().unwrap()).unwrap_err().to_string(), error);
    assert!(cores.check_learns(&"lines32x1".parse().unwrap()).is_ok());
    assert!(ComputeDevice::reference().unwrap().check_learns(&"b2c16".parse().unwrap()).is_ok());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let refused = Run::open(&path, config()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("b1c16") && !path.exists(), "{refused}");
}

#[test]
fn a_step_that_diverges_is_no_failure_of_the_device() {
    let device = ComputeDevice::reference().unwrap();
    let state = LearnerState::new(&weights(5));
    let mut learner = device.learner(state, OptimizerConfig::default()).unwrap();
    let mut bad = batch(8);
    bad.moves_left[0] = f32::INFINITY;
    assert!(matches!(learner.step(&bad, 0.01), Err(StepError::Diverged { step: 1, .. })));
    assert_eq!(learner.step(&batch(8), 0.01).map(|_| ()).map_err(|error| error.to_string()), Ok(()));
}

fn config() -> TrainConfig {
    let text = "rules = [\"kvasir\"]\nshape = \"b1c16\"\n[schedule]\ngenerations = 2\ngames = 8\nsimulations = [[0, 4]]\n\
                [selfplay]\nmax_plies = 30\n[learning]\nbatch_size = 32\ndraws_per_position = 1.0\n";
    TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap()
}

/// Trains the run in `folder` to its end on `device`.
fn run(folder: &Path, device: ComputeDevice) -> Result<Run, TrainError> {
    let mut run = Run::open_on(device, folder, config(), &BTreeMap::new())?;
    let processor = run.device.processor();
    let make = |weights: &Weights| processor.make(weights);
    let mut games = LocalGames::new(&make, Concurrency { workers: 2, tasks_per_worker: 4 });
    train(&mut run, &mut games, &Counters::default(), &CancelToken::new(), None, &|_| {})?;
    Ok(run)
}

#[test]
fn a_run_whose_device_fails_goes_on_as_if_it_had_not() {
    let whole = tempfile::tempdir().unwrap();
    let whole = run(whole.path(), ComputeDevice::reference().unwrap()).unwrap();
    for fault in ["evaluate:40", "learn:9"] {
        let folder = tempfile::tempdir().unwrap();
        let error = run(folder.path(), faulty(fault)).err().expect("the device fails").to_string();
        assert!(error.contains("burn on the cores") && error.contains("TABLUT_DEVICE_FAULT"), "{fault}: {error}");
        let run = run(folder.path(), ComputeDevice::reference().unwrap()).unwrap();
        assert_eq!(run.metrics.len(), 2, "{fault}");
        assert!(run.changed.is_empty(), "{fault}: {:?}", run.changed);
        for metrics in &run.metrics {
            assert!(metrics.device.as_deref().is_some_and(|name| name.contains("burn on the cores")), "{fault}");
        }
        let games = |run: &Run| run.metrics.iter().map(|metrics| metrics.selfplay.games).collect::<Vec<_>>();
        assert_eq!(games(&run), games(&whole), "{fault}");
    }
}

#[test]
fn the_cores_are_the_default_and_a_gpu_needs_its_feature() {
    let cores = ComputeDevice::open(DeviceChoice::Cpu).unwrap();
    assert!(cores.is_cpu() && cores.name() == "cpu");
    let machine = MachineConfig::default();
    assert_eq!(cores.concurrency(&machine), machine.concurrency());
    let device = ComputeDevice::reference().unwrap();
    assert_eq!(device.concurrency(&machine).workers, 2 * machine.concurrency().workers);
    assert_eq!(device.concurrency(&MachineConfig { workers: 3, ..machine }).workers, 3);
    #[cfg(not(feature = "gpu"))]
    {
        let error = ComputeDevice::open(DeviceChoice::Gpu(0)).err().unwrap().to_string();
        assert!(error.contains("gpu:0") && error.contains("--features gpu"), "{error}");
        assert!(ComputeDevice::open(DeviceChoice::Auto).unwrap().is_cpu());
    }
}
