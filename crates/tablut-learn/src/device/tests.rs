//! Tests of a device's server, guard and learner on burn's CPU operations, which every machine has.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Counters, LocalGames, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_net::{Engine, Inference, InputBatch, NetError, OutputBatch, Precision, Weights};
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

use super::*;
use crate::config::TrainConfig;
use crate::cpu_backend::CpuBackend;
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
    let learner = device.learner(Precision::F32, learner, OptimizerConfig::default());
    assert!(matches!(learner, Err(StepError::Device(_))));
}

#[test]
fn a_learner_on_a_device_takes_the_steps_of_the_cores() {
    let (state, batch) = (LearnerState::new(&weights(5)), batch(32));
    let optimizer = OptimizerConfig::default();
    let device = ComputeDevice::reference().unwrap();
    let mut learner = device.learner(Precision::F32, state.clone(), optimizer).unwrap();
    let mut cores = CpuBackend::new(state, optimizer).unwrap();
    for _ in 0..3 {
        let [found, expected] = [learner.step(&batch, 0.003).unwrap(), cores.step(&batch, 0.003).unwrap()];
        let close = |found: f32, expected: f32, within: f32| (found - expected).abs() < within * expected;
        assert!(close(found.loss.sum(), expected.loss.sum(), 1e-4), "{found:?}, {expected:?}");
        assert!(close(found.gradient_norm, expected.gradient_norm, 1e-3), "{found:?}, {expected:?}");
    }
    assert_eq!(learner.state().unwrap().steps, 3);
}

#[test]
fn a_step_that_diverges_is_no_failure_of_the_device() {
    let device = ComputeDevice::reference().unwrap();
    let state = LearnerState::new(&weights(5));
    let mut learner = device.learner(Precision::F32, state, OptimizerConfig::default()).unwrap();
    let mut bad = batch(8);
    bad.moves_left[0] = f32::INFINITY;
    assert!(matches!(learner.step(&bad, 0.01), Err(StepError::Diverged { step: 1, .. })));
    assert_eq!(learner.step(&batch(8), 0.01).map(|_| ()).map_err(|error| error.to_string()), Ok(()));
}

/// Trains the run in `folder` to its end, on `device` if there is one.
fn run(folder: &Path, device: Option<ComputeDevice>) -> Result<Run, TrainError> {
    let text = "rules = [\"kvasir\"]\nshape = \"b1c16\"\n[schedule]\ngenerations = 2\ngames = 8\nsimulations = [[0, 4]]\n\
                [selfplay]\nmax_plies = 30\n[learning]\nbatch_size = 32\ndraws_per_position = 1.0\n";
    let mut run = Run::open(folder, TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap())?;
    run.device = device.unwrap_or_default();
    let processor = run.device.processor();
    let make = |weights: &Weights| processor.make(weights);
    let mut games = LocalGames::new(&make, Concurrency { workers: 2, tasks_per_worker: 4 });
    train(&mut run, &mut games, &Counters::default(), &CancelToken::new(), None, &|_| {})?;
    Ok(run)
}

#[test]
fn a_run_whose_device_fails_goes_on_on_the_cores_and_says_so() {
    for fault in ["evaluate:40", "learn:9"] {
        let folder = tempfile::tempdir().unwrap();
        let error = run(folder.path(), Some(faulty(fault))).err().expect("the device fails").to_string();
        assert!(error.contains("burn on the cores") && error.contains("TABLUT_DEVICE_FAULT"), "{fault}: {error}");
        let run = run(folder.path(), None).unwrap();
        assert_eq!(run.metrics.len(), 2, "{fault}");
        let changes: Vec<_> = run.changed.iter().map(|change| (change.key.as_str(), change.after.as_str())).collect();
        match run.metrics[0].device.as_deref() {
            Some(name) => {
                assert!(name.contains("burn on the cores") && changes == [("the device", "cpu")], "{changes:?}");
            }
            None => assert!(changes.is_empty(), "{changes:?}"),
        }
        assert_eq!(run.metrics[1].device, None);
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
