//! The optimiser learns, and continues from its state with the same bits.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{CpuBackend, GradientBackend, LearnerState, OptimizerConfig};
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
