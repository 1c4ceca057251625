//! Perft leaves and random playouts per second on one core.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use anyhow::ensure;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_rules::{Game, MoveList, Position, RULE_SET_NAMES, Rules, Side};

use crate::print;

/// Every run plays the same games.
const SEED: u64 = 1;

/// Plies after which a playout is cut off.
const PLAYOUT_PLIES: u32 = 200;

/// Time move generation and play on one core
///
/// Perft counts from the start position; the last ply is counted but not played. Playouts are random games with all
/// rules about history, stopped after 200 plies.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule sets [default: all built-in ones]
    #[arg(long, value_delimiter = ',', value_name = "R")]
    rules: Vec<String>,
    /// Depth of perft, in plies
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: u32,
    /// Rounds of perft; both the best and the mean are reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Random playouts
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    playouts: u32,
    /// Print one JSON object per line for each rule set
    #[arg(long)]
    json: bool,
}

/// The figures of one rule set.
#[derive(Debug, Serialize)]
struct Report {
    rules: String,
    first: Side,
    depth: u32,
    /// Move sequences counted in one round.
    leaves: u64,
    /// Over all rounds.
    leaves_per_sec: f64,
    /// In the fastest round, which other processes disturb least.
    best_leaves_per_sec: f64,
    playouts_per_sec: f64,
    playout_plies_per_sec: f64,
}

/// Times every rule set and prints a line for each.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let builtin = || RULE_SET_NAMES.map(str::to_owned).to_vec();
    let names = if args.rules.is_empty() { builtin() } else { args.rules.clone() };
    for name in names {
        let report = time_rules(&Arc::new(Rules::load(&name)?), args)?;
        print(&report, args.json)?;
    }
    Ok(())
}

fn time_rules(rules: &Arc<Rules>, args: &Args) -> anyhow::Result<Report> {
    let first = rules.set().first.side().unwrap_or(Side::Attackers);
    let start = Position::start(first);
    let leaves = rules.perft(&start, args.depth);
    let mut round_secs = Vec::new();
    for _ in 0..args.rounds {
        let begun = Instant::now();
        let counted = rules.perft(&start, args.depth);
        round_secs.push(begun.elapsed().as_secs_f64());
        ensure!(counted == leaves, "perft counted {counted} and before {leaves}");
    }
    let best = round_secs.iter().copied().fold(f64::INFINITY, f64::min);
    let (plies, playout_secs) = time_playouts(rules, first, args.playouts);
    Ok(Report {
        rules: rules.name().to_owned(),
        first,
        depth: args.depth,
        leaves,
        leaves_per_sec: leaves as f64 * f64::from(args.rounds) / round_secs.iter().sum::<f64>(),
        best_leaves_per_sec: leaves as f64 / best,
        playouts_per_sec: f64::from(args.playouts) / playout_secs,
        playout_plies_per_sec: plies as f64 / playout_secs,
    })
}

/// Plays random games. Returns the plies played and the seconds.
fn time_playouts(rules: &Arc<Rules>, first: Side, n_playouts: u32) -> (u64, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut moves = MoveList::new();
    let mut plies = 0;
    let begun = Instant::now();
    for _ in 0..n_playouts {
        let mut game = Game::new(Arc::clone(rules), first).with_max_plies(PLAYOUT_PLIES);
        game.reserve(PLAYOUT_PLIES as usize);
        while game.outcome().is_none() {
            game.legal_moves(&mut moves);
            let index = (u64::from(rng.next_u32()) * moves.len() as u64) >> 32;
            game.play_trusted(moves[index as usize]);
        }
        plies += u64::from(game.ply());
    }
    (plies, begun.elapsed().as_secs_f64())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<26} perft {} {:>12}: {:>6.1} M leaves/s (best {:>6.1} M); playouts {:>7.0}/s, {:>5.2} M plies/s",
            self.rules,
            self.depth,
            self.leaves,
            self.leaves_per_sec / 1e6,
            self.best_leaves_per_sec / 1e6,
            self.playouts_per_sec,
            self.playout_plies_per_sec / 1e6,
        )
    }
}
