//! Simulations per second on one core without a net, and the tree's memory.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use rand::{SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_rules::{Game, Rules};
use tablut_search::{EvaluateError, Evaluator, Method, Search, SearchConfig, SelfPlaySearch, Solver, UniformEvaluator};

use crate::{print, random_game};

/// Every run does the same work.
const SEED: u64 = 1;

/// Time the search without a net, on one core
///
/// It searches positions from random games. The evaluator returns uniform policies and equal values.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule sets
    #[arg(long, value_delimiter = ',', default_value = "kvasir")]
    rules: Vec<String>,
    /// The solver, which proves results without an evaluation: off, threats or deep
    #[arg(long, default_value = "deep", value_parser = solver)]
    solver: Solver,
    /// Simulations of each search
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..))]
    simulations: u32,
    /// Seconds to spend on each timing
    #[arg(long, default_value_t = 2.0, value_parser)]
    secs: f64,
    /// Print one JSON object per line for each rule set and method
    #[arg(long)]
    json: bool,
}

/// The figures of one rule set and one method.
#[derive(Debug, Serialize)]
struct Report {
    rules: String,
    method: Method,
    solver: Solver,
    simulations_per_search: u32,
    /// Mean over all searches.
    simulations_per_sec: f64,
    /// From the fastest search of each position, which other processes disturb least.
    best_simulations_per_sec: f64,
    /// Share of the simulations that asked for an evaluation. The others ended in a known result.
    evaluated_share: f64,
    tree: Bytes,
}

/// The memory of a search tree, in bytes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Bytes {
    /// Per node, including its legal moves.
    per_node: f64,
    /// Per legal move, visited or not.
    per_edge: f64,
}

/// Measures each rule set with both methods and prints a line for each.
pub fn run(args: &Args) -> anyhow::Result<()> {
    for name in &args.rules {
        let rules = Arc::new(Rules::load(name)?);
        for config in configs(args.solver) {
            let report = measure(&rules, &config, args)?;
            print(&report, args.json)?;
        }
    }
    Ok(())
}

/// The search settings of self-play and of analysis.
fn configs(solver: Solver) -> [SearchConfig; 2] {
    let selfplay = SelfPlaySearch { solver, ..SelfPlaySearch::default() }.config();
    [selfplay, SearchConfig { method: Method::Puct, solver, ..SearchConfig::for_analysis() }]
}

fn measure(rules: &Arc<Rules>, config: &SearchConfig, args: &Args) -> anyhow::Result<Report> {
    let games = positions(rules, 16);
    // All simulations are spent unless the root is proven.
    let whole = SearchConfig { stop_when_decided: false, ..config.clone() };
    let (mut simulations, mut evaluations) = (0_u64, 0_u64);
    let (mut fastest_secs, start) = (vec![f64::INFINITY; games.len()], Instant::now());
    let mut rounds = 0;
    while simulations == 0 || start.elapsed().as_secs_f64() < args.secs {
        for (game, fastest) in games.iter().zip(&mut fastest_secs) {
            let start = Instant::now();
            let mut search = Search::new(game.clone(), &whole, args.simulations, ChaCha8Rng::seed_from_u64(SEED));
            finish(&mut search, &mut UniformEvaluator)?;
            let result = search.result();
            *fastest = fastest.min(start.elapsed().as_secs_f64());
            simulations += u64::from(result.simulations);
            evaluations += u64::from(result.evaluations);
        }
        rounds += 1;
    }
    // Every round spends the same simulations.
    let in_round = simulations as f64 / f64::from(rounds);
    let secs = start.elapsed().as_secs_f64();
    Ok(Report {
        rules: rules.name().to_owned(),
        method: config.method,
        solver: config.solver,
        simulations_per_search: args.simulations,
        simulations_per_sec: simulations as f64 / secs,
        best_simulations_per_sec: in_round / fastest_secs.iter().sum::<f64>(),
        evaluated_share: evaluations as f64 / simulations as f64,
        tree: bytes(&games, &whole, args.simulations)?,
    })
}

/// The memory of searches of the games' positions.
fn bytes(games: &[Game], config: &SearchConfig, simulations: u32) -> Result<Bytes, EvaluateError> {
    let (mut nodes, mut edges, mut bytes) = (0, 0, 0);
    for game in games {
        let mut search = Search::new(game.clone(), config, simulations, ChaCha8Rng::seed_from_u64(SEED));
        finish(&mut search, &mut UniformEvaluator)?;
        let memory = search.memory();
        (nodes, edges, bytes) = (nodes + memory.nodes, edges + memory.edges, bytes + memory.bytes);
    }
    Ok(Bytes { per_node: bytes as f64 / nodes as f64, per_edge: bytes as f64 / edges as f64 })
}

fn finish(search: &mut Search, evaluator: &mut impl Evaluator) -> Result<(), EvaluateError> {
    let mut queries = Vec::new();
    while !search.is_done() {
        search.gather(&mut queries);
        search.apply(&evaluator.evaluate(&queries)?);
        queries.clear();
    }
    Ok(())
}

/// Positions after 0, 4, 8, … random moves, without those in which the side to move wins at once.
fn positions(rules: &Arc<Rules>, n: usize) -> Vec<Game> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut games = Vec::new();
    while games.len() < n {
        let game = random_game(rules, 4 * games.len() as u32, &mut rng);
        if game.outcome().is_none() && !rules.wins_at_once(game.position(), game.position().side_to_move()) {
            games.push(game);
        }
    }
    games
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match self.method {
            Method::Gumbel => "gumbel",
            Method::Puct => "puct",
            Method::Auto => "auto",
        };
        writeln!(
            f,
            "{:<10} {method:<6} {:>5} simulations  {:>9.0} simulations/s (best {:>9.0})  {:.0} % evaluated",
            self.rules,
            self.simulations_per_search,
            self.simulations_per_sec,
            self.best_simulations_per_sec,
            100.0 * self.evaluated_share,
        )?;
        write!(f, "{:>17} bytes a node {:.0}, a legal move {:.1}", "", self.tree.per_node, self.tree.per_edge)
    }
}

fn solver(text: &str) -> Result<Solver, String> {
    match text {
        "off" => Ok(Solver::Off),
        "threats" => Ok(Solver::Threats),
        "deep" => Ok(Solver::Deep),
        _ => Err("expected off, threats or deep".to_owned()),
    }
}
