//! The loop: generations of self-play and learning, each ended by a checkpoint.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, NetEvaluator, RecordFile, RunError, SelfPlayGame, game_rng,
    read_records, run_tasks, write_records,
};
use tablut_net::{Inference, Model, Weights};
use tablut_search::SearchConfig;

use crate::backend::StepReport;
use crate::checkpoint::Checkpoint;
use crate::learner::{learning_rate, learning_rate_share};
use crate::loss::LossParts;
use crate::metrics::{GenerationMetrics, LearningMetrics, SelfPlayMetrics, append_metrics};
use crate::run::{Run, TrainError};

/// Makes an inference engine for some weights; called once in each worker.
pub type MakeInference<'a> = &'a (dyn Fn(&Weights) -> Box<dyn Inference> + Sync);

/// Watches a run. Every method does nothing unless it is written; none can change the run.
pub trait Observer: Sync {
    /// Self-play of a generation begins.
    fn selfplay_begins(&self, _generation: u64, _games: usize, _simulations: u32) {}
    /// A game has ended; called from the workers.
    fn game_ends(&self, _game: &GameRecord, _counters: &Counters) {}
    /// Learning of a generation begins.
    fn learning_begins(&self, _generation: u64, _steps: u64) {}
    /// A step has been taken.
    fn step_ends(&self, _report: &StepReport, _learning_rate: f32) {}
    /// A generation is on disk, with the net that came of it.
    fn generation_ends(&self, _metrics: &GenerationMetrics, _model: &Model) {}
}

/// Does all generations that are left. `cancel` ends it between two steps or rounds.
pub fn train(
    run: &mut Run,
    make_inference: MakeInference<'_>,
    counters: &Counters,
    cancel: &CancelToken,
    observer: &dyn Observer,
) -> Result<(), TrainError> {
    while run.next_generation < run.config.schedule.generations {
        let metrics = generation(run, make_inference, counters, cancel, observer)?;
        let model = run.model();
        observer.generation_ends(&metrics, &model);
        run.metrics.push(metrics);
    }
    Ok(())
}

/// One generation: games, window, steps, checkpoint, metrics.
fn generation(
    run: &mut Run,
    make_inference: MakeInference<'_>,
    counters: &Counters,
    cancel: &CancelToken,
    observer: &dyn Observer,
) -> Result<GenerationMetrics, TrainError> {
    let generation = run.next_generation;
    let path = run.games_path(generation);
    let (games, selfplay) = if path.exists() {
        let file = read_records(&path)?;
        let metrics = SelfPlayMetrics { evaluations: file.evaluations, ..SelfPlayMetrics::count(&file.games) };
        (file.games, metrics)
    } else {
        let (games, metrics) = play_games(run, generation, make_inference, counters, cancel, observer)?;
        if metrics.positions == 0 {
            return Err(TrainError::NothingToLearn(generation));
        }
        let file = RecordFile { evaluations: metrics.evaluations, games };
        write_records(&path, &file)?;
        (file.games, metrics)
    };
    let positions = run.window.push(&games).map_err(|error| TrainError::Replay { path, error })?;
    let learning = learn(run, generation, positions, cancel, observer)?;
    run.training.generations += 1;
    run.training.games += games.len() as u64;
    run.training.positions += positions as u64;
    run.training.evaluations += selfplay.evaluations;
    run.training.steps = run.learner.steps;
    run.training.play_simulations = run.config.play.simulations;
    let checkpoint = Checkpoint { generation, learner: run.learner.clone(), training: run.training.clone() };
    let simulations = run.config.schedule.simulations_at(generation);
    let metrics = GenerationMetrics { generation, simulations, selfplay, learning };
    // Before the checkpoint: a line too many is dropped on resume, one too few would be lost.
    let path = run.folder.join("metrics.jsonl");
    append_metrics(&path, &metrics).map_err(|error| TrainError::Io { path, error })?;
    checkpoint.save(&run.checkpoints(), &run.rule_names())?;
    run.next_generation = generation + 1;
    Ok(metrics)
}

/// Plays a generation's games with the averaged weights; rule sets take turns.
fn play_games(
    run: &Run,
    generation: u64,
    make_inference: MakeInference<'_>,
    counters: &Counters,
    cancel: &CancelToken,
    observer: &dyn Observer,
) -> Result<(Vec<GameRecord>, SelfPlayMetrics), TrainError> {
    let config = &run.config;
    let simulations = config.schedule.simulations_at(generation);
    observer.selfplay_begins(generation, config.schedule.games, simulations);
    let search = SearchConfig { simulations, ..config.search.clone() };
    let weights = run.learner.averaged_weights();
    let concurrency = concurrency(run);
    let before =
        [&counters.evaluations, &counters.batches, &counters.evaluator_micros].map(|c| c.load(Ordering::Relaxed));
    let start = Instant::now();
    let games = run_tasks(
        config.schedule.games,
        concurrency,
        |index| {
            let rules = &run.rules[index % run.rules.len()];
            let rng = game_rng(config.seed, generation, index as u64);
            SelfPlayGame::new(index as u64, rules, &config.selfplay, &search, rng)
        },
        || vec![Box::new(NetEvaluator::new(make_inference(&weights)))],
        counters,
        cancel,
        |_, game| observer.game_ends(game, counters),
    );
    let games = games.map_err(|error| match error {
        RunError::Stopped => TrainError::Stopped,
        error => TrainError::SelfPlay(error),
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let after =
        [&counters.evaluations, &counters.batches, &counters.evaluator_micros].map(|c| c.load(Ordering::Relaxed));
    let [evaluations, batches, micros] = std::array::from_fn(|i| after[i] - before[i]);
    let metrics = SelfPlayMetrics {
        seconds,
        evaluations,
        mean_batch: evaluations as f64 / batches.max(1) as f64,
        net_share: micros as f64 / 1e6 / (seconds * concurrency.workers as f64),
        ..SelfPlayMetrics::count(&games)
    };
    Ok((games, metrics))
}

fn concurrency(run: &Run) -> Concurrency {
    let default = Concurrency::default();
    let or = |value: usize, default: usize| if value == 0 { default } else { value };
    Concurrency {
        workers: or(run.config.machine.workers, default.workers),
        tasks_per_worker: or(run.config.machine.games_per_worker, default.tasks_per_worker),
    }
}

/// Learns from the window, as many steps as the new positions call for.
fn learn(
    run: &mut Run,
    generation: u64,
    positions: usize,
    cancel: &CancelToken,
    observer: &dyn Observer,
) -> Result<LearningMetrics, TrainError> {
    let config = run.config.learning.clone();
    let steps = ((positions as f32 * config.draws_per_position / config.batch_size as f32).round() as u64).max(1);
    observer.learning_begins(generation, steps);
    let mut rng = batch_rng(run.config.seed, generation);
    let mut parts = Vec::new();
    let mut metrics = LearningMetrics { steps, window: run.window.len(), ..LearningMetrics::default() };
    let mut backend = config.backend.open(run.learner.clone(), run.config.loss, run.config.optimizer)?;
    let start = Instant::now();
    for step in 0..steps {
        if cancel.is_cancelled() {
            return Err(TrainError::Stopped);
        }
        // The schedule counts generations, so that it is known before their games are played.
        let progress = generation as f32 + step as f32 / steps as f32;
        let fall = learning_rate_share(progress, run.config.schedule.generations as f32, config.decay_share);
        let rate = fall * learning_rate(run.learner.steps + step, config.learning_rate, config.warmup_steps);
        let batch = run.window.batch(config.batch_size, config.value_share, &mut rng);
        let report = backend.step(&batch, rate)?;
        metrics.gradient_norm += report.gradient_norm / steps as f32;
        metrics.learning_rate = rate;
        observer.step_ends(&report, rate);
        parts.push(report.loss);
    }
    run.learner = backend.state()?;
    metrics.loss = LossParts::mean(&parts);
    metrics.seconds = start.elapsed().as_secs_f64();
    metrics.samples_per_second = steps as f64 * config.batch_size as f64 / metrics.seconds.max(1e-9);
    Ok(metrics)
}

/// The generator of a generation's batches.
fn batch_rng(seed: u64, generation: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&generation.to_le_bytes());
    key[16..23].copy_from_slice(b"batches");
    ChaCha8Rng::from_seed(key)
}

impl Run {
    /// Names of the rule sets, as models and records state them.
    pub fn rule_names(&self) -> Vec<String> {
        self.rules.iter().map(|rules| rules.name().to_owned()).collect()
    }

    /// The net of the last generation done, or the untrained one.
    pub fn model(&self) -> Model {
        Model { weights: self.learner.averaged_weights(), rules: self.rule_names(), training: self.training.clone() }
    }
}
