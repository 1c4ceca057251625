//! `tablut bench inference`: positions a second through the CPU engine or a device, for this machine.

mod on_device;
mod positions;
mod rounding;

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use rounding::Rounding;
use serde::Serialize;
use tablut_net::{
    Architecture, Engine, EngineOptions, Inference, InputBatch, Model, OutputBatch, Precision, Processor, Weights,
    durable, onnx,
};

use super::figures::{at_least_one, print, seconds};
use crate::console::Console;
use crate::nets::DeviceArgs;

/// Seed of the weights and of the positions; every run times the same work.
const SEED: u64 = 1;
/// Positions over which the effect of rounding is taken.
const N_ROUNDED: usize = 2000;

/// Time the CPU engine or a device on positions from random games of every built-in rule set
///
/// All combinations of the given shapes, threads, precisions and batch sizes are timed one after another. On a device each
/// thread evaluates batches of its own, as in self-play, and the device has the precision that suits it.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Net shapes, such as b6c64
    #[arg(long, value_delimiter = ',', default_value = "b6c64")]
    shape: Vec<Architecture>,
    /// Model files to time instead of nets with random weights; with a kind of bf16, also the effect of rounding on
    /// their outputs
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
    /// Precision of the convolutions on the cores: f32, bf16-avx512, bf16-amx, or fastest (a kind of bf16 where the
    /// machine is faster in it, otherwise f32)
    #[arg(long, value_delimiter = ',', default_value = "f32")]
    precision: Vec<Precision>,
    /// Seconds to spend on each combination
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    secs: f64,
    /// Print one JSON object per line for each combination
    #[arg(long)]
    json: bool,
    /// Also write the timed net (of the first shape) as an ONNX file, for timing other runtimes
    #[arg(long, value_name = "FILE")]
    onnx: Option<PathBuf>,
}

/// What one combination took.
#[derive(Debug, Serialize)]
struct Timing {
    shape: Architecture,
    batch: usize,
    threads: usize,
    precision: String,
    /// The instruction set in use.
    simd: String,
    /// Batches timed.
    n_batches: usize,
    /// From the median time of a batch.
    evals_per_sec: f64,
    /// From the shortest time of a batch: the machine when nothing else runs.
    best_evals_per_sec: f64,
    /// Floating-point operations that direct convolution would need a second, in units of 10⁹.
    direct_gflops: f64,
}

/// Times every combination and prints a line for each.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let nets = nets(args)?;
    if let (Some(path), Some(weights)) = (&args.onnx, nets.first()) {
        let bytes = onnx::encode(weights, &[]);
        durable::write(path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let largest = args.batch.iter().copied().max().unwrap_or(1);
    let positions = positions::random(largest, SEED)?;
    let device = args.device.open()?;
    for weights in &nets {
        if let Processor::Device(device) = device.processor() {
            for (threads, batch) in pairs(&args.threads, &args.batch) {
                let input = positions::first(&positions, batch);
                print(console, &on_device::time(&*device, weights, &input, threads, args.secs)?, args.json)?;
            }
            continue;
        }
        for (n_threads, precision) in pairs(&args.threads, &args.precision) {
            let options = EngineOptions { n_threads, precision, ..EngineOptions::default() };
            let mut engine = Engine::with_options(weights, options)?;
            for &batch in &args.batch {
                let input = positions::first(&positions, batch);
                print(console, &time(&mut engine, &input, n_threads, args.secs)?, args.json)?;
            }
        }
        if !args.model.is_empty() {
            for &precision in args.precision.iter().filter(|precision| **precision != Precision::F32) {
                let positions = positions::random(N_ROUNDED, SEED + 1)?;
                print(console, &Rounding::measure(weights, precision, &positions)?, args.json)?;
            }
        }
    }
    Ok(())
}

/// The nets to time: those of the model files, or one with random weights for each shape.
fn nets(args: &Args) -> anyhow::Result<Vec<Weights>> {
    if args.model.is_empty() {
        return Ok(args.shape.iter().map(|shape| Weights::initial(shape, SEED)).collect());
    }
    args.model.iter().map(|path| Ok(Model::load(path)?.weights)).collect()
}

/// Every pair of one of `a` and one of `b`.
fn pairs<A: Copy, B: Copy>(a: &[A], b: &[B]) -> impl Iterator<Item = (A, B)> {
    a.iter().flat_map(move |&a| b.iter().map(move |&b| (a, b)))
}

/// Evaluates `input` again and again for `secs` seconds, after a tenth of that to warm up.
fn time(engine: &mut Engine, input: &InputBatch, threads: usize, secs: f64) -> anyhow::Result<Timing> {
    let mut output = OutputBatch::default();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < secs / 10.0 {
        engine.infer(input, &mut output)?;
    }
    let mut batch_secs = Vec::new();
    let start = Instant::now();
    while batch_secs.is_empty() || start.elapsed().as_secs_f64() < secs {
        let start = Instant::now();
        engine.infer(input, &mut output)?;
        batch_secs.push(start.elapsed().as_secs_f64());
    }
    batch_secs.sort_by(f64::total_cmp);
    let per_sec = |secs: f64| input.n as f64 / secs;
    let evals_per_sec = per_sec(batch_secs[batch_secs.len() / 2]);
    Ok(Timing {
        shape: engine.architecture().clone(),
        batch: input.n,
        threads,
        precision: engine.precision().to_string(),
        simd: engine.simd().to_string(),
        n_batches: batch_secs.len(),
        evals_per_sec,
        best_evals_per_sec: per_sec(batch_secs[0]),
        direct_gflops: evals_per_sec * engine.architecture().operations() as f64 / 1e9,
    })
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread " } else { "threads" };
        write!(
            f,
            "{:<8} batch {:>4}  {} {threads}  {:>9.0} positions/s (best {:>9.0})  {:>7.1} GFLOP/s of direct convolution  {} {}",
            self.shape.to_string(),
            self.batch,
            self.threads,
            self.evals_per_sec,
            self.best_evals_per_sec,
            self.direct_gflops,
            self.precision,
            self.simd
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_batch_is_timed_even_in_no_time() {
        let weights = Weights::initial(&"b1c16".parse().unwrap(), 1);
        let mut engine = Engine::new(&weights).unwrap();
        let positions = positions::random(3, 1).unwrap();
        let timing = time(&mut engine, &positions::first(&positions, 2), 1, 0.0).unwrap();
        assert_eq!((timing.batch, timing.n_batches), (2, 1));
        assert!(timing.best_evals_per_sec >= timing.evals_per_sec);
    }
}
