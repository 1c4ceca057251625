//! The learner learns, burn and the CPU engine agree, and steps always have the same bits.

use std::sync::Arc;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{CpuBackend, GradientBackend, LearnerState, OptimizerConfig};
use tablut_net::{Engine, Inference, InputBatch, MOVES_LEFT_UNIT, OutputBatch, POLICY_ENTRIES, Weights};
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

use super::burn_net::BurnNet;
use super::gradients::learner;

/// Positions from self-play with a uniform evaluator under every rule set, in one batch.
fn batch(n: usize, seed: u64) -> TrainingBatch {
    let rules: Vec<Arc<Rules>> =
        tablut_rules::RULE_SET_NAMES.iter().map(|name| Arc::new(Rules::load(name).unwrap())).collect();
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
    for shape in ["b4c32", "lines32x2"] {
        let weights = Weights::initial(&shape.parse().unwrap(), 1);
        Engine::new(&weights).unwrap().infer(&batch(16, 2).input, &mut output).unwrap();
        for [attackers, draw, defenders] in &output.wdl {
            assert!((attackers - defenders).abs() < 0.2 && (0.02..0.1).contains(draw), "{shape}: {:?}", output.wdl);
        }
    }
}

/// The outputs of the net in burn's operations on the cores.
fn burns_outputs(weights: &Weights, input: &InputBatch) -> OutputBatch {
    let values = |tensor: Tensor<2>| tensor.try_into_vec_as::<f32>().unwrap();
    let device = Device::flex();
    let outputs = BurnNet::new(weights, &device).forward(input, &device);
    let tables = values(outputs.policy);
    let logits = tables.chunks_exact(POLICY_ENTRIES).enumerate().flat_map(|(row, table)| {
        let moves = &input.moves[input.move_range(row)];
        moves.iter().map(|index| index.logit(table)).collect::<Vec<_>>()
    });
    OutputBatch {
        logits: logits.collect(),
        wdl: values(softmax(outputs.wdl, 1)).as_chunks().0.to_vec(),
        moves_left: values(outputs.moves_left).iter().map(|units| units * MOVES_LEFT_UNIT).collect(),
    }
}

#[test]
fn the_engine_says_what_burn_says() {
    let batch = batch(120, 3);
    for shape in ["b2c32", "b4c32", "b4c64", "b6c64", "b10c128"] {
        let weights = learner(&shape.parse().unwrap(), 2).weights();
        let (burn, mut engine) = (burns_outputs(&weights, &batch.input), OutputBatch::default());
        Engine::new(&weights).unwrap().infer(&batch.input, &mut engine).unwrap();
        let agree = |what: &str, a: &[f32], b: &[f32]| {
            assert_eq!(a.len(), b.len());
            let largest = a.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
            for (x, y) in a.iter().zip(b) {
                assert!((x - y).abs() <= 1e-4 * largest, "{shape} {what}: {x} and {y}");
            }
        };
        agree("logits", &burn.logits, &engine.logits);
        agree("wdl", burn.wdl.as_flattened(), engine.wdl.as_flattened());
        agree("moves left", &burn.moves_left, &engine.moves_left);
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
