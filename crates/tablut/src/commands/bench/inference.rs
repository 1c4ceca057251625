//! `tablut bench inference`: measures the positions per second of the CPU engine or a device.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_games::load_net;
use tablut_net::{
    Architecture, Engine, EngineOptions, FEATURES, Inference, InputBatch, NetError, OutputBatch, PLANES, Weights,
    encode, onnx,
};
use tablut_rules::{BoardSize, Game, MoveList, Rules, Side};

use crate::console::Console;
use crate::nets::DeviceArgs;
use crate::outputs::write;

/// Seed of the weights and the positions. Every run times the same work.
const SEED: u64 = 1;
/// The most plies played before a position is encoded.
const MAX_PLIES: u32 = 60;

/// Time the CPU engine or a device on positions from random games of every built-in rule set
///
/// All combinations of the given shapes, threads and batch sizes are timed one after another. On a device each thread
/// evaluates its own batches.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Net shapes, such as lines32x2
    #[arg(long, value_delimiter = ',', default_value = "lines32x2")]
    shape: Vec<Architecture>,
    /// Model files to time instead of nets with random weights
    #[arg(long, value_name = "FILE", conflicts_with = "shape")]
    model: Vec<PathBuf>,
    /// Positions in a batch
    #[arg(long, value_delimiter = ',', default_value = "64", value_parser = at_least_one)]
    batch: Vec<usize>,
    /// Threads that share each batch
    #[arg(long, value_delimiter = ',', default_value = "2", value_parser = at_least_one)]
    threads: Vec<usize>,
    #[command(flatten)]
    device: DeviceArgs,
    /// Seconds for each combination
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    secs: f64,
    /// Print one JSON object per line for each combination
    #[arg(long)]
    json: bool,
    /// Also write the timed net (of the first shape) as an ONNX file, for timing other runtimes
    #[arg(long, value_name = "FILE")]
    onnx: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Timing {
    shape: Architecture,
    /// Positions in a batch. On a device each thread has its own.
    batch: usize,
    threads: usize,
    /// The device, or the instruction set on the cores.
    device: String,
    /// The number of timed batches of all threads.
    n_batches: usize,
    /// Evaluations per second at the median time of a batch.
    evals_per_sec: f64,
    /// Evaluations per second at the shortest time of a batch, when nothing else runs.
    best_evals_per_sec: f64,
}

/// Times every combination and prints a line for each.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let nets = nets(args)?;
    if let (Some(path), Some(weights)) = (&args.onnx, nets.first()) {
        let bytes = onnx::encode(weights, BOARD, &[]);
        write(path, &bytes)?;
    }
    let largest = args.batch.iter().copied().max().unwrap_or(1);
    let positions = encoded(largest, SEED)?;
    let device = args.device.net_device()?;
    for weights in &nets {
        for &threads in &args.threads {
            if let Some(device) = &device {
                let nets = (0..threads).map(|_| device.open(weights)).collect::<Result<Vec<_>, _>>()?;
                time_batches(args, console, weights, &positions, nets, threads, device.name())?;
                continue;
            }
            let options = EngineOptions { n_threads: threads, ..EngineOptions::default() };
            let engine = Engine::with_options(weights, options)?;
            let name = engine.simd().to_string();
            time_batches(args, console, weights, &positions, vec![Box::new(engine)], threads, &name)?;
        }
    }
    Ok(())
}

/// Times all `nets` in parallel with each batch size, and prints a line for each size.
fn time_batches(
    args: &Args,
    console: &mut Console,
    weights: &Weights,
    positions: &InputBatch,
    mut nets: Vec<Box<dyn Inference>>,
    threads: usize,
    device: &str,
) -> anyhow::Result<()> {
    for &batch in &args.batch {
        let secs = time(&mut nets, &first(positions, batch), args.secs)?;
        let per_sec = |secs: f64| (batch * nets.len()) as f64 / secs;
        let evals_per_sec = per_sec(secs[secs.len() / 2]);
        let timing = Timing {
            batch,
            threads,
            device: device.to_owned(),
            n_batches: secs.len(),
            evals_per_sec,
            best_evals_per_sec: per_sec(secs[0]),
            shape: weights.architecture(),
        };
        console.print_figures(&timing, args.json)?;
    }
    Ok(())
}

/// The nets to time: those of the model files, or one with random weights for each shape.
fn nets(args: &Args) -> anyhow::Result<Vec<Weights>> {
    if args.model.is_empty() {
        return Ok(args.shape.iter().map(|shape| Weights::initial(shape, SEED)).collect());
    }
    args.model.iter().map(|path| Ok(load_net(path)?.weights)).collect()
}

/// Evaluates `input` repeatedly for `secs` seconds, each net on its own thread, after a warm-up of a tenth of that
/// time. Returns the seconds of each batch, the shortest first.
fn time(nets: &mut [Box<dyn Inference>], input: &InputBatch, secs: f64) -> Result<Vec<f64>, NetError> {
    let work = |net: &mut dyn Inference| -> Result<Vec<f64>, NetError> {
        let (mut output, mut batches) = (OutputBatch::default(), Vec::new());
        for share in [0.1, 1.0] {
            batches.clear();
            let start = Instant::now();
            while batches.is_empty() || start.elapsed().as_secs_f64() < share * secs {
                let start = Instant::now();
                net.infer(input, &mut output)?;
                batches.push(start.elapsed().as_secs_f64());
            }
        }
        Ok(batches)
    };
    let mut batches = std::thread::scope(|scope| {
        let threads: Vec<_> = nets.iter_mut().map(|net| scope.spawn(|| work(&mut **net))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect::<Result<Vec<Vec<f64>>, NetError>>()
    })?
    .concat();
    batches.sort_by(f64::total_cmp);
    Ok(batches)
}

/// A game after `plies` random moves, or fewer if it ends earlier.
fn random_game(rules: &Arc<Rules>, plies: u32, rng: &mut ChaCha8Rng) -> Game {
    let mut game = Game::new(Arc::clone(rules), rules.set().first.side().unwrap_or(Side::Attackers));
    let mut moves = MoveList::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play_trusted(moves[rng.next_u32() as usize % moves.len()]);
    }
    game
}

/// The board of all positions. Figures on other boards differ.
const BOARD: BoardSize = BoardSize::Nine;

/// Encodes `n` positions, each after a random number of random moves. The rule sets alternate.
fn encoded(n: usize, seed: u64) -> anyhow::Result<InputBatch> {
    let rules =
        Rules::names_on(BOARD).map(|name| Rules::named(name).map(Arc::new).with_context(|| format!("rule set {name}")));
    let rules = rules.collect::<anyhow::Result<Vec<_>>>()?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut batch, mut moves) = (InputBatch::default(), MoveList::new());
    while batch.n < n {
        let plies = rng.next_u32() % MAX_PLIES;
        let game = random_game(&rules[batch.n % rules.len()], plies, &mut rng);
        if game.outcome().is_none() {
            game.legal_moves(&mut moves);
            encode(&game.situation(&moves), &mut batch);
        }
    }
    Ok(batch)
}

/// The first `n` rows of `batch`.
fn first(batch: &InputBatch, n: usize) -> InputBatch {
    let n_moves = batch.move_ends[n - 1] as usize;
    InputBatch {
        n,
        sizes: batch.sizes[..n].to_vec(),
        planes: batch.planes[..n * PLANES].to_vec(),
        features: batch.features[..n * FEATURES].to_vec(),
        moves: batch.moves[..n_moves].to_vec(),
        move_ends: batch.move_ends[..n].to_vec(),
    }
}

/// Parses a number of at least 1.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number of at least 1".to_owned()),
        Ok(n) => Ok(n),
    }
}

/// Parses a time in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(secs) if (0.0..=3600.0).contains(&secs) => Ok(secs),
        _ => Err("expected seconds from 0 to 3600".to_owned()),
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread " } else { "threads" };
        write!(
            f,
            "{:<8} batch {:>4}  {} {threads}  {:>9.0} positions/s (best {:>9.0})  {}",
            self.shape.to_string(),
            self.batch,
            self.threads,
            self.evals_per_sec,
            self.best_evals_per_sec,
            self.device
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_positions_are_valid_and_repeat() {
        let batch = encoded(40, 3).unwrap();
        assert_eq!(batch.n, 40);
        batch.validate().unwrap();
        assert!((0..40).all(|row| !batch.move_range(row).is_empty()));
        let again = encoded(40, 3).unwrap();
        assert_eq!((&batch.planes, &batch.moves), (&again.planes, &again.moves));
        first(&batch, 7).validate().unwrap();
    }

    #[test]
    fn every_thread_evaluates_at_least_one_batch_in_no_time() {
        let weights = Weights::initial(&"lines32x1".parse().unwrap(), 1);
        let positions = encoded(3, 1).unwrap();
        let net = || Box::new(Engine::new(&weights).unwrap()) as Box<dyn Inference>;
        let secs = time(&mut [net(), net()], &positions, 0.0).unwrap();
        assert!(secs.len() == 2 && secs[0] > 0.0 && secs[0] <= secs[1], "{secs:?}");
        assert_eq!(time(&mut [net()], &first(&positions, 2), 0.0).unwrap().len(), 1);
    }
}
