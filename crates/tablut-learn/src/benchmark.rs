//! A short benchmark of this machine: the pace of self-play and training that a forecast needs.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Counters, GameOrder, GameRecord, GameSourceError, MakeInference, RecordFile, RecordFileError,
    ReplayWindow, RunError, records_to_bytes, run_tasks,
};
use tablut_net::{Model, ModelFileError, NetEvaluator, TrainingSummary, Weights};
use tablut_rules::Rules;
use tablut_search::{EvaluateError, Evaluation, Evaluator, Situation, UniformEvaluator};

use crate::checkpoint::Checkpoint;
use crate::config::TrainConfig;
use crate::device::ComputeDevice;
use crate::learner::LearnerState;
use crate::memory::memory_bytes;
use crate::train_error::TrainError;

/// Number of games without a net for estimating the length of games: per rule set, and the limits of the total.
const GAMES_PER_RULE_SET: usize = 4;
const FEWEST_GAMES: usize = 24;
const MOST_GAMES: usize = 96;

#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct MachinePace {
    /// Mean length of a game in plies, played by the net that the run begins with, or by a search without a net.
    pub plies_per_game: f64,
    pub positions_per_game: f64,
    /// Evaluations per simulation. It is usually below 1, because tree reuse and the solver save evaluations.
    pub evaluations_per_simulation: f64,
    /// Evaluations by the net per second of self-play, all threads together.
    pub evaluations_per_second: f64,
    pub samples_per_second: f64,
    pub bytes_per_position: f64,
    pub window_bytes_per_position: f64,
    pub model_bytes: u64,
    pub state_bytes: u64,
    /// Memory of the process after self-play and training steps, in bytes, or 0 if the system does not report it.
    pub memory_bytes: u64,
}

/// Plays whole games, measures the speed of self-play, and takes training steps on `device`. Each part takes about a
/// third of `time`, or longer if a single game or step takes longer. It writes no files.
pub fn benchmark(
    config: &TrainConfig,
    rules: &[Arc<Rules>],
    device: &ComputeDevice,
    make_inference: MakeInference<'_>,
    time: Duration,
    cancel: &CancelToken,
) -> Result<MachinePace, TrainError> {
    let middle = config.schedule.simulations_at(config.schedule.generations / 2);
    let order = GameOrder {
        games: (GAMES_PER_RULE_SET * rules.len()).clamp(FEWEST_GAMES, MOST_GAMES),
        simulations: middle,
        ..config.order(rules, 0, config.starting_weights()?)
    };
    let (games, evaluations) = lengths(config, &order, make_inference, time / 3, cancel)?;
    let n_games = games.len() as f64;
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    let mut window = ReplayWindow::new(rules.to_vec(), usize::MAX);
    let replay = |error| TrainError::Replay { path: "the benchmark's games".into(), error };
    let positions = window.push(&games).map_err(replay)?;
    if positions == 0 {
        return Err(TrainError::NothingToLearn(0));
    }
    let evaluations_per_second = speed(config, &order, make_inference, time / 3, cancel)?;
    let samples_per_second = steps(config, &order.weights, &window, device, time / 3, cancel)?;
    let (model_bytes, state_bytes) = file_sizes(&order.weights)?;
    let file = records_to_bytes(&RecordFile::new(0, rules.iter().map(|rules| &**rules), games));
    let file = file.map_err(|reason| RecordFileError { path: "the benchmark's games".into(), reason })?;
    Ok(MachinePace {
        plies_per_game: plies as f64 / n_games,
        positions_per_game: positions as f64 / n_games,
        evaluations_per_simulation: evaluations as f64 / (positions as f64 * f64::from(middle)),
        evaluations_per_second,
        samples_per_second,
        bytes_per_position: file.len() as f64 / positions as f64,
        window_bytes_per_position: window.bytes() as f64 / positions as f64,
        model_bytes,
        state_bytes,
        memory_bytes: memory_bytes().unwrap_or(0),
    })
}

/// Games of the net that the run begins with, or of a search without a net, at least one per thread, and the number of
/// evaluations that they requested.
fn lengths(
    config: &TrainConfig,
    order: &GameOrder,
    make_inference: MakeInference<'_>,
    time: Duration,
    cancel: &CancelToken,
) -> Result<(Vec<GameRecord>, u64), TrainError> {
    let (start, counters) = (Instant::now(), Counters::default());
    let concurrency = config.machine.concurrency();
    let evaluator = || -> Vec<Box<dyn Evaluator>> {
        match config.start {
            Some(_) => vec![Box::new(NetEvaluator::new(make_inference(&order.weights)))],
            None => vec![Box::new(UniformEvaluator)],
        }
    };
    let mut games = Vec::new();
    // Rounds are always finished, because stopping would cut off the long games.
    while games.len() < order.games && (games.is_empty() || start.elapsed() < time) {
        let first = games.len();
        let round = run_tasks(
            concurrency.workers.min(order.games - first),
            concurrency,
            |index| order.game(first + index),
            evaluator,
            &counters,
            cancel,
            |_, _| {},
        );
        games.extend(round.map_err(GameSourceError::from)?);
    }
    Ok((games, counters.evaluations.load(Ordering::Relaxed)))
}

/// An evaluator that cancels the work when its time is over.
struct Timed {
    inner: NetEvaluator,
    start: Arc<OnceLock<Instant>>,
    time: Duration,
    over: CancelToken,
}

impl Evaluator for Timed {
    fn evaluate(&mut self, queries: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        let start = *self.start.get_or_init(Instant::now);
        let evaluations = self.inner.evaluate(queries);
        if start.elapsed() >= self.time {
            self.over.cancel();
        }
        evaluations
    }
}

/// Evaluations per second of self-play, with the run's workers.
fn speed(
    config: &TrainConfig,
    order: &GameOrder,
    make_inference: MakeInference<'_>,
    time: Duration,
    cancel: &CancelToken,
) -> Result<f64, TrainError> {
    let (start, counters, over) = (Arc::new(OnceLock::new()), Counters::default(), cancel.child());
    let evaluator = || -> Vec<Box<dyn Evaluator>> {
        let inner = NetEvaluator::new(make_inference(&order.weights));
        vec![Box::new(Timed { inner, start: start.clone(), time, over: over.clone() })]
    };
    let game = |index| order.game(index);
    let concurrency = config.machine.concurrency();
    match run_tasks(config.schedule.games_at(0), concurrency, game, evaluator, &counters, &over, |_, _| {}) {
        Ok(_) => {}
        Err(RunError::Stopped) if !cancel.is_cancelled() => {}
        Err(error) => return Err(GameSourceError::from(error).into()),
    }
    let seconds = start.get().map_or(0.0, |start| start.elapsed().as_secs_f64());
    Ok(counters.evaluations.load(Ordering::Relaxed) as f64 / seconds.max(1e-9))
}

/// Training samples per second. The first step allocates buffers and does not count.
fn steps(
    config: &TrainConfig,
    weights: &Weights,
    window: &ReplayWindow,
    device: &ComputeDevice,
    time: Duration,
    cancel: &CancelToken,
) -> Result<f64, TrainError> {
    let learning = &config.learning;
    let mut backend = device.learner(LearnerState::new(weights), config.optimizer)?;
    let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
    let mut step = || -> Result<(), TrainError> {
        if cancel.is_cancelled() {
            return Err(TrainError::Stopped);
        }
        backend.step(&window.batch(learning.batch_size, learning.value_share, &mut rng), learning.learning_rate)?;
        Ok(())
    };
    step()?;
    let start = Instant::now();
    let mut n_steps = 0_u32;
    while n_steps == 0 || start.elapsed() < time {
        step()?;
        n_steps += 1;
    }
    Ok(f64::from(n_steps) * learning.batch_size as f64 / start.elapsed().as_secs_f64().max(1e-9))
}

fn file_sizes(weights: &Weights) -> Result<(u64, u64), TrainError> {
    let training = TrainingSummary::default();
    let in_memory = |kind| ModelFileError { path: "the benchmark's net".into(), kind };
    let model = Model { weights: weights.clone(), rules: Vec::new(), training: training.clone(), card: None };
    let state = Checkpoint { generation: 0, learner: LearnerState::new(weights), training };
    let model = model.to_bytes().map_err(in_memory)?.len();
    let state = state.state_bytes().map_err(in_memory)?.len();
    Ok((model as u64, state as u64))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use tablut_net::{Engine, Inference};

    #[test]
    fn the_benchmark_measures_what_a_run_does() {
        let text = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n[schedule]\ngames = 4\n[selfplay]\nmax_plies = 30\n\
                    [learning]\nbatch_size = 64\n";
        let config = TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap();
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        let (cpu, engine) = (ComputeDevice::default(), |weights: &Weights| {
            Box::new(Engine::new(weights).unwrap()) as Box<dyn Inference>
        });
        let pace = benchmark(&config, &rules, &cpu, &engine, Duration::ZERO, &CancelToken::new()).unwrap();
        assert!(pace.plies_per_game > 1.0 && pace.plies_per_game <= 30.0, "{pace:?}");
        assert!(pace.positions_per_game > 0.0 && pace.positions_per_game <= pace.plies_per_game, "{pace:?}");
        assert!(pace.evaluations_per_simulation > 0.0 && pace.evaluations_per_simulation <= 1.5, "{pace:?}");
        assert!(pace.evaluations_per_second > 0.0 && pace.samples_per_second > 0.0, "{pace:?}");
        assert!(pace.bytes_per_position > 0.0 && pace.state_bytes > pace.model_bytes, "{pace:?}");
        let stopped = CancelToken::new();
        stopped.cancel();
        let error = benchmark(&config, &rules, &cpu, &engine, Duration::ZERO, &stopped).unwrap_err();
        assert!(matches!(error, TrainError::Stopped), "{error}");
    }
}
