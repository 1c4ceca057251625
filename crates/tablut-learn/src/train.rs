//! The training loop: generations of self-play and training, each followed by a checkpoint.

use std::sync::Arc;
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Counters, FleetReport, GameOrder, GameRecord, GameSource, GameSourceError, GenerationFile,
    GenerationMetrics, LearningMetrics, LossParts, MetricsSchema, RecordFile, ReplayedGame, SelfPlayMetrics,
    TrainingBatch, write_records,
};
use tablut_net::{Model, StatedRules, Weights};
use tablut_ratings::RatedGeneration;
use tablut_rules::Rules;

use crate::checkpoint::Checkpoint;
use crate::config::TrainConfig;
use crate::gradient_backend::StepReport;
use crate::learner::{learning_rate, learning_rate_share};
use crate::measurements::{Measurements, weight_norm};
use crate::run::Run;
use crate::run_settings::load_games;
use crate::train_error::TrainError;

/// Learning has diverged if a batch's loss is this many times that of an untrained net.
const DIVERGED: f32 = 10.0;

/// An event of a run. The training loop sends the events of each generation in the order of this list. The function
/// that rates nets sends the events of rating. The program that watches the run sends notes and pauses.
#[derive(Clone, Copy, Debug)]
pub enum RunEvent<'a> {
    SelfPlayBegan {
        generation: u64,
        games: usize,
    },
    /// A game of self-play has ended. The threads that play send this.
    GameEnded(&'a GameRecord),
    /// The games of a generation are in the run's folder.
    GamesSaved {
        generation: u64,
        /// The metrics of self-play. Times are 0 if the games were played before the run was interrupted.
        selfplay: &'a SelfPlayMetrics,
    },
    LearningBegan {
        generation: u64,
        steps: u64,
    },
    StepEnded {
        report: &'a StepReport,
        learning_rate: f32,
    },
    RatingBegan {
        generation: u64,
        games: u64,
    },
    RatingGameEnded,
    /// A generation is in the run's folder, with its net.
    GenerationEnded(&'a GenerationMetrics),
    /// The machine is too slow for the planned number of generations.
    ScheduleChanged {
        generations: u64,
    },
    /// A line for the user.
    Note(&'a str),
    /// The run was paused (true) or continued (false).
    Paused(bool),
}

/// Receives the events of a run, from several threads. It cannot change the run.
pub type OnEvent<'a> = &'a (dyn Fn(RunEvent<'_>) + Sync);

/// Plays the [`rating_pairs`](crate::rating_pairs) of a generation's net. Returns `None` if there are no pairs. The
/// result is written into the metrics and changes nothing else. Except for the duration it must be deterministic for a
/// run and a generation.
pub type RateNet<'a> = &'a dyn Fn(&Run, u64, &Model, &CancelToken) -> Result<Option<RatedGeneration>, GameSourceError>;

/// Runs all remaining generations with the games of a source. `cancel` stops the run between two steps or rounds.
/// Without `rate` no net is rated.
pub fn train(
    run: &mut Run,
    games: &mut dyn GameSource,
    counters: &Counters,
    cancel: &CancelToken,
    rate: Option<RateNet<'_>>,
    on_event: OnEvent<'_>,
) -> Result<(), TrainError> {
    while run.next_generation < run.config.schedule.generations {
        let metrics = generation(run, games, counters, cancel, rate, on_event)?;
        on_event(RunEvent::GenerationEnded(&metrics));
        run.metrics.push(metrics);
        let generations = run.config.schedule.generations;
        run.follow_time()?;
        if run.config.schedule.generations != generations {
            on_event(RunEvent::ScheduleChanged { generations: run.config.schedule.generations });
        }
    }
    Ok(())
}

/// One generation: games, window, steps, checkpoint, metrics.
fn generation(
    run: &mut Run,
    source: &mut dyn GameSource,
    counters: &Counters,
    cancel: &CancelToken,
    rate: Option<RateNet<'_>>,
    on_event: OnEvent<'_>,
) -> Result<GenerationMetrics, TrainError> {
    let generation = run.next_generation;
    let (games, selfplay, fleet) = games_of(run, generation, source, counters, cancel, on_event)?;
    source.stored(generation)?;
    run.history.push(&run.rules, &games);
    let n_games = games.len();
    on_event(RunEvent::GamesSaved { generation, selfplay: &selfplay });
    let next = generation + 1;
    if run.config.schedule.lag > 0
        && next < run.config.schedule.generations
        && !run.file(GenerationFile::Games, next).exists()
    {
        source.begin(&order(run, next)?)?;
    }
    let path = run.file(GenerationFile::Games, generation);
    let replayed = ReplayedGame::replay_all(&run.rules, &games).map_err(|error| TrainError::Replay { path, error })?;
    drop(games);
    let mut measurements = Measurements::new(selfplay.evaluations);
    let (rule_sets, fresh) = measurements.games(run, &replayed)?;
    let (learnt_from, held_out) = run.split(replayed, |game| game.index);
    let positions = run.window.add(learnt_from);
    if positions == 0 {
        return Err(TrainError::NothingToLearn(generation));
    }
    let learning = learn(run, generation, positions, cancel, on_event)?;
    let learnt = measurements.losses(run, run.window.newest().iter())?;
    let held_out_samples = || held_out.iter().flat_map(|game| &game.samples);
    let held_out = (!held_out.is_empty()).then(|| measurements.losses(run, held_out_samples())).transpose()?;
    let learning = LearningMetrics { weight_norm: weight_norm(run), fresh, learnt, held_out, ..learning };
    run.count(n_games, positions, selfplay.evaluations);
    let checkpoint = Checkpoint { generation, learner: run.learner.clone(), training: run.training.clone() };
    let simulations = run.config.schedule.simulations_at(generation);
    let rating = match rate {
        Some(rate) => rate(run, generation, &run.model(), cancel).map_err(TrainError::of_rating)?,
        None => None,
    };
    let machine = measurements.machine(run);
    let device = (!run.device.is_cpu()).then(|| run.device.name().to_owned());
    let metrics = GenerationMetrics {
        schema: MetricsSchema,
        generation,
        simulations,
        selfplay,
        learning,
        rule_sets,
        rating,
        device,
        machine,
        fleet,
    };
    run.check_folder()?;
    // The metrics are written before the checkpoint. A resumed run drops an extra line, but could not restore a missing
    // one.
    run.files().append_metrics(&metrics)?;
    checkpoint.save(run.files(), &run.stated_rules())?;
    run.next_generation = next;
    source.publish(&run.model())?;
    Ok(metrics)
}

/// The games of `generation`. They are read from disk if they were played before a stop, otherwise played and saved.
fn games_of(
    run: &Run,
    generation: u64,
    source: &mut dyn GameSource,
    counters: &Counters,
    cancel: &CancelToken,
    on_event: OnEvent<'_>,
) -> Result<(Vec<GameRecord>, SelfPlayMetrics, Option<FleetReport>), TrainError> {
    let path = run.file(GenerationFile::Games, generation);
    if path.exists() {
        let file = load_games(&run.folder, generation)?;
        let counted =
            SelfPlayMetrics::count(&run.rules, &file.games).map_err(|error| TrainError::Replay { path, error })?;
        let metrics = SelfPlayMetrics { evaluations: file.evaluations, ..counted };
        return Ok((file.games, metrics, None));
    }
    let order = order(run, generation)?;
    on_event(RunEvent::SelfPlayBegan { generation, games: order.games });
    let played = source.collect(&order, counters, cancel, &|game| on_event(RunEvent::GameEnded(game)))?;
    let counted = SelfPlayMetrics::count(&run.rules, &played.games);
    let metrics = SelfPlayMetrics {
        batch_fill: played.batch_fill,
        seconds: played.seconds,
        evaluations: played.evaluations,
        mean_batch: played.mean_batch,
        net_share: played.net_share,
        ..counted.map_err(|error| TrainError::Replay { path: path.clone(), error })?
    };
    if metrics.positions == 0 {
        return Err(TrainError::NothingToLearn(generation));
    }
    let file = RecordFile::new(metrics.evaluations, run.rules.iter().map(|rules| &**rules), played.games);
    run.check_folder()?;
    write_records(&path, &file)?;
    Ok((file.games, metrics, played.fleet))
}

/// Everything that determines the games of `generation`.
fn order(run: &Run, generation: u64) -> Result<GameOrder, TrainError> {
    let order = run.config.order(&run.rules, generation, playing_weights(run, generation)?);
    let full = run.config.schedule.simulations_at(generation);
    let handicaps = run.history.handicaps(run.rules.len(), run.config.selfplay.balance, full);
    Ok(GameOrder { handicaps, ..order })
}

/// The averaged weights that play `generation`: those of the last generation, or with a lag of 1 of the one before it.
fn playing_weights(run: &Run, generation: u64) -> Result<Weights, TrainError> {
    match generation.checked_sub(1 + run.config.schedule.lag) {
        None => Ok(run.starting_weights()),
        Some(learnt) if learnt + 1 == run.next_generation => Ok(run.learner.averaged_weights()),
        Some(learnt) => Ok(Model::load(&run.file(GenerationFile::Model, learnt))?.weights),
    }
}

/// Learns from the window. The number of steps depends on the number of new positions.
fn learn(
    run: &mut Run,
    generation: u64,
    positions: usize,
    cancel: &CancelToken,
    on_event: OnEvent<'_>,
) -> Result<LearningMetrics, TrainError> {
    let config = run.config.learning.clone();
    let steps = ((positions as f32 * config.draws_per_position / config.batch_size as f32).round() as u64).max(1);
    on_event(RunEvent::LearningBegan { generation, steps });
    let mut rng = batch_rng(run.config.seed, generation);
    let mut parts = Vec::new();
    let mut metrics = LearningMetrics {
        steps,
        window: run.window.len(),
        window_bytes: run.window.bytes(),
        ..LearningMetrics::default()
    };
    let mut backend = run.device.learner(run.learner.clone(), run.config.optimizer)?;
    let (start, paused) = (Instant::now(), cancel.paused());
    for step in 0..steps {
        if cancel.must_stop() {
            return Err(TrainError::Stopped);
        }
        // The fall depends on generations and not on steps, because the total number of steps is not known in advance.
        let progress = generation as f32 + step as f32 / steps as f32;
        let fall = learning_rate_share(progress, run.config.schedule.generations as f32, config.decay_share);
        let rate = fall * learning_rate(run.learner.steps + step, config.learning_rate, config.warmup_steps);
        let batch = run.window.batch(config.batch_size, config.value_share, &mut rng);
        let report = backend.step(&batch, rate).map_err(|error| TrainError::Step { error, learning_rate: rate })?;
        let (loss, untrained) = (report.loss.policy + report.loss.value, untrained_loss(&batch));
        if loss > DIVERGED * untrained {
            let step = run.learner.steps + step + 1;
            return Err(TrainError::Diverged { step, loss, untrained, learning_rate: rate });
        }
        metrics.gradient_norm += report.gradient_norm / steps as f32;
        metrics.learning_rate = rate;
        on_event(RunEvent::StepEnded { report: &report, learning_rate: rate });
        parts.push(report.loss);
    }
    run.learner = backend.state()?;
    metrics.loss = LossParts::mean(&parts);
    metrics.seconds = start.elapsed().saturating_sub(cancel.paused().saturating_sub(paused)).as_secs_f64();
    metrics.samples_per_second = steps as f64 * config.batch_size as f64 / metrics.seconds.max(1e-9);
    Ok(metrics)
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

impl TrainConfig {
    /// The order of the games of `generation` under `rules`, played by the net of `weights`. It has no handicaps,
    /// because these depend on earlier generations.
    pub fn order(&self, rules: &[Arc<Rules>], generation: u64, weights: Weights) -> GameOrder {
        GameOrder {
            seed: self.seed,
            generation,
            games: self.schedule.games_at(generation),
            rules: rules.to_vec(),
            selfplay: self.selfplay.clone(),
            search: self.search.clone(),
            simulations: self.schedule.simulations_at(generation),
            weights: Arc::new(weights),
            handicaps: Vec::new(),
        }
    }
}

impl Run {
    /// The rule sets, in the form of model files.
    pub fn stated_rules(&self) -> Vec<StatedRules> {
        self.rules.iter().map(|rules| StatedRules::of(rules)).collect()
    }

    /// Adds a generation to the summary of the training.
    fn count(&mut self, games: usize, positions: usize, evaluations: u64) {
        self.training.generations += 1;
        self.training.games += games as u64;
        self.training.positions += positions as u64;
        self.training.evaluations += evaluations;
        self.training.steps = self.learner.steps;
        self.training.play_simulations = self.config.play.simulations;
        self.training.config = self.config.without_machine();
    }

    /// The net of the last completed generation, or the untrained one.
    pub fn model(&self) -> Model {
        Model {
            weights: self.learner.averaged_weights(),
            rules: self.stated_rules(),
            training: self.training.clone(),
            card: None,
        }
    }
}
