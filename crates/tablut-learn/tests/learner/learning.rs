//! The learner learns, and steps always have the same bits.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{CpuBackend, GradientBackend, LearnerState, OptimizerConfig};
use tablut_net::{Engine, Inference, OutputBatch, Weights};
use tablut_rules::{RULE_SET_NAMES, Rules};
use tablut_search::{SelfPlaySearch, UniformEvaluator};

/// Positions from self-play with a uniform evaluator under every rule set, in one batch.
fn batch(n: usize, seed: u64) -> TrainingBatch {
    let rules: Vec<Arc<Rules>> = RULE_SET_NAMES.iter().map(|name| Arc::new(Rules::load(name).unwrap())).collect();
    let config = SelfPlayConfig { max_plies: 300, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 4);
    let games = run_tasks(
        2 * rules.len(),
        Concurrency { workers: 2, tasks_per_worker: 16 },
        |index| {
            SelfPlayGame::new(
                index as u64,
                &rules[index % rules.len()],
                &config,
                &search,
                simulations,
                game_rng(seed, 0, index as u64),
            )
        },
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    );
    let mut window = ReplayWindow::new(rules, usize::MAX);
    window.push(&games.unwrap()).unwrap();
    window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// An untrained learner.
fn fresh(name: &str, seed: u64) -> CpuBackend {
    let state = LearnerState::new(&Weights::initial(&name.parse().unwrap(), seed));
    CpuBackend::new(state, OptimizerConfig::default()).unwrap()
}

/// A learner after a few steps.
fn trained(name: &str, batch: &TrainingBatch) -> LearnerState {
    let mut backend = fresh(name, 2);
    for _ in 0..3 {
        backend.step(batch, 0.003).unwrap();
    }
    backend.state().unwrap()
}

#[test]
fn one_batch_is_learnt_by_heart() {
    let batch = batch(24, 1);
    let mut backend = fresh("lines32x1", 1);
    let mut step = || backend.step(&batch, 0.003).unwrap().loss;
    let first = step();
    let last = (0..150).map(|_| step()).last().unwrap();
    assert!(first.policy - first.policy_floor > 0.05, "{first:?}");
    assert!(last.policy - last.policy_floor < 0.3 * (first.policy - first.policy_floor), "{first:?} to {last:?}");
    assert!(last.value < 0.7 * first.value, "{first:?} to {last:?}");
}

#[test]
fn an_untrained_net_favours_nobody_and_expects_few_draws() {
    let mut output = OutputBatch::default();
    let weights = Weights::initial(&"lines32x2".parse().unwrap(), 1);
    Engine::new(&weights).unwrap().infer(&batch(16, 2).input, &mut output).unwrap();
    for [attackers, draw, defenders] in &output.wdl {
        assert!((attackers - defenders).abs() < 0.2 && (0.02..0.1).contains(draw), "{:?}", output.wdl);
    }
}

#[test]
fn steps_have_the_same_bits_every_time() {
    let batch = batch(32, 4);
    assert!(trained("lines32x1", &batch) == trained("lines32x1", &batch));
}

#[test]
fn a_step_that_diverges_leaves_the_state_alone() {
    let mut batch = batch(8, 5);
    let mut backend = fresh("lines32x1", 1);
    let before = backend.state().unwrap();
    batch.moves_left[0] = f32::INFINITY;
    let error = backend.step(&batch, 0.001).unwrap_err();
    assert!(error.to_string().contains("step 1"), "{error}");
    assert!(backend.state().unwrap() == before);
}
