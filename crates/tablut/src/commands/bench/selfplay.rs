//! `tablut bench selfplay`: measures the speed of self-play, and the share of its time inside the net.

use std::fmt;

use serde::Serialize;
use tablut_games::{CancelToken, Counters, PlayedGames};

use super::super::selfplay::GamesArgs;
use crate::console::Console;

/// Measure the self-play of a config
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    games: GamesArgs,
    /// Play with an untrained net of the config's shape
    #[arg(long, conflicts_with = "model")]
    untrained: bool,
    /// Repetitions of the games with other random numbers
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// All rounds together.
#[derive(Serialize)]
struct Report {
    shape: String,
    rules: Vec<String>,
    simulations: u32,
    games_per_sec: f64,
    /// Plies of the games, searched or not.
    positions_per_sec: f64,
    evaluations_per_sec: f64,
    /// Share of the threads' wall time inside the net, including encoding.
    net_share: f64,
    /// Mean number of positions that are evaluated at once.
    mean_batch: f64,
}

/// Plays and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let mut games = args.games.prepare(args.untrained)?;
    let mut rounds = Vec::new();
    for _ in 0..args.rounds {
        rounds.push(games.play(&Counters::default(), &CancelToken::new(), &|| {})?);
        games.order.generation += 1;
    }
    let seconds: f64 = rounds.iter().map(|round| round.seconds).sum();
    let per_sec = |count: fn(&PlayedGames) -> f64| rounds.iter().map(count).sum::<f64>() / seconds;
    let mean = |value: fn(&PlayedGames) -> f64| rounds.iter().map(value).sum::<f64>() / rounds.len() as f64;
    let order = &games.order;
    let report = Report {
        shape: order.weights.architecture().to_string(),
        rules: order.rules.iter().map(|rules| rules.name().to_owned()).collect(),
        simulations: order.simulations,
        games_per_sec: per_sec(|round| round.games.len() as f64),
        positions_per_sec: per_sec(|round| round.games.iter().map(|game| game.plies.len() as f64).sum()),
        evaluations_per_sec: per_sec(|round| round.evaluations as f64),
        net_share: mean(|round| round.net_share),
        mean_batch: mean(|round| round.mean_batch),
    };
    console.print_figures(&report, args.json)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = if self.rules.len() == 1 { &self.rules[0] } else { "several rule sets" };
        writeln!(f, "{} on {rules}, {} simulations", self.shape, self.simulations)?;
        write!(
            f,
            "{:.1} games/s, {:.0} positions/s, {:.0} evaluations/s, {:.0} % of the time in the net, mean batch {:.0}",
            self.games_per_sec,
            self.positions_per_sec,
            self.evaluations_per_sec,
            100.0 * self.net_share,
            self.mean_batch
        )
    }
}
