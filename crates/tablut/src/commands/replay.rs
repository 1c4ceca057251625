//! `tablut replay`: plays a list of moves or a saved game and prints the state after each move.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context, ensure};
use tablut_play::{read_text, text_of};
use tablut_rules::{Game, GameText, MoveText, Replay, Side};
use tablut_session::Session;

use crate::console::Console;
use crate::nets::load_rules;

/// The rule set if neither the file nor an option names one.
pub const USUAL_RULES: &str = "kvasir";

/// Replay moves or a saved game, and print each state
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set, by name or TOML file [default: that of the game's file, or kvasir]
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// The side that moves first: attackers or defenders [default: that of the position or the rule set, or else that
    /// of the first moved piece]
    #[arg(long, value_name = "SIDE")]
    first: Option<Side>,
    /// Start from this position, such as "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Moves such as d1-d3; or a file with a game saved by `play`, an OpenTafl record, or a list of moves; or - to read
    /// a game from standard input
    #[arg(value_name = "MOVE|FILE")]
    moves: Vec<OsString>,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let usual = args.rules.as_deref().unwrap_or(USUAL_RULES);
    let (name, mut text) = match args.moves.as_slice() {
        [path] if is_path(Path::new(path)) => {
            let name = format!("game {}", path.display());
            (name.clone(), read_text(Path::new(path)).context(name)?)
        }
        [dash] if dash == "-" => ("standard input".to_owned(), text_of(io::stdin()).context("standard input")?),
        moves => {
            let words: Vec<_> = moves.iter().map(|mv| mv.to_string_lossy()).collect();
            ("moves".to_owned(), words.join(" "))
        }
    };
    ensure!(args.moves.is_empty() || !text.trim().is_empty(), "{name}: there is no text, expected a game or moves");
    let rules = load_rules(usual)?;
    if args.first.is_some() || args.position.is_some() || text.trim().is_empty() {
        let has_start = |text: &str| {
            text.parse::<GameText>().map_or(text.trim_start().starts_with('{'), |game| game.start.is_some())
        };
        ensure!(!has_start(&text), "{name} contains the start of its game: leave out --first and --position");
        let start = rules.opening(args.first, args.position.as_deref())?;
        text.insert_str(0, &format!("[position:{start}]\n"));
    }
    let import = if args.rules.is_some() { Session::import_under } else { Session::import };
    let mut session = import(&text, rules.set()).map_err(anyhow::Error::msg).context(name)?;
    session.go_to(*session.tree().main_line().last().expect("a line has its root"))?;
    let moves: Vec<String> = session.history().iter().map(ToString::to_string).collect();
    let game = Game::from_position(session.rules().clone(), *session.start())?;
    let mut replay = Replay::run(game, moves.iter().map(String::as_str))?;
    replay.resigned = session.node().resigned;
    if args.json {
        writeln!(console, "{}", serde_json::to_string(&replay)?)?;
    } else {
        write!(console, "{replay}")?;
    }
    Ok(())
}

/// Whether a word names a file: one that exists, or a text that looks like a path.
fn is_path(word: &Path) -> bool {
    let Some(text) = word.to_str() else { return true };
    text.parse::<MoveText>().is_err() && text != "-" && (word.is_file() || text.contains(['.', '/']))
}
