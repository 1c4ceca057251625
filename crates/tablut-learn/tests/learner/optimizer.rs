//! The optimiser learns, continues from its state with the same bits, and takes the same steps in burn's operations.

use burn::tensor::Device;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{BurnBackend, CpuBackend, GradientBackend, LearnerState, Multiply, OptimizerConfig};
use tablut_net::Weights;
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

/// Positions of games with a uniform evaluator.
fn batch(n: usize) -> TrainingBatch {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
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
    LearnerState::new(&Weights::initial(&"b2c32".parse().unwrap(), 1))
}

fn cpu(state: LearnerState) -> CpuBackend {
    CpuBackend::new(state, OptimizerConfig::default()).unwrap()
}

fn burn(state: &LearnerState) -> BurnBackend {
    BurnBackend::new(Device::flex(), Multiply::Matrices, state, OptimizerConfig::default())
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

#[test]
fn learning_goes_on_from_its_state_with_the_same_bits() {
    let batch = batch(20);
    let mut whole = cpu(fresh());
    let steps = |backend: &mut CpuBackend, n: usize| {
        for _ in 0..n {
            backend.step(&batch, 0.01).unwrap();
        }
    };
    steps(&mut whole, 3);
    let mut again = cpu(whole.state().unwrap());
    steps(&mut whole, 2);
    steps(&mut again, 2);
    assert!(whole.state().unwrap() == again.state().unwrap());
}

/// The distances of a state's weights from the initial ones and from another state's.
fn distances(state: &LearnerState, other: &LearnerState) -> (f64, f64) {
    let distance = |a: &LearnerState, b: &LearnerState| {
        let weights =
            |state: &LearnerState| -> Vec<f32> { state.params.iter().flat_map(|p| p.weights.clone()).collect() };
        weights(a).iter().zip(weights(b)).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
    };
    (distance(state, &fresh()), distance(state, other))
}

#[test]
fn steps_in_burns_operations_are_those_of_the_cores() {
    let batch = batch(24);
    let mut cores = cpu(fresh());
    let mut burns = burn(&fresh());
    for _ in 0..3 {
        cores.step(&batch, 0.003).unwrap();
        burns.step(&batch, 0.003).unwrap();
    }
    let (far, apart) = distances(&cores.state().unwrap(), &burns.state().unwrap());
    assert!(far > 0.1 && apart < 0.01 * far, "{far} from the start, {apart} apart");
    // Both backends can continue from a state.
    let mut on = burn(&cores.state().unwrap());
    on.step(&batch, 0.003).unwrap();
    cores.step(&batch, 0.003).unwrap();
    let (far, apart) = distances(&cores.state().unwrap(), &on.state().unwrap());
    assert!(apart < 0.01 * far, "{far} from the start, {apart} apart");
}
