//! `tablut replay`: plays a list of moves or a saved game and prints the state after each move.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tablut_rules::{Game, MoveText, Position, Replay, Rules, Side};

use super::game_file::GameFile;
use crate::console::Console;
use crate::nets::load_rules;

/// The rule set of moves that come without one.
pub const USUAL_RULES: &str = "kvasir";

/// Play a list of moves or a saved game and report each state
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set, by name or TOML file [default: the one in the game's file, or kvasir]
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Who moves first: attackers or defenders [default: the side that the position or the rule set says; if the rule
    /// set draws it, the side of the first move's piece]
    #[arg(long, value_name = "SIDE")]
    first: Option<Side>,
    /// Start from this position, such as "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Moves such as d1-d3; or one file with a game: the output of `save` in `play`, OpenTafl's record, or a list of
    /// moves; or - to read moves from standard input
    #[arg(value_name = "MOVE|FILE")]
    moves: Vec<String>,
}

/// Replays and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let replay = match args.moves.as_slice() {
        [path] if path.parse::<MoveText>().is_err() && Path::new(path).is_file() => {
            let file = GameFile::read(Path::new(path), args.rules.as_deref())?;
            file.notes.iter().for_each(|note| console.voice.say(format_args!("note: {note}")));
            let rules = file.rules.map_or_else(|| load_rules(USUAL_RULES), Ok)?;
            replay(args, rules, file.start, &file.moves)?
        }
        words => {
            let text = match words {
                [dash] if dash == "-" => io::read_to_string(io::stdin()).context("cannot read standard input")?,
                moves => moves.join(" "),
            };
            let rules = load_rules(args.rules.as_deref().unwrap_or(USUAL_RULES))?;
            replay(args, rules, None, &text.split_whitespace().collect::<Vec<_>>())?
        }
    };
    if args.json {
        writeln!(console, "{}", serde_json::to_string(&replay)?)?;
    } else {
        write!(console, "{replay}")?;
    }
    Ok(())
}

/// Plays the moves from where they begin: a file's position, unless another is asked for.
fn replay(
    args: &Args,
    rules: Arc<Rules>,
    start: Option<Position>,
    moves: &[impl AsRef<str>],
) -> anyhow::Result<Replay> {
    let moves = moves.iter().map(AsRef::as_ref);
    let position = match start {
        Some(start) if args.first.is_none() && args.position.is_none() => start,
        _ => rules.opening_of(args.first, args.position.as_deref(), moves.clone().next())?,
    };
    Ok(Replay::run(Game::from_position(rules, position)?, moves)?)
}
