//! Muon learns, goes on with the same bits, and is not taken for another optimiser.

mod runs;

use std::fs;
use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, TrainingBatch, game_rng, run_tasks,
};
use tablut_learn::{
    Backend, CpuBackend, GradientBackend, LearnerState, LossWeights, OptimizerConfig, OptimizerKind, Run, TrainError,
};
use tablut_net::Weights;
use tablut_rules::Rules;
use tablut_search::{SearchConfig, UniformEvaluator};

const MUON: OptimizerConfig = OptimizerConfig {
    beta1: 0.9,
    beta2: 0.98,
    epsilon: 1e-8,
    weight_decay: 0.01,
    max_gradient_norm: 1.0,
    average_decay: 0.99,
    kind: OptimizerKind::Muon,
};

/// Positions of games with a uniform evaluator.
fn batch(n: usize) -> TrainingBatch {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
    let search = SearchConfig { simulations: 4, ..SearchConfig::default() };
    let games = run_tasks(
        6,
        Concurrency { workers: 1, tasks_per_worker: 8 },
        |index| SelfPlayGame::new(index as u64, &rules, &config, &search, game_rng(3, 0, index as u64)),
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    );
    let mut window = ReplayWindow::new(vec![rules], usize::MAX);
    window.push(&games.unwrap()).unwrap();
    window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
}

fn fresh(kind: OptimizerKind) -> LearnerState {
    LearnerState::new(&Weights::initial(&"b2c32".parse().unwrap(), 1)).with_optimizer(kind)
}

fn muon(state: LearnerState) -> CpuBackend {
    CpuBackend::new(state, LossWeights::default(), MUON).unwrap()
}

#[test]
fn muon_learns_a_batch_by_heart() {
    let batch = batch(24);
    let mut backend = muon(fresh(OptimizerKind::Muon));
    let mut step = || backend.step(&batch, 0.003).unwrap().loss;
    let first = step();
    let last = (0..100).map(|_| step()).last().unwrap();
    assert!(last.policy - last.policy_floor < 0.5 * (first.policy - first.policy_floor), "{first:?} to {last:?}");
    assert!(last.value < 0.7 * first.value, "{first:?} to {last:?}");
}

#[test]
fn muon_goes_on_from_its_state_with_the_same_bits() {
    let batch = batch(20);
    let mut whole = muon(fresh(OptimizerKind::Muon));
    let steps = |backend: &mut CpuBackend, n: usize| (0..n).for_each(|_| drop(backend.step(&batch, 0.01).unwrap()));
    steps(&mut whole, 3);
    let mut again = muon(whole.state().unwrap());
    steps(&mut whole, 2);
    steps(&mut again, 2);
    assert!(whole.state().unwrap() == again.state().unwrap());
}

#[test]
fn a_state_of_another_optimizer_is_refused() {
    for (config, state) in
        [(MUON, fresh(OptimizerKind::AdamW)), (OptimizerConfig::default(), fresh(OptimizerKind::Muon))]
    {
        let error = CpuBackend::new(state.clone(), LossWeights::default(), config).map(drop).unwrap_err().to_string();
        let kinds = [state.optimizer, config.kind].map(OptimizerKind::name);
        assert!(kinds.iter().all(|kind| error.contains(kind)), "{error}");
        assert!(Backend::Cpu.open(state, LossWeights::default(), config).is_err());
    }
}

/// How far a state's weights have come from the fresh ones, and how far they are from another state's.
fn distances(state: &LearnerState, other: &LearnerState) -> (f64, f64) {
    let distance = |a: &LearnerState, b: &LearnerState| {
        let weights =
            |state: &LearnerState| -> Vec<f32> { state.params.iter().flat_map(|p| p.weights.clone()).collect() };
        weights(a).iter().zip(weights(b)).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
    };
    (distance(state, &fresh(OptimizerKind::Muon)), distance(state, other))
}

#[test]
fn muons_steps_in_burns_operations_are_those_of_the_cores() {
    let batch = batch(24);
    let mut cores = muon(fresh(OptimizerKind::Muon));
    let mut burn = Backend::Burn.open(fresh(OptimizerKind::Muon), LossWeights::default(), MUON).unwrap();
    for _ in 0..3 {
        cores.step(&batch, 0.003).unwrap();
        burn.step(&batch, 0.003).unwrap();
    }
    let (far, apart) = distances(&cores.state().unwrap(), &burn.state().unwrap());
    assert!(far > 0.1 && apart < 0.01 * far, "{far} from the start, {apart} apart");
    // A state goes on in either.
    let mut on = Backend::Burn.open(cores.state().unwrap(), LossWeights::default(), MUON).unwrap();
    on.step(&batch, 0.003).unwrap();
    cores.step(&batch, 0.003).unwrap();
    let (far, apart) = distances(&cores.state().unwrap(), &on.state().unwrap());
    assert!(apart < 0.01 * far, "{far} from the start, {apart} apart");
}

const CONFIG: &str = r#"
rules = ["kvasir"]
shape = "b1c16"
[schedule]
generations = 1
games = 8
simulations = [[0, 4]]
[selfplay]
max_plies = 30
[learning]
batch_size = 32
draws_per_position = 1.0
[optimizer]
kind = "muon"
"#;

fn run(folder: &Path, overrides: &[&str]) -> Result<Run, TrainError> {
    runs::run(CONFIG, folder, overrides)
}

#[test]
fn a_run_does_not_go_on_with_the_state_of_another_optimizer() {
    let folder = tempfile::tempdir().unwrap();
    drop(run(folder.path(), &[]).unwrap());
    let more = ["schedule.generations=2", "optimizer.kind=adamw"];
    let refused = run(folder.path(), &more).map(drop).unwrap_err().to_string();
    assert!(refused.contains("optimizer.kind: was \"muon\", is \"adamw\""), "{refused}");
    // Nor if the run's own config was changed by hand.
    let path = folder.path().join("run/config.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("kind = \"muon\"", "kind = \"adamw\"")).unwrap();
    let refused = run(folder.path(), &more).map(drop).unwrap_err().to_string();
    assert!(refused.contains("the training state is of the optimizer `muon`"), "{refused}");
    fs::write(&path, text).unwrap();
    assert_eq!(run(folder.path(), &["schedule.generations=2"]).unwrap().next_generation, 2);
}
