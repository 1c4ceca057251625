//! `tablut analyze`: a net's and its search's results for a position.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use tablut_net::{NetEvaluator, Precision};
use tablut_play::{PositionReport, Style, report_text};
use tablut_rules::{Game, MoveText, Rules, Side};
use tablut_search::Limit;

use crate::console::Console;
use crate::nets::{DeviceArgs, load_model, model_name, rules_for};
use crate::progress::Progress;

/// Simulations when neither `--simulations` nor `--time` is given.
const SIMULATIONS: u32 = 800;

/// Search a position and show its value, the best lines and proven results
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set, by name or TOML file [default: kvasir, or the net's own if it was not trained on kvasir]
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Who moves first, if neither the rule set nor the position says so
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
    #[command(flatten)]
    device: DeviceArgs,
    /// Draw the board with ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// The model file, unless the first word is already a move [default: the net that comes with the program]
    #[arg(value_name = "MODEL")]
    model_or_move: Option<String>,
    /// Moves played from the position before it is analysed, such as d1-d3
    #[arg(value_name = "MOVE")]
    moves: Vec<String>,
}

/// Searches and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let (path, moves) = args.model_and_moves()?;
    let model = load_model(path)?;
    let rules = rules_for(args.rules.as_deref(), path, &model, console.voice)?;
    let game = game(args, &moves, rules)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let limit = args.time.unwrap_or(Limit::of_simulations(args.simulations.unwrap_or(SIMULATIONS)));
    let precision = if limit.is_reproducible() { Precision::F32 } else { Precision::Fastest };
    let net = args.device.processor()?.inference_in(&model.weights, threads, precision);
    let net = net.with_context(|| model_name(path))?;
    let evaluator = Box::new(NetEvaluator::new(net));
    let searching = Progress::waiting(console.voice, format_args!("searching ({limit})"));
    let report = PositionReport::new(evaluator, &game, limit, args.lines.into())?;
    drop(searching);
    if args.json {
        writeln!(console, "{}", serde_json::to_string(&report)?)?;
    } else {
        let style = Style { colour: console.has_colour(), unicode: !args.ascii };
        write!(console, "{}", report_text(&report, &game, style))?;
    }
    Ok(())
}

impl Args {
    /// The model file, if the first word names one, and the moves. A word in the form of a move is a move: `./d1-d3` would be a
    /// file of that name.
    fn model_and_moves(&self) -> anyhow::Result<(Option<&Path>, Vec<&str>)> {
        let moves = self.moves.iter().map(String::as_str);
        match self.model_or_move.as_deref() {
            Some(word) if word.parse::<MoveText>().is_ok() => Ok((None, std::iter::once(word).chain(moves).collect())),
            Some(word) if !Path::new(word).exists() => {
                bail!("{word}: there is no such model file, and it is no move either, such as d1-d3")
            }
            word => Ok((word.map(Path::new), moves.collect())),
        }
    }
}

/// The game to analyse, with its moves played.
fn game(args: &Args, moves: &[&str], rules: Arc<Rules>) -> anyhow::Result<Game> {
    let first_move = moves.first().copied();
    let position = rules.opening_of(args.first, args.position.as_deref(), first_move)?;
    let mut game = Game::from_position(rules, position)?;
    for text in moves {
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
