//! `tablut analyze MODEL`: what a net and its search say about a position.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tablut_games::NetEvaluator;
use tablut_net::{Engine, Model};
use tablut_play::{Analysis, Style, analysis_text};
use tablut_rules::{Game, Rules, Side};
use tablut_search::Limit;

use super::rules_for;

/// Simulations when neither `--simulations` nor `--time` is given.
const SIMULATIONS: u32 = 800;

/// Search a position and show its value, the best lines and what is proven
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The model file
    model: PathBuf,
    /// Rule set, by name or TOML file [default: kvasir, or what else the net was trained on]
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Who moves first, where neither the rule set nor the position says it
    #[arg(long, value_name = "SIDE")]
    first: Option<Side>,
    /// The position, such as "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a" [default: the start]
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Simulations to spend [default: 800]
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    simulations: Option<u32>,
    /// Time to spend, such as 500ms or 10s
    #[arg(long, value_name = "T", value_parser = time)]
    time: Option<Limit>,
    /// How many moves to show with their lines
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    lines: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw the board with ASCII characters alone
    #[arg(long)]
    ascii: bool,
    /// Moves played from the position before it is analysed, such as d1-d3
    #[arg(value_name = "MOVE")]
    moves: Vec<String>,
}

/// Searches and prints.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let model = Model::load(&args.model)?;
    let rules = rules_for(args.rules.as_deref(), &args.model, &model)?;
    let game = game(args, rules)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let engine = Engine::with_threads(&model.weights, threads)
        .with_context(|| format!("model file {}", args.model.display()))?;
    let limit = args.time.unwrap_or(Limit::of_simulations(args.simulations.unwrap_or(SIMULATIONS)));
    let evaluator = Box::new(NetEvaluator::new(Box::new(engine)));
    let analysis = Analysis::new(evaluator, &game, limit, args.lines.into())?;
    if args.json {
        println!("{}", serde_json::to_string(&analysis)?);
    } else {
        let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        print!("{}", analysis_text(&analysis, &game, Style { colour, unicode: !args.ascii }));
    }
    Ok(())
}

/// The game to analyse, with its moves played.
fn game(args: &Args, rules: Arc<Rules>) -> anyhow::Result<Game> {
    let first_move = args.moves.first().map(String::as_str);
    let position = rules.opening_of(args.first, args.position.as_deref(), first_move)?;
    let mut game = Game::from_position(rules, position)?;
    for text in &args.moves {
        let ply = game.ply() + 1;
        let mv = text.parse().with_context(|| format!("ply {ply}"))?;
        game.play(mv).with_context(|| format!("ply {ply}"))?;
    }
    Ok(game)
}

fn time(text: &str) -> Result<Limit, String> {
    let limit: Option<Limit> = text.parse().ok();
    limit
        .filter(|limit| limit.simulations().is_none())
        .ok_or_else(|| "expected a time such as 500ms or 10s, at most a day".to_owned())
}
