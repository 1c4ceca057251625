//! `tablut bench selfplay`: self-play's speed, the share of it inside the net, and the gain over burn's evaluator.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::Serialize;
use tablut_games::{CancelToken, Concurrency, Counters, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks};
use tablut_learn::BurnInference;
use tablut_net::{Architecture, Engine, Inference, Model, NetEvaluator, Weights};
use tablut_rules::Rules;
use tablut_search::SearchConfig;

use crate::console::Console;

/// Time self-play with the CPU engine and with burn's evaluator, alternating
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
    #[serde(skip)]
    totals: Totals,
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
    burn: Speed,
    /// Engine's positions a second ÷ burn's.
    gain: f64,
}

type MakeNet = fn(&Weights) -> anyhow::Result<Box<dyn Inference>>;

/// Plays and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let weights = match &args.model {
        Some(path) => Model::load(path)?.weights,
        None => Weights::initial(&args.shape, 1),
    };
    let rules = Arc::new(Rules::load(&args.rules)?);
    let default = Concurrency::default();
    let concurrency = Concurrency { workers: args.threads.map_or(default.workers, usize::from), ..default };
    Engine::new(&weights)?;
    let engine: MakeNet = |weights| Ok(Box::new(Engine::new(weights)?));
    let burn: MakeNet = |weights| Ok(Box::new(BurnInference::cpu(weights)));
    let mut speeds = [Speed::default(), Speed::default()];
    for round in 0..args.rounds {
        for (speed, make) in speeds.iter_mut().zip([engine, burn]) {
            round_of_games(args, round, &rules, &weights, make, concurrency, &mut speed.totals)?;
        }
    }
    let [engine, burn] = speeds.map(|speed| Speed::of(speed.totals, concurrency.workers));
    let report = Report {
        shape: weights.architecture().to_string(),
        rules: rules.name().to_owned(),
        simulations: args.simulations,
        threads: concurrency.workers,
        gain: engine.positions_per_sec / burn.positions_per_sec,
        engine,
        burn,
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
    weights: &Weights,
    make: MakeNet,
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
        || vec![Box::new(NetEvaluator::new(make(weights).expect("the net was made once before")))],
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
    fn of(totals: Totals, workers: usize) -> Self {
        Self {
            games_per_sec: totals.games / totals.seconds,
            positions_per_sec: totals.positions / totals.seconds,
            evaluations_per_sec: totals.evaluations / totals.seconds,
            net_share: totals.net_seconds / (totals.seconds * workers as f64),
            mean_batch: totals.evaluations / totals.batches.max(1.0),
            totals,
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
        format!(
            "{} on {}, {} simulations, {} threads\n\n{:<8} {:>8} {:>12} {:>14} {:>11} {:>10}\n{}{}\ngain over burn: {:.1} ×\n",
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
            line("burn", &self.burn),
            self.gain
        )
    }
}
