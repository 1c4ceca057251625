//! The optimiser learns and continues from its state with the same bits, in our own kernels and in burn's operations.

use burn::tensor::Device;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{BurnBackend, CpuBackend, GradientBackend, LearnerState, Multiply, OptimizerConfig, ParamState};
use tablut_net::Weights;
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

/// Positions of games with a uniform evaluator.
fn batch(n: usize) -> TrainingBatch {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let config = SelfPlayConfig { max_plies: 300, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 4);
    let games = run_tasks(
        6,
        Concurrency { workers: 1, tasks_per_worker: 8 },
        |index| SelfPlayGame::new(index as u64, &rules, &config, &search, simulations, game_rng(3, 0, index as u64)),
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    );
    let mut window = ReplayWindow::new(vec![rules], usize::MAX);
    window.push(&games.unwrap()).unwrap();
    window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
}

fn fresh() -> LearnerState {
    LearnerState::new(&Weights::initial(&"lines32x1".parse().unwrap(), 1))
}

fn cpu(state: LearnerState) -> CpuBackend {
    CpuBackend::new(state, OptimizerConfig::default()).unwrap()
}

#[test]
fn a_batch_is_learnt_by_heart() {
    let batch = batch(24);
    let mut backend = cpu(fresh());
    let mut step = || backend.step(&batch, 0.003).unwrap().loss;
    let first = step();
    let last = (0..100).map(|_| step()).last().unwrap();
    assert!(last.policy - last.policy_floor < 0.5 * (first.policy - first.policy_floor), "{first:?} to {last:?}");
    assert!(last.value < 0.7 * first.value, "{first:?} to {last:?}");
}

fn burn(state: &LearnerState) -> BurnBackend {
    BurnBackend::new(Device::flex(), Multiply::Matrices, state, OptimizerConfig::default())
}

type Open = fn(LearnerState) -> Box<dyn GradientBackend>;

#[test]
fn learning_goes_on_from_its_state_with_the_same_bits() {
    let batch = batch(20);
    let steps = |backend: &mut dyn GradientBackend, n: usize| {
        for _ in 0..n {
            backend.step(&batch, 0.01).unwrap();
        }
    };
    let backends: [(Box<dyn GradientBackend>, Open); 2] = [
        (Box::new(cpu(fresh())), |state| Box::new(cpu(state))),
        (Box::new(burn(&fresh())), |state| Box::new(burn(&state))),
    ];
    for (mut whole, open) in backends {
        steps(&mut *whole, 3);
        let mut again = open(whole.state().unwrap());
        steps(&mut *whole, 2);
        steps(&mut *again, 2);
        assert!(whole.state().unwrap() == again.state().unwrap());
    }
}

/// The norm of the difference, relative to the norm of `b`.
fn relative(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied()).max(1e-20)
}

#[test]
fn burns_steps_are_those_of_the_cores() {
    let batch = batch(20);
    let (mut cores, mut burn) = (cpu(fresh()), burn(&fresh()));
    let start = fresh();
    for _ in 0..3 {
        let [expected, found] = [cores.step(&batch, 0.003).unwrap(), burn.step(&batch, 0.003).unwrap()];
        let close = |found: f32, expected: f32| (found - expected).abs() < 1e-3 * expected;
        assert!(close(found.loss.sum(), expected.loss.sum()), "{found:?}, {expected:?}");
        assert!(close(found.gradient_norm, expected.gradient_norm), "{found:?}, {expected:?}");
        assert!(close(found.weight_norm, expected.weight_norm), "{found:?}, {expected:?}");
    }
    let (expected, found) = (cores.state().unwrap(), burn.state().unwrap());
    assert_eq!((found.steps, &found.architecture), (3, &expected.architecture));
    for ((found, expected), start) in found.params.iter().zip(&expected.params).zip(&start.params) {
        assert_eq!((&found.name, &found.dims), (&expected.name, &expected.dims));
        let moved = |param: &ParamState, values: fn(&ParamState) -> &Vec<f32>| -> Vec<f32> {
            values(param).iter().zip(&start.weights).map(|(value, start)| value - start).collect()
        };
        let weights: [fn(&ParamState) -> &Vec<f32>; 2] = [|param| &param.weights, |param| &param.average];
        for values in weights {
            let difference = relative(&moved(found, values), &moved(expected, values));
            assert!(difference < 0.02, "{}: {difference} of the way apart", found.name);
        }
        assert!(relative(&found.momentum, &expected.momentum) < 0.01, "{}", found.name);
        assert!(relative(&found.square, &expected.square) < 0.01, "{}", found.name);
    }
}
