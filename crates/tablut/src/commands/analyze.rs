//! `tablut analyze`: a net's and its search's results for a position, or for every position of a game.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use tablut_games::is_shipped;
use tablut_net::{KnownRules, NetEvaluator, StatedRules, rules_of_file};
use tablut_play::{PositionReport, Style, read_game, write_game};
use tablut_rules::{Game, GameText, MoveText, Rules, Side};
use tablut_search::Limit;
use tablut_session::{Review, Tree};

use super::replay::USUAL_RULES;
use crate::console::Console;
use crate::nets::{DeviceArgs, load_model, load_rules, model_name, rules_for, told};
use crate::outputs::Overwrite;
use crate::progress::Progress;

/// Simulations of a position if neither `--simulations` nor `--time` is given.
const SIMULATIONS: u32 = 800;
/// Simulations of each position of a game.
const GAME_SIMULATIONS: u32 = 400;

/// Search a position and show its value, the best lines and proven results
///
/// With --game, review a game: print it with comments on mistakes and better moves.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The game to review: saved by `play` or the page, an OpenTafl record, or a list of moves
    #[arg(long, value_name = "FILE", conflicts_with_all = ["moves", "first", "position", "time", "lines", "json", "ascii"])]
    game: Option<PathBuf>,
    /// Write the reviewed game here, with better moves as variations: a file that ends in .txt is text, any other is
    /// JSON, which the page opens
    #[arg(long, value_name = "FILE", requires = "game")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Rule set, by name or TOML file [default: that of the game; else kvasir, or the net's if it was not trained on
    /// kvasir]
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// The side that moves first, if neither the rule set nor the position determines it
    #[arg(long, value_name = "SIDE")]
    first: Option<Side>,
    /// The position, such as "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a" [default: the start]
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Simulations [default: 800, or 400 for each position of a game]
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    simulations: Option<u32>,
    /// Time of the search, such as 500ms or 10s
    #[arg(long, value_name = "T", value_parser = time)]
    time: Option<Limit>,
    /// Number of moves to show, each with its line
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
    /// The net, unless the first word is a move: a model file, a run's folder, or `shipped` [default: shipped]
    #[arg(value_name = "MODEL")]
    model_or_move: Option<OsString>,
    /// Moves to play from the position before the analysis, such as d1-d3
    #[arg(value_name = "MOVE")]
    moves: Vec<String>,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let (path, moves) = args.model_and_moves()?;
    if let Some(game) = &args.game {
        if !moves.is_empty() {
            bail!("--game {}: expected no moves after it, found {moves}", game.display());
        }
        return review(args, game, path, console);
    }
    let model = load_model(path)?;
    let rules = rules_for(args.rules.as_deref(), path, &model, console.voice)?;
    let game = game(args, &moves, rules)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let limit = args.time.unwrap_or(Limit::of_simulations(args.simulations.unwrap_or(SIMULATIONS)));
    let net = args.device.inference(&model.weights, threads).with_context(|| model_name(path))?;
    let evaluator = Box::new(NetEvaluator::new(net));
    let searching = Progress::waiting(console.voice, format_args!("searching ({limit})"));
    let report = PositionReport::new(evaluator, &game, limit, args.lines.into())?;
    drop(searching);
    if args.json {
        writeln!(console, "{}", serde_json::to_string(&report)?)?;
    } else {
        let style = Style { colour: console.has_colour(), unicode: !args.ascii };
        write!(console, "{}", report.text(&game, style))?;
    }
    Ok(())
}

impl Args {
    /// The model file, if the first word names one, and the moves as text. A word in the form of a move is a move.
    /// `./d1-d3` names a file.
    fn model_and_moves(&self) -> anyhow::Result<(Option<&Path>, String)> {
        let moves = self.moves.join(" ");
        let Some(word) = &self.model_or_move else { return Ok((None, moves)) };
        let path = Path::new(word);
        let exists = path.exists() || is_shipped(path);
        let with_first = format!("{} {moves}", word.to_string_lossy());
        let is_move = word.to_str().is_some_and(|word| word.parse::<MoveText>().is_ok());
        if is_move || !exists && with_first.parse::<GameText>().is_ok_and(|game| !game.moves.is_empty()) {
            return Ok((None, with_first));
        }
        if !exists {
            bail!("{}: there is no such model file, and a move has the form d1-d3", path.display());
        }
        Ok((Some(path), moves))
    }
}

/// The game to analyse, with its moves played.
fn game(args: &Args, moves: &str, rules: Arc<Rules>) -> anyhow::Result<Game> {
    let mut game: GameText = moves.parse().context("moves")?;
    let first_move = game.moves.first().map(|mv| mv.text.to_string());
    game.start = Some(rules.opening_of(args.first, args.position.as_deref(), first_move.as_deref())?);
    Ok(game.replay(rules)?)
}

/// Reviews a game, prints it with its comments, and writes it.
fn review(args: &Args, path: &Path, model_path: Option<&Path>, console: &mut Console) -> anyhow::Result<()> {
    if let Some(out) = &args.out {
        args.overwrite.check(out)?;
        if let Some(other) = ending(out).filter(|ending| ["otg", "svg"].contains(ending)) {
            bail!("cannot write {}: .{other} files have no comments, expected .json or .txt", out.display());
        }
    }
    let rules = load_rules(args.rules.as_deref().unwrap_or(USUAL_RULES))?;
    let mut session = read_game(path, rules.set(), false).map_err(anyhow::Error::msg)?.session;
    // The review is of the game as played, whatever position the file names as the current one.
    let end = session.tree().main_line().last().copied().unwrap_or(Tree::ROOT);
    session.go_to(end)?;
    let model = load_model(model_path)?;
    let net = model_name(model_path);
    let known = [KnownRules { net: &net, rules: &model.rules }];
    let name = path.display().to_string();
    told(rules_of_file(&name, &StatedRules::of(session.rules()), &known), console.voice);
    let inference = args.device.inference(&model.weights, 1);
    let mut evaluator = NetEvaluator::new(inference.with_context(|| net.clone())?);
    let simulations = args.simulations.unwrap_or(GAME_SIMULATIONS);
    let n_positions = session.tree().main_line().len() as u64;
    let progress = Progress::new(console.voice, "reviewing", "positions", 0, n_positions);
    let report = Review::run(&mut session, simulations, 0, &mut evaluator, &mut || progress.advance())?;
    drop(progress);
    session.annotate(&report, &format!("{net} with {simulations} simulations at each position"))?;
    writeln!(console, "{}", session.to_text().trim_end())?;
    if let Some(out) = &args.out {
        write_game(out, &session, true).map_err(anyhow::Error::msg)?;
        let hint = if ending(out) == Some("txt") { "" } else { ". To open it on the page, choose Share and Open" };
        console.voice.say(format_args!("The game is in {}{hint}.", out.display()));
    }
    Ok(())
}

fn ending(path: &Path) -> Option<&str> {
    path.extension().and_then(|ending| ending.to_str())
}

fn time(text: &str) -> Result<Limit, String> {
    let limit: Option<Limit> = text.parse().ok();
    limit
        .filter(|limit| limit.simulations().is_none())
        .ok_or_else(|| "expected a time such as 500ms or 10s, at most a day".to_owned())
}
