//! Replays games of people from a table and counts where they differ from a rule set's rules.
//!
//! ```text
//! cargo run --release -p tablut-lab --example real_games -- RULES GAMES.csv
//! ```
//!
//! A line has the moves, such as `d1-d3 f4-c4xc5`, two numbers of captures, and who won: `Black` the attackers, `White`
//! the defenders, `Draw`, or `Ongoing`. A word among the moves that is no move ends the game. The table writes `x` before
//! each captured square. On a game's last move its captures are incomplete.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use tablut_rules::{Bitboard, Game, Move, Outcome, Rules, Side, Square};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, path] = arguments.as_slice() else {
        return Err("usage: real_games RULES GAMES.csv".to_owned());
    };
    let rules = Arc::new(Rules::load(rules).map_err(|error| error.to_string())?);
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let (mut plies, mut shield_walls) = (0, 0);
    for (number, line) in text.lines().enumerate() {
        let replayed = Replayed::of(&rules, line);
        if let Some(fault) = &replayed.fault {
            println!("game {}: {fault}", number + 1);
        }
        plies += replayed.plies;
        shield_walls += replayed.shield_walls;
        *counts.entry(replayed.summary(line)).or_default() += 1;
    }
    println!("{plies} plies, {shield_walls} moves that capture a shield wall");
    for (what, n) in counts {
        println!("{n:5} {what}");
    }
    Ok(())
}

#[derive(Default)]
struct Replayed {
    plies: u32,
    shield_walls: u32,
    outcome: Option<Outcome>,
    fault: Option<String>,
}

impl Replayed {
    fn of(rules: &Arc<Rules>, line: &str) -> Self {
        let first = rules.set().first.side().unwrap_or(Side::Attackers);
        let mut game = Game::new(Arc::clone(rules), first);
        let mut replayed = Self::default();
        let moves: Vec<&str> = line.split(',').next().unwrap_or_default().split_whitespace().collect();
        for (index, text) in moves.iter().enumerate() {
            let mut parts = text.split('x');
            let Some(mv) = parts.next().and_then(|mv| mv.parse::<Move>().ok()) else { break };
            let before = *game.position();
            let at = |what: String| Some(format!("ply {}: {text} in {before}: {what}", index + 1));
            let applied = match game.play(mv) {
                Ok(applied) => applied,
                Err(error) => {
                    let ended = game.outcome().map(|outcome| format!(" ({outcome})")).unwrap_or_default();
                    replayed.fault = at(format!("{error}{ended}"));
                    return replayed;
                }
            };
            let named: Option<Bitboard> = parts.map(|square| square.parse::<Square>().ok()).collect();
            let captured = applied.captured - before.king_board();
            if index + 1 < moves.len() && named != Some(captured) {
                replayed.fault = at(format!("captures {captured:?}"));
                return replayed;
            }
            replayed.plies += 1;
            replayed.shield_walls += u32::from(!(captured - Bitboard::of(mv.to).neighbours()).is_empty());
        }
        replayed.outcome = game.outcome();
        replayed
    }

    /// The end under the rules and the end in the table.
    fn summary(&self, line: &str) -> String {
        let recorded = line.rsplit(',').next().unwrap_or_default();
        match (&self.fault, self.outcome) {
            (Some(_), _) => "differ".to_owned(),
            (None, Some(outcome)) => format!("{outcome}; the table says {recorded}"),
            (None, None) => format!("no end; the table says {recorded}"),
        }
    }
}
