//! Samples per second in whole training steps.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use tablut_games::{GameRecord, Handicap, PlyRecord, ReplayWindow, SearchRecord};
use tablut_learn::{ComputeDevice, LearnerState, OptimizerConfig};
use tablut_net::{Architecture, DeviceChoice, Weights};
use tablut_rules::{Game, MoveList, Rules, Side};
use tablut_search::Chances;

use crate::{all_rules, print};

/// Seed of the weights, the games and the samples. Every run times the same work.
const SEED: u64 = 1;
/// Random games in the replay window, over all built-in rule sets.
const GAMES: usize = 48;
const MAX_PLIES: u32 = 120;
/// Steps before the timing.
const WARM_UP: usize = 2;
/// Small, so that the weights do not diverge on random targets.
const LEARNING_RATE: f32 = 1e-4;

/// Time whole training steps on positions from random games
///
/// A step samples and encodes a batch from the replay window, computes the gradients and updates the weights. All
/// combinations of the given shapes, batches and threads are timed one after another.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Net shapes
    #[arg(long, value_delimiter = ',', default_value = "lines32x2")]
    shape: Vec<Architecture>,
    /// Positions in a batch
    #[arg(long, value_delimiter = ',', default_value = "256")]
    batch: Vec<usize>,
    /// Threads that share each step
    #[arg(long, value_delimiter = ',', default_value = "2")]
    threads: Vec<usize>,
    /// Steps to time for each combination, after two warm-up steps
    #[arg(long, default_value_t = 10)]
    steps: usize,
    /// The device: cpu, auto, or a GPU by its number, such as gpu:0
    #[arg(long, default_value_t)]
    device: DeviceChoice,
    /// Print one JSON object per line for each combination
    #[arg(long)]
    json: bool,
}

/// The figures of one combination.
#[derive(Debug, Serialize)]
struct Timing {
    shape: Architecture,
    batch: usize,
    threads: usize,
    /// The device.
    by: String,
    steps: usize,
    /// From the median time of a step, which includes sampling its batch.
    samples_per_sec: f64,
    /// From the shortest time of a step, which other processes disturb least.
    best_samples_per_sec: f64,
    /// Share of the steps' time that sampling the batches takes.
    drawing_share: f64,
    /// Resident memory of the process after the first timed step and after the last, in MiB. `None` if unknown.
    memory_mib: Option<[f64; 2]>,
    /// The loss of the last step, which does not depend on the number of threads.
    loss: f32,
}

/// Times every combination and prints a line for each.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let device = ComputeDevice::open(args.device)?;
    let window = window()?;
    for shape in &args.shape {
        for &batch in &args.batch {
            for &threads in &args.threads {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                let timing = pool.install(|| time(&window, shape, batch, &device, args))?;
                print(&timing, args.json)?;
            }
        }
    }
    Ok(())
}

fn time(
    window: &ReplayWindow,
    shape: &Architecture,
    batch: usize,
    device: &ComputeDevice,
    args: &Args,
) -> anyhow::Result<Timing> {
    let learner = LearnerState::new(&Weights::initial(shape, SEED));
    let mut stepper = device.learner(learner, OptimizerConfig::default())?;
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut secs = Vec::new();
    let (mut drawing, mut loss, mut memory) = (0.0, 0.0, None);
    for step in 0..WARM_UP + args.steps {
        let start = Instant::now();
        let drawn = window.batch(batch, 0.25, &mut rng);
        let drawn_after = start.elapsed().as_secs_f64();
        let report = stepper.step(&drawn, LEARNING_RATE)?;
        if step >= WARM_UP {
            secs.push(start.elapsed().as_secs_f64());
            drawing += drawn_after;
        }
        if step == WARM_UP {
            memory = resident_mib();
        }
        loss = report.loss.sum();
    }
    let total: f64 = secs.iter().sum();
    secs.sort_by(f64::total_cmp);
    Ok(Timing {
        shape: shape.clone(),
        batch,
        threads: rayon::current_num_threads(),
        by: device.name().to_owned(),
        steps: args.steps,
        samples_per_sec: batch as f64 / secs[secs.len() / 2],
        best_samples_per_sec: batch as f64 / secs[0],
        drawing_share: drawing / total,
        memory_mib: memory.zip(resident_mib()).map(|(first, last)| [first, last]),
        loss,
    })
}

/// A replay window of random games with random targets, under every built-in rule set.
fn window() -> anyhow::Result<ReplayWindow> {
    let rules = all_rules()?;
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let games: Vec<GameRecord> =
        (0..GAMES).map(|index| random_game(&rules[index % rules.len()], index, &mut rng)).collect();
    let mut window = ReplayWindow::new(rules, usize::MAX);
    window.push(&games)?;
    Ok(window)
}

fn random_game(rules: &Arc<Rules>, index: usize, rng: &mut ChaCha8Rng) -> GameRecord {
    let mut game = Game::new(Arc::clone(rules), Side::Attackers).with_max_plies(MAX_PLIES);
    let start = *game.position();
    let (mut plies, mut moves) = (Vec::new(), MoveList::new());
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        game.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        let policy = (0..moves.len()).map(|_| rng.random_range(0..1000)).collect();
        let search = SearchRecord { chances: Chances::new(rng.random_range(-1.0..1.0), 0.0), simulations: 1, policy };
        plies.push(PlyRecord { mv, search: Some(search) });
        game.play_trusted(mv);
    };
    GameRecord {
        index: index as u64,
        rules: rules.name().to_owned(),
        max_plies: MAX_PLIES,
        start,
        plies,
        outcome,
        handicap: Handicap::default(),
    }
}

/// Resident memory of this process in MiB, on Linux.
fn resident_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<8} batch {:>4}  {} {}  {:>8.0} samples/s (best {:>8.0})  drawing {:.0} %  by {}",
            self.shape.to_string(),
            self.batch,
            self.threads,
            if self.threads == 1 { "thread " } else { "threads" },
            self.samples_per_sec,
            self.best_samples_per_sec,
            100.0 * self.drawing_share,
            self.by
        )?;
        match self.memory_mib {
            Some([first, last]) => write!(f, "  memory {first:.0} MiB, after {} steps {last:.0}", self.steps),
            None => Ok(()),
        }
    }
}
