//! A line protocol for graphical programs and scripts, similar to UCI.
//!
//! | to the engine | answer |
//! |---|---|
//! | `uci` | `id name …`, `option name …` lines, `uciok` |
//! | `isready` | `readyok`, also while it thinks |
//! | `setoption name Rules value R` | the rule set, by name or TOML file; the position becomes its start |
//! | `setoption name Simulations value N` | the simulations for a `go` without a limit |
//! | `ucinewgame` | none |
//! | `position startpos [attackers\|defenders] [moves M …]` | none; the side is the one that moves first, if the rules draw it |
//! | `position board ROWS SIDE [moves M …]` | none; a position as everywhere in tablut, such as `…/3ttt3 a` |
//! | `go [nodes N] [movetime MS]` | `info …` lines, then `bestmove M`, or `bestmove none` when the game is over |
//! | `stop` | stops thinking; `bestmove` follows |
//! | `quit` | the engine ends; it also ends at the end of its input |
//!
//! An `info` line is `info nodes N time MS value V pv M …`: simulations so far, milliseconds, the value in [−1, 1] with
//! +1 for a win of the attackers, and the expected line. `proven attackers 5` is added if the result is proven, with
//! the number of plies. An invalid command, or one longer than 64 KiB, is answered with `error …`, and nothing changes.

mod command;
pub(crate) mod host;

use crate::wire::{BridgePlayer, Failure, Lines, Wire, refused};
use command::Command;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use tablut_players::{MAX_SIMULATIONS, NetPlayer};
use tablut_rules::{Game, Move, RULE_SET_NAMES, Rules, Side};
use tablut_search::{Limit, Search, SearchConfig, SearchResult};

/// An engine's state between two lines.
pub struct LineEngine {
    name: String,
    player: BridgePlayer,
    simulations: u32,
    game: Game,
    quits: bool,
}

impl LineEngine {
    /// An engine with the name `name`, at the start position of `rules`.
    pub fn new(name: String, player: BridgePlayer, simulations: u32, rules: Arc<Rules>) -> Self {
        Self { name, player, simulations, game: start(rules, None), quits: false }
    }
}

fn start(rules: Arc<Rules>, first: Option<Side>) -> Game {
    let first = rules.set().first.side().or(first).unwrap_or(Side::Attackers);
    Game::new(rules, first)
}

/// Executes `lines` until `quit` or their end. Lines arrive through a channel, so that `stop` works while the engine
/// thinks.
///
/// # Errors
/// If `output` cannot be written.
pub fn run_engine(engine: &mut LineEngine, lines: &Lines, output: &mut dyn Write) -> io::Result<()> {
    let execute = |line: &str, wire: &mut Wire<'_>| {
        engine.execute(Command::read(line).map_err(Failure::Refused)?, wire)?;
        Ok(!engine.quits)
    };
    Wire::new(lines, output).run(execute, |_, reason| format!("error {reason}"))
}

impl LineEngine {
    fn execute(&mut self, command: Command, wire: &mut Wire<'_>) -> Result<(), Failure> {
        match command {
            // When this `stop` is read, the search that it could stop is already over.
            Command::Nothing | Command::Stop => {}
            Command::Uci => self.introduce(wire)?,
            Command::IsReady => wire.say("readyok")?,
            Command::Quit => self.quits = true,
            Command::Rules(name) => {
                let rules = Arc::new(Rules::load(&name).map_err(refused)?);
                self.player.set_rules(&rules);
                self.game = start(rules, None);
            }
            Command::Simulations(simulations) => self.simulations = simulations,
            Command::Start { first, moves } => {
                self.game = follow(start(self.game.rules().clone(), first), &moves)?;
            }
            Command::Board { position, moves } => {
                let position = position.parse().map_err(refused)?;
                let game = Game::from_position(self.game.rules().clone(), position).map_err(refused)?;
                self.game = follow(game, &moves)?;
            }
            Command::Go { nodes, time } => self.go(nodes, time, wire)?,
        }
        Ok(())
    }

    fn introduce(&self, wire: &mut Wire<'_>) -> io::Result<()> {
        wire.say(&format!("id name {}", self.name))?;
        let sets: Vec<String> = RULE_SET_NAMES.iter().map(|name| format!("var {name}")).collect();
        wire.say(&format!("option name Rules type combo default {} {}", self.game.rules().name(), sets.join(" ")))?;
        wire.say(&format!(
            "option name Simulations type spin default {} min 0 max {MAX_SIMULATIONS}",
            self.simulations
        ))?;
        wire.say("uciok")
    }

    fn go(
        &mut self,
        nodes: Option<u32>,
        time: Option<std::time::Duration>,
        wire: &mut Wire<'_>,
    ) -> Result<(), Failure> {
        if self.game.outcome().is_some() {
            return Ok(wire.say("bestmove none")?);
        }
        let limit = match (nodes, time) {
            (None, None) => Limit::of_simulations(self.simulations),
            (nodes, time) => Limit::new(nodes, time).map_err(refused)?,
        };
        let mv = match &mut self.player {
            BridgePlayer::Baseline(player) => player.choose(&self.game),
            BridgePlayer::Net(net) => think(net, &self.game, limit, wire, &mut self.quits)?,
        };
        Ok(wire.say(&format!("bestmove {mv}"))?)
    }
}

/// Searches with a net, and reports the result whenever the simulations have doubled.
fn think(
    net: &mut NetPlayer,
    game: &Game,
    limit: Limit,
    wire: &mut Wire<'_>,
    quits: &mut bool,
) -> Result<Move, Failure> {
    let began = Instant::now();
    let mut broken = None;
    let mut next_info = 16;
    let watch = &mut |search: &Search| {
        let nodes = visits(&search.result());
        let listened = if nodes >= next_info {
            next_info = 2 * nodes;
            wire.say(&info(search, began)).and_then(|()| listen(wire, quits))
        } else {
            listen(wire, quits)
        };
        listened.unwrap_or_else(|error| {
            broken = Some(error);
            ControlFlow::Break(())
        })
    };
    let search = net.search(game, &SearchConfig::for_play(), limit, watch).map_err(refused)?;
    if let Some(error) = broken {
        return Err(Failure::Output(error));
    }
    wire.say(&info(&search, began))?;
    Ok(search.result().chosen)
}

/// Handles the lines that arrive while the engine thinks.
fn listen(wire: &mut Wire<'_>, quits: &mut bool) -> io::Result<ControlFlow<()>> {
    while let Some(line) = wire.arrived() {
        match line.trim() {
            "stop" => return Ok(ControlFlow::Break(())),
            "quit" => {
                *quits = true;
                return Ok(ControlFlow::Break(()));
            }
            "isready" => wire.say("readyok")?,
            _ => wire.keep(line),
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Simulations in the tree below the root.
fn visits(result: &SearchResult) -> u32 {
    result.moves.iter().map(|root| root.visits).sum()
}

/// An `info` line, with the line of play that begins with the chosen move.
fn info(search: &Search, began: Instant) -> String {
    let result = search.result();
    let proven = match result.proven {
        Some(proof) => match proof.winner {
            Some(side) => format!(" proven {side} {}", proof.plies),
            None => " proven draw".to_owned(),
        },
        None => String::new(),
    };
    let moves: Vec<String> = search.variation(result.chosen).iter().map(ToString::to_string).collect();
    format!(
        "info nodes {} time {} value {:.3}{proven} pv {}",
        visits(&result),
        began.elapsed().as_millis(),
        result.value,
        moves.join(" ")
    )
}

fn follow(mut game: Game, moves: &[String]) -> Result<Game, Failure> {
    for text in moves {
        let mv: Move = text.parse().map_err(refused)?;
        let ply = game.ply() + 1;
        game.play(mv).map_err(|error| refused(format!("ply {ply}: {error}")))?;
    }
    Ok(game)
}

#[cfg(test)]
mod tests;
