//! The training loop: generations of self-play and training, each followed by a checkpoint.

use std::time::Instant;

use tablut_games::{
    CancelToken, Counters, FleetReport, GameOrder, GameRecord, GameSource, GameSourceError, GenerationFile,
    GenerationMetrics, RecordFile, ReplayedGame, SelfPlayMetrics, write_records,
};
use tablut_net::{Model, Weights};
use tablut_ratings::RatedGeneration;

use crate::generation::GenerationSteps;
use crate::gradient_backend::StepReport;
use crate::measurements::machine;
use crate::run::Run;
use crate::run_settings::load_games;
use crate::state::RunState;
use crate::train_error::TrainError;

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
    run.count_results(&games);
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
    let start = Instant::now();
    let clock = || start.elapsed().saturating_sub(cancel.paused());
    let mut learning = GenerationSteps::begin(run, replayed, selfplay, &clock)?;
    on_event(RunEvent::LearningBegan { generation, steps: learning.steps });
    while !learning.is_done() {
        if cancel.must_stop() {
            return Err(TrainError::Stopped);
        }
        let (report, learning_rate) = learning.step(run)?;
        on_event(RunEvent::StepEnded { report: &report, learning_rate });
    }
    let metrics = learning.end(run, &clock)?;
    let checkpoint = run.checkpoint(generation);
    let rating = match rate {
        Some(rate) => rate(run, generation, &run.model(), cancel).map_err(TrainError::of_rating)?,
        None => None,
    };
    let machine = machine(run, metrics.machine.measuring_seconds);
    let device = (!run.device.is_cpu()).then(|| run.device.name().to_owned());
    let metrics = GenerationMetrics { rating, device, machine, fleet, ..metrics };
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
    Ok(RunState::order(run, generation, playing_weights(run, generation)?))
}

/// The averaged weights that play `generation`: those of the last generation, or with a lag of 1 of the one before it.
fn playing_weights(run: &Run, generation: u64) -> Result<Weights, TrainError> {
    match generation.checked_sub(1 + run.config.schedule.lag) {
        None => Ok(run.starting_weights()),
        Some(learnt) if learnt + 1 == run.next_generation => Ok(run.learner.averaged_weights()),
        Some(learnt) => Ok(Model::load(&run.file(GenerationFile::Model, learnt))?.weights),
    }
}
