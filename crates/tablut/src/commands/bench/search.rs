//! `tablut bench search`: simulations a second on one core without a net, the tree's memory, and what a kept tree saves.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_rules::{Game, MoveList, Rules, Side};
use tablut_search::{
    EvaluateError, Evaluation, Evaluator, Method, Query, Search, SearchConfig, SelfPlaySearch, Solver, UniformEvaluator,
};

use super::figures::{print, seconds};
use crate::console::Console;

/// Every run does the same work.
const SEED: u64 = 1;

/// Time the search alone, on one core, with an evaluator that costs nothing
///
/// First it searches positions from random games with equal policies and values. Then it plays short games to count the
/// evaluations that a tree saves if it is kept between moves. These games use a net's evaluations, or fixed random ones.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule sets
    #[arg(long, value_delimiter = ',', default_value = "kvasir")]
    rules: Vec<String>,
    /// What the search proves and finds without an evaluation: off, threats or deep
    #[arg(long, default_value = "deep", value_parser = solver)]
    solver: Solver,
    /// Simulations of each search
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..))]
    simulations: u32,
    /// Count saved evaluations with this model's evaluations [default: fixed random ones]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Seconds to spend on each timing
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    secs: f64,
    /// Plies of each game in which saved evaluations are counted
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    /// Print one JSON object per line for each rule set and method
    #[arg(long)]
    json: bool,
}

/// What the searches of one rule set by one method took.
#[derive(Debug, Serialize)]
struct Report {
    rules: String,
    method: Method,
    solver: Solver,
    simulations_per_search: u32,
    /// Mean over all searches.
    simulations_per_sec: f64,
    /// From the fastest search of each position: the machine when nothing else runs.
    best_simulations_per_sec: f64,
    /// Share of the simulations that asked for an evaluation; the others ended in a known result.
    evaluated_share: f64,
    tree: Bytes,
    /// Evaluations for each move of a game, with a new tree for each move.
    evaluations_per_move: f64,
    /// The same, with a tree that is kept between moves.
    evaluations_per_move_with_kept_tree: f64,
}

/// What a search's memory takes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Bytes {
    /// For each node, its legal moves included.
    per_node: f64,
    /// For each legal move, visited or not.
    per_edge: f64,
}

/// Measures each rule set with both methods and prints a line for each.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    for name in &args.rules {
        let rules = Arc::new(Rules::load(name)?);
        for config in configs(args.solver) {
            let report = measure(&rules, &config, args)?;
            print(console, &report, args.json)?;
        }
    }
    Ok(())
}

/// The searches of self-play and of analysis.
fn configs(solver: Solver) -> [SearchConfig; 2] {
    let selfplay = SelfPlaySearch { solver, ..SelfPlaySearch::default() }.config();
    [selfplay, SearchConfig { method: Method::Puct, solver, ..SearchConfig::for_analysis() }]
}

fn measure(rules: &Arc<Rules>, config: &SearchConfig, args: &Args) -> anyhow::Result<Report> {
    let games = positions(rules, 16);
    // Unless the root is proven, all simulations are spent.
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
        evaluations_per_move: evaluations_per_move(rules, config, args, false)?,
        evaluations_per_move_with_kept_tree: evaluations_per_move(rules, config, args, true)?,
    })
}

/// What searches of the games' positions take.
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

/// Plays a game against itself and counts the evaluations for each move. Between moves the tree is `kept`, or made anew.
fn evaluations_per_move(rules: &Arc<Rules>, config: &SearchConfig, args: &Args, kept: bool) -> anyhow::Result<f64> {
    let mut evaluator = opinions(args)?;
    let game = Game::new(rules.clone(), rules.set().first.side().unwrap_or(Side::Attackers));
    let mut search = Search::new(game, config, args.simulations, ChaCha8Rng::seed_from_u64(SEED));
    let (mut played, mut evaluations) = (0, 0);
    while search.game().outcome().is_none() && played < args.plies {
        finish(&mut search, &mut evaluator)?;
        let result = search.result();
        evaluations += result.evaluations;
        if kept {
            search.advance(result.chosen);
        } else {
            let mut game = search.game().clone();
            game.play(result.chosen)?;
            search = Search::new(game, config, args.simulations, ChaCha8Rng::seed_from_u64(SEED + u64::from(played)));
        }
        played += 1;
    }
    Ok(f64::from(evaluations) / f64::from(played))
}

/// Whose evaluations are counted.
fn opinions(args: &Args) -> anyhow::Result<Box<dyn Evaluator>> {
    let Some(file) = &args.model else { return Ok(Box::new(Opinions)) };
    let engine = Engine::with_threads(&Model::load(file)?.weights, 1)?;
    Ok(Box::new(NetEvaluator::new(Box::new(engine))))
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

/// Positions after 0, 4, 8, … random moves in which nobody wins at once.
fn positions(rules: &Arc<Rules>, n: usize) -> Vec<Game> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut games = Vec::new();
    let mut moves = MoveList::new();
    while games.len() < n {
        let mut game = Game::new(rules.clone(), rules.set().first.side().unwrap_or(Side::Attackers));
        for _ in 0..4 * games.len() {
            game.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            game.play_trusted(moves[rng.next_u32() as usize % moves.len()]);
        }
        if game.outcome().is_none() && !rules.wins_at_once(game.position(), game.position().side_to_move()) {
            games.push(game);
        }
    }
    games
}

/// Fixed random policies and values: what a position is worth depends on its hash alone.
struct Opinions;

impl Evaluator for Opinions {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        let opinion = |query: &Query| {
            let mut rng = ChaCha8Rng::seed_from_u64(query.position.hash());
            let mut unit = || (rng.next_u32() >> 8) as f32 / (1 << 24) as f32;
            let attackers = 0.25 + 0.5 * unit();
            let logits = query.moves.iter().map(|_| 4.0 * unit()).collect();
            Evaluation { logits, wdl: [attackers, 0.0, 1.0 - attackers], moves_left: 0.0 }
        };
        Ok(queries.iter().map(opinion).collect())
    }
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
        writeln!(f, "{:>17} bytes a node {:.0}, a legal move {:.1}", "", self.tree.per_node, self.tree.per_edge)?;
        write!(
            f,
            "{:>17} evaluations a move {:.0}; saved by a kept tree {:.1} %",
            "",
            self.evaluations_per_move,
            100.0 * (1.0 - self.evaluations_per_move_with_kept_tree / self.evaluations_per_move),
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_accounts_for_its_searches() {
        let args = Args {
            rules: vec![],
            solver: Solver::Threats,
            simulations: 20,
            model: None,
            secs: 0.0,
            plies: 4,
            json: false,
        };
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        for config in configs(args.solver) {
            let report = measure(&rules, &config, &args).unwrap();
            assert!(report.best_simulations_per_sec > 0.0 && report.evaluated_share <= 1.1);
            assert!(report.tree.per_edge < 32.0, "{report}");
            // At most one evaluation for each simulation and the root.
            assert!(report.evaluations_per_move <= 21.0, "{report}");
            assert!(report.evaluations_per_move_with_kept_tree <= report.evaluations_per_move, "{report}");
        }
    }
}
