//! Learning from one generation's games, step by step. It has no files, and the clock is handed in.

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    GenerationMetrics, LearningMetrics, LossParts, MachineMetrics, NetLosses, ReplayedGame, RuleSetStatistics,
    SelfPlayMetrics, TrainingBatch,
};

use crate::config::LearningConfig;
use crate::gradient_backend::{GradientBackend, StepReport};
use crate::learner::{learning_rate, learning_rate_share};
use crate::measurements::{Measurements, WorkClock, weight_norm};
use crate::state::RunState;
use crate::train_error::TrainError;

/// Learning has diverged if a batch's loss is this many times that of an untrained net.
const DIVERGED: f32 = 10.0;

/// The learning of one generation.
pub struct GenerationSteps {
    generation: u64,
    /// The number of steps. It depends on the number of new positions.
    pub steps: u64,
    taken: u64,
    config: LearningConfig,
    rng: ChaCha8Rng,
    backend: Box<dyn GradientBackend>,
    n_games: usize,
    positions: usize,
    held_out: Vec<ReplayedGame>,
    selfplay: SelfPlayMetrics,
    rule_sets: Vec<RuleSetStatistics>,
    fresh: NetLosses,
    measurements: Measurements,
    parts: Vec<LossParts>,
    metrics: LearningMetrics,
    began: Duration,
}

impl GenerationSteps {
    /// Adds the games of the run's next generation to its window, and prepares the steps.
    pub fn begin(
        run: &mut RunState,
        games: Vec<ReplayedGame>,
        selfplay: SelfPlayMetrics,
        clock: WorkClock<'_>,
    ) -> Result<Self, TrainError> {
        let generation = run.next_generation;
        let n_games = games.len();
        let mut measurements = Measurements::new(selfplay.evaluations);
        let (rule_sets, fresh) = measurements.games(run, &games, clock)?;
        let (learnt_from, held_out) = run.split(games, |game| game.index);
        let positions = run.window.add(learnt_from);
        if positions == 0 {
            return Err(TrainError::NothingToLearn(generation));
        }
        let config = run.config.learning.clone();
        let steps = ((positions as f32 * config.draws_per_position / config.batch_size as f32).round() as u64).max(1);
        let metrics = LearningMetrics {
            steps,
            window: run.window.len(),
            window_bytes: run.window.bytes(),
            ..LearningMetrics::default()
        };
        Ok(Self {
            generation,
            steps,
            taken: 0,
            config,
            rng: batch_rng(run.config.seed, generation),
            backend: run.device.learner(run.learner.clone(), run.config.optimizer)?,
            n_games,
            positions,
            held_out,
            selfplay,
            rule_sets,
            fresh,
            measurements,
            parts: Vec::new(),
            metrics,
            began: clock(),
        })
    }

    /// Whether all steps are taken.
    pub fn is_done(&self) -> bool {
        self.taken == self.steps
    }

    /// Takes the next step. Returns its report and the learning rate.
    pub fn step(&mut self, run: &RunState) -> Result<(StepReport, f32), TrainError> {
        let (config, step, steps) = (&self.config, self.taken, self.steps);
        // The fall depends on generations and not on steps, because the total number of steps is not known in advance.
        let progress = self.generation as f32 + step as f32 / steps as f32;
        let fall = learning_rate_share(progress, run.config.schedule.generations as f32, config.decay_share);
        let rate = fall * learning_rate(run.learner.steps + step, config.learning_rate, config.warmup_steps);
        let batch = run.window.batch(config.batch_size, config.value_share, &mut self.rng);
        let report =
            self.backend.step(&batch, rate).map_err(|error| TrainError::Step { error, learning_rate: rate })?;
        let (loss, untrained) = (report.loss.policy + report.loss.value, untrained_loss(&batch));
        if loss > DIVERGED * untrained {
            let step = run.learner.steps + step + 1;
            return Err(TrainError::Diverged { step, loss, untrained, learning_rate: rate });
        }
        self.metrics.gradient_norm += report.gradient_norm / steps as f32;
        self.metrics.learning_rate = rate;
        self.parts.push(report.loss);
        self.taken += 1;
        Ok((report, rate))
    }

    /// Gives the run what was learnt. The metrics have no rating, and of the machine only the time of measuring.
    pub fn end(mut self, run: &mut RunState, clock: WorkClock<'_>) -> Result<GenerationMetrics, TrainError> {
        run.learner = self.backend.state()?;
        let mut metrics = self.metrics;
        metrics.loss = LossParts::mean(&self.parts);
        metrics.seconds = clock().saturating_sub(self.began).as_secs_f64();
        metrics.samples_per_second = self.steps as f64 * self.config.batch_size as f64 / metrics.seconds.max(1e-9);
        let measurements = &mut self.measurements;
        let learnt = measurements.losses(run, run.window.newest().iter(), clock)?;
        let held_out_samples = || self.held_out.iter().flat_map(|game| &game.samples);
        let held_out = (!self.held_out.is_empty()).then(|| measurements.losses(run, held_out_samples(), clock));
        let held_out = held_out.transpose()?;
        let fresh = self.fresh;
        let learning = LearningMetrics { weight_norm: weight_norm(run), fresh, learnt, held_out, ..metrics };
        run.count(self.n_games, self.positions, self.selfplay.evaluations);
        Ok(GenerationMetrics {
            generation: self.generation,
            simulations: run.config.schedule.simulations_at(self.generation),
            selfplay: self.selfplay,
            learning,
            rule_sets: self.rule_sets,
            machine: MachineMetrics { measuring_seconds: self.measurements.seconds(), ..MachineMetrics::default() },
            ..GenerationMetrics::default()
        })
    }
}

/// The loss of policy and value of a net that expects all moves and all results alike.
fn untrained_loss(batch: &TrainingBatch) -> f32 {
    let n = batch.input.n;
    let policy: f32 = (0..n).map(|row| (batch.input.move_range(row).len() as f32).ln()).sum();
    policy / n as f32 + 3.0_f32.ln()
}

/// The random generator of a generation's batches.
fn batch_rng(seed: u64, generation: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&generation.to_le_bytes());
    key[16..23].copy_from_slice(b"batches");
    ChaCha8Rng::from_seed(key)
}
