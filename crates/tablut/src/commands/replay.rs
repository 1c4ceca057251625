//! `tablut replay`: plays a list of moves and tells the state after each.

use std::io::{Read, Write as _};
use std::sync::Arc;

use anyhow::Context;
use tablut_rules::{Game, Replay, Rules, Side};

use crate::console::Console;

/// Play a list of moves and report the state after each
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set, by name or TOML file
    #[arg(long, default_value = "kvasir", value_name = "R")]
    rules: String,
    /// Who moves first: attackers or defenders; without it the side that the rule set or the position names, and where
    /// the rule set draws it the side of the first move's piece
    #[arg(long, value_name = "SIDE")]
    first: Option<Side>,
    /// Begin here instead of at the start, such as "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Moves such as d1-d3, or - to read them from standard input
    #[arg(value_name = "MOVE")]
    moves: Vec<String>,
}

/// Replays and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let rules = Arc::new(Rules::load(&args.rules)?);
    let text = if args.moves == ["-"] {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read moves from standard input")?;
        text
    } else {
        args.moves.join(" ")
    };
    let moves: Vec<&str> = text.split_whitespace().collect();
    let position = rules.opening_of(args.first, args.position.as_deref(), moves.first().copied())?;
    let game = Game::from_position(rules, position)?;
    let replay = Replay::run(game, moves)?;
    if args.json {
        writeln!(console, "{}", serde_json::to_string(&replay)?)?;
    } else {
        write!(console, "{replay}")?;
    }
    Ok(())
}
