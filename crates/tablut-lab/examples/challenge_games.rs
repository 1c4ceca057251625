//! Replays recorded games of the Tablut Challenge under `ashton` and compares captures and results.
//!
//! ```text
//! cargo run --release -p tablut-lab --example challenge_games -- challenge_games.jsonl
//! ```
//!
//! A line of the file is a game: `{"moves":["i4-e4xe3",…],"result":"defenders"}`. Each captured square follows an `x`.

use std::process::ExitCode;
use std::sync::Arc;

use tablut_rules::{Game, Rules, Side};

/// Counts over all games.
#[derive(Default)]
struct Tally {
    games: u32,
    plies: u32,
    captured: u32,
    /// Games whose moves end the game with the recorded result.
    ended_as_recorded: u32,
    /// Games whose moves stop before the game ends.
    unfinished: u32,
    faults: Vec<String>,
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("expected the path of a file of games");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("cannot read {path}: {error}");
            return ExitCode::from(2);
        }
    };
    let rules = match Rules::named("ashton") {
        Ok(rules) => Arc::new(rules),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let mut tally = Tally::default();
    for (index, line) in text.lines().enumerate() {
        if let Err(fault) = replay(&rules, line, &mut tally) {
            tally.faults.push(format!("line {}: {fault}", index + 1));
        }
    }
    println!(
        "{} games, {} plies, {} captured pieces; {} reach an end, {} of them as recorded; {} stop before one",
        tally.games,
        tally.plies,
        tally.captured,
        tally.games - tally.unfinished,
        tally.ended_as_recorded,
        tally.unfinished
    );
    for fault in &tally.faults {
        println!("{fault}");
    }
    if tally.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Replays one line. A difference from the record is an error.
fn replay(rules: &Arc<Rules>, line: &str, tally: &mut Tally) -> Result<(), String> {
    let (moves, result) = line.split_once("],").ok_or("no list of moves")?;
    let moves = moves.split('"').skip(3).step_by(2);
    let result = result.split('"').nth(3).ok_or("no result")?;
    let mut game = Game::new(Arc::clone(rules), Side::Defenders);
    tally.games += 1;
    for text in moves {
        let ply = game.ply() + 1;
        let (_, named) = text.split_once('x').unwrap_or((text, ""));
        let named = named.split('x').filter(|square| !square.is_empty()).count();
        // `read_move` compares the captures that the text names.
        let mv = rules.read_move(game.position(), text).map_err(|e| format!("ply {ply}: {e}"))?;
        let applied = game.play(mv).map_err(|e| format!("ply {ply}: {e}"))?;
        // A captured king is not named.
        let king = usize::from(applied.position.king().is_none());
        if applied.captured.len() != named + king {
            return Err(format!("ply {ply}, {text}: captures {:?}", applied.captured));
        }
        tally.plies += 1;
        tally.captured += applied.captured.len() as u32;
    }
    let Some(outcome) = game.outcome() else {
        tally.unfinished += 1;
        return Ok(());
    };
    let winner = outcome.winner.map_or("draw".to_owned(), |side| side.to_string());
    if winner != result {
        return Err(format!("ends as {outcome}, recorded {result}"));
    }
    tally.ended_as_recorded += 1;
    Ok(())
}
