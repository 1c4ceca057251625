//! `tablut bench selfplay`: self-play's speed, the share of it inside the net, and the gain over burn's evaluator or of a
//! device over the cores.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::Serialize;
use tablut_games::{CancelToken, Concurrency, Counters, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks};
use tablut_learn::{BurnInference, MachineConfig};
use tablut_net::{Architecture, Inference, Model, NetEvaluator, Processor, Weights};
use tablut_rules::Rules;
use tablut_search::SearchConfig;

use crate::console::Console;
use crate::nets::DeviceArgs;

/// Time self-play with the CPU engine and with burn's evaluator or a device, alternating
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Shape of an untrained net
    #[arg(long, default_value = "b4c32")]
    shape: Architecture,
    /// A model file instead of an untrained net
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Rule set, by name or TOML file
    #[arg(long, default_value = "kvasir", value_name = "R")]
    rules: String,
    /// Games per round
    #[arg(long, default_value_t = 128, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Simulations per move
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Plies after which a game ends
    #[arg(long, default_value_t = 40, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: u32,
    /// Rounds; both evaluators play each one
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    device: DeviceArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One evaluator's rounds together.
#[derive(Clone, Debug, Default, Serialize)]
struct Speed {
    games_per_sec: f64,
    positions_per_sec: f64,
    evaluations_per_sec: f64,
    /// Share of the workers' wall time inside the net, encoding included.
    net_share: f64,
    /// Positions evaluated at once, mean.
    mean_batch: f64,
}

#[derive(Clone, Debug, Default)]
struct Totals {
    games: f64,
    positions: f64,
    evaluations: f64,
    batches: f64,
    net_seconds: f64,
    seconds: f64,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    shape: String,
    rules: String,
    simulations: u32,
    threads: usize,
    engine: Speed,
    #[serde(skip_serializing_if = "Option::is_none")]
    burn: Option<Speed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<OfDevice>,
    /// Engine's positions a second ÷ burn's, or the device's ÷ the engine's.
    gain: f64,
}

/// A device's rounds.
#[derive(Serialize)]
struct OfDevice {
    name: String,
    /// Threads of its self-play: more than cores, because they wait for the device.
    threads: usize,
    #[serde(flatten)]
    speed: Speed,
}

/// Makes a thread's own net.
type MakeNet<'a> = &'a (dyn Fn() -> Box<dyn Inference> + Sync);

/// Plays and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let weights = match &args.model {
        Some(path) => Model::load(path)?.weights,
        None => Weights::initial(&args.shape, 1),
    };
    let weights = Arc::new(weights);
    let rules = Arc::new(Rules::load(&args.rules)?);
    let default = Concurrency::default();
    let concurrency = Concurrency { workers: args.threads.map_or(default.workers, usize::from), ..default };
    let device = args.device.open()?;
    let machine = MachineConfig { workers: args.threads.map_or(0, usize::from), ..MachineConfig::default() };
    let (cores, on_device) = (Processor::Cpu.load(weights.clone())?, device.processor().load(weights.clone())?);
    let engine = || cores.share();
    let other = || -> Box<dyn Inference> {
        if device.is_cpu() { Box::new(BurnInference::cpu(&weights)) } else { on_device.share() }
    };
    let (mut of_engine, mut of_other) = (Totals::default(), Totals::default());
    let others = device.concurrency(&machine);
    for round in 0..args.rounds {
        round_of_games(args, round, &rules, &engine, concurrency, &mut of_engine)?;
        round_of_games(args, round, &rules, &other, others, &mut of_other)?;
    }
    let engine = Speed::of(&of_engine, concurrency.workers);
    let other = Speed::of(&of_other, others.workers);
    let ratio = engine.positions_per_sec / other.positions_per_sec;
    let (burn, device, gain) = if device.is_cpu() {
        (Some(other), None, ratio)
    } else {
        let device = OfDevice { name: device.name().to_owned(), threads: others.workers, speed: other };
        (None, Some(device), 1.0 / ratio)
    };
    let report = Report {
        shape: weights.architecture().to_string(),
        rules: rules.name().to_owned(),
        simulations: args.simulations,
        threads: concurrency.workers,
        gain,
        engine,
        burn,
        device,
    };
    if args.json {
        writeln!(console, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        write!(console, "{}", report.text())?;
    }
    Ok(())
}

fn round_of_games(
    args: &Args,
    round: u32,
    rules: &Arc<Rules>,
    make: MakeNet<'_>,
    concurrency: Concurrency,
    totals: &mut Totals,
) -> anyhow::Result<()> {
    let config = SelfPlayConfig { max_plies: args.max_plies, ..SelfPlayConfig::default() };
    let search = SearchConfig { simulations: args.simulations, ..SearchConfig::default() };
    let counters = Counters::default();
    let start = Instant::now();
    let games = run_tasks(
        args.games as usize,
        concurrency,
        |index| {
            let rng = game_rng(1, u64::from(round), index as u64);
            SelfPlayGame::new(index as u64, rules, &config, &search, rng)
        },
        || vec![Box::new(NetEvaluator::new(make()))],
        &counters,
        &CancelToken::new(),
        |_, _| {},
    )?;
    totals.seconds += start.elapsed().as_secs_f64();
    totals.games += games.len() as f64;
    totals.positions += games.iter().map(|game| game.plies.len() as f64).sum::<f64>();
    totals.evaluations += counters.evaluations.load(Ordering::Relaxed) as f64;
    totals.batches += counters.batches.load(Ordering::Relaxed) as f64;
    totals.net_seconds += counters.evaluator_micros.load(Ordering::Relaxed) as f64 / 1e6;
    Ok(())
}

impl Speed {
    fn of(totals: &Totals, workers: usize) -> Self {
        Self {
            games_per_sec: totals.games / totals.seconds,
            positions_per_sec: totals.positions / totals.seconds,
            evaluations_per_sec: totals.evaluations / totals.seconds,
            net_share: totals.net_seconds / (totals.seconds * workers as f64),
            mean_batch: totals.evaluations / totals.batches.max(1.0),
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let line = |name: &str, speed: &Speed| {
            format!(
                "{name:<8} {:>8.1} {:>12.0} {:>14.0} {:>9.0} % {:>10.0}\n",
                speed.games_per_sec,
                speed.positions_per_sec,
                speed.evaluations_per_sec,
                100.0 * speed.net_share,
                speed.mean_batch
            )
        };
        let gain = self.device.as_ref().map_or("gain over burn".to_owned(), |device| {
            format!("gain of {} with {} threads", device.name, device.threads)
        });
        format!(
            "{} on {}, {} simulations, {} threads\n\n{:<8} {:>8} {:>12} {:>14} {:>11} {:>10}\n{}{}{}\n{}: {:.1} ×\n",
            self.shape,
            self.rules,
            self.simulations,
            self.threads,
            "",
            "games/s",
            "positions/s",
            "evaluations/s",
            "in the net",
            "mean batch",
            line("engine", &self.engine),
            self.burn.as_ref().map_or(String::new(), |burn| line("burn", burn)),
            self.device.as_ref().map_or(String::new(), |device| line("device", &device.speed)),
            gain,
            self.gain
        )
    }
}
