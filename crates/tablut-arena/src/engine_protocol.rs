//! A line protocol for graphical programs and scripts, in the manner of UCI.
//!
//! | to the engine | answer |
//! |---|---|
//! | `uci` | `id name …`, `option name …` lines, `uciok` |
//! | `isready` | `readyok`, also while it thinks |
//! | `setoption name Rules value R` | the rule set, by name or TOML file; the position becomes its start |
//! | `setoption name Simulations value N` | what `go` spends when it says nothing else |
//! | `ucinewgame` | none |
//! | `position startpos [attackers\|defenders] [moves M …]` | none; the side is the one that moves first where the rules draw it |
//! | `position board ROWS SIDE [moves M …]` | none; a position as everywhere in tablut, such as `…/3ttt3 a` |
//! | `go [nodes N] [movetime MS]` | `info …` lines, then `bestmove M`, or `bestmove none` when the game is over |
//! | `stop` | ends the thinking; `bestmove` comes |
//! | `quit` | the engine ends, as at the end of its input |
//!
//! An `info` line is `info nodes N time MS value V pv M …`: simulations so far, milliseconds, the value in [−1, 1] with +1 for a
//! win of the attackers, and the line expected; `proven attackers 5` is added when the result is proven in so many plies. What
//! cannot be obeyed is answered with `error …`, and nothing changes.

mod command;

use crate::baseline::Baseline;
use crate::net_player::{Budget, NetPlayer, Watch};
use crate::nets::match_search;
use crate::spec::MAX_SIMULATIONS;
use command::Command;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;
use tablut_rules::{Game, Move, RULE_SET_NAMES, Rules, Side};
use tablut_search::{Search, SearchResult};

/// Who thinks.
pub enum Mind {
    /// A net.
    Net(Box<NetPlayer>),
    /// A player that takes its own time, whatever `go` says.
    Baseline(Box<dyn Baseline>),
}

/// An engine's state between two lines.
pub struct LineEngine {
    name: String,
    mind: Mind,
    simulations: u32,
    game: Game,
}

impl LineEngine {
    /// An engine that calls itself `name`, at the start position of `rules`.
    pub fn new(name: String, mind: Mind, simulations: u32, rules: Arc<Rules>) -> Self {
        Self { name, mind, simulations, game: start(rules, None) }
    }
}

fn start(rules: Arc<Rules>, first: Option<Side>) -> Game {
    let first = rules.set().first.side().or(first).unwrap_or(Side::Attackers);
    Game::new(rules, first)
}

/// Obeys `lines` until `quit` or their end. Lines come through a channel, so that `stop` is heard while the engine thinks.
pub fn run_engine(engine: &mut LineEngine, lines: &Receiver<String>, output: &mut dyn Write) -> io::Result<()> {
    let mut wire = Wire { lines, waiting: VecDeque::new(), output, quit: false };
    while !wire.quit {
        let Some(line) = wire.next_line() else { return Ok(()) };
        let done = match Command::read(&line) {
            Ok(command) => engine.obey(command, &mut wire),
            Err(reason) => Err(Failure::Refused(reason)),
        };
        match done {
            Ok(()) => {}
            Err(Failure::Refused(reason)) => wire.say(&format!("error {reason}"))?,
            Err(Failure::Output(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Why a command was not obeyed.
enum Failure {
    /// It cannot be; the text is for the other end.
    Refused(String),
    /// Nobody listens any more.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn refused(error: impl ToString) -> Failure {
    // An answer is one line.
    Failure::Refused(error.to_string().replace('\n', " "))
}

/// Both directions of the conversation.
struct Wire<'a> {
    lines: &'a Receiver<String>,
    /// Lines that came while the engine thought.
    waiting: VecDeque<String>,
    output: &'a mut dyn Write,
    quit: bool,
}

impl Wire<'_> {
    fn next_line(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }

    /// Hears what comes while the engine thinks.
    fn listen(&mut self) -> io::Result<Watch> {
        loop {
            match self.lines.try_recv() {
                Ok(line) => match line.trim() {
                    "stop" => return Ok(Watch::Stop),
                    "quit" => {
                        self.quit = true;
                        return Ok(Watch::Stop);
                    }
                    "isready" => self.say("readyok")?,
                    _ => self.waiting.push_back(line),
                },
                // The end of the input does not cut a search short: scripts pipe their lines in and wait for the answer.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(Watch::GoOn),
            }
        }
    }
}

impl LineEngine {
    fn obey(&mut self, command: Command, wire: &mut Wire<'_>) -> Result<(), Failure> {
        match command {
            // A search that could be stopped is over when its `stop` is read here.
            Command::Nothing | Command::Stop => Ok(()),
            Command::Uci => Ok(self.introduce(wire)?),
            Command::IsReady => Ok(wire.say("readyok")?),
            Command::Quit => {
                wire.quit = true;
                Ok(())
            }
            Command::Rules(name) => {
                let rules = Rules::load(&name).map_err(refused)?;
                self.game = start(Arc::new(rules), None);
                Ok(())
            }
            Command::Simulations(simulations) => {
                self.simulations = simulations;
                Ok(())
            }
            Command::Start { first, moves } => {
                self.game = follow(start(self.game.rules().clone(), first), &moves)?;
                Ok(())
            }
            Command::Board { position, moves } => {
                let position = position.parse().map_err(refused)?;
                let game = Game::from_position(self.game.rules().clone(), position).map_err(refused)?;
                self.game = follow(game, &moves)?;
                Ok(())
            }
            Command::Go { nodes, time } => self.go(nodes, time, wire),
        }
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
        let budget = match (nodes, time) {
            (_, Some(time)) => Budget::Time(time),
            (nodes, None) => Budget::Simulations(nodes.unwrap_or(self.simulations)),
        };
        let mv = match &mut self.mind {
            Mind::Baseline(player) => player.choose(&self.game),
            Mind::Net(net) => think(net, &self.game, budget, nodes, wire)?,
        };
        Ok(wire.say(&format!("bestmove {mv}"))?)
    }
}

/// Lets a net think, telling what it finds whenever the simulations have doubled.
fn think(
    net: &mut NetPlayer,
    game: &Game,
    budget: Budget,
    max_nodes: Option<u32>,
    wire: &mut Wire<'_>,
) -> Result<Move, Failure> {
    let began = Instant::now();
    let mut broken = None;
    let mut next_info = 16;
    let watch = &mut |search: &Search| {
        let result = search.result();
        let nodes = visits(&result);
        let heard = if nodes >= next_info {
            next_info = 2 * nodes;
            let line = search.lines(1).into_iter().next().map(|line| line.moves);
            wire.say(&info(&result, line.as_deref(), began)).and_then(|()| wire.listen())
        } else {
            wire.listen()
        };
        let enough = matches!(budget, Budget::Time(_)) && max_nodes.is_some_and(|max| nodes >= max);
        match heard {
            Ok(Watch::GoOn) if !enough => Watch::GoOn,
            Ok(_) => Watch::Stop,
            Err(error) => {
                broken = Some(error);
                Watch::Stop
            }
        }
    };
    let result = net.think(game, &match_search(0), budget, watch).map_err(refused)?;
    if let Some(error) = broken {
        return Err(Failure::Output(error));
    }
    wire.say(&info(&result, None, began))?;
    Ok(result.chosen)
}

/// Simulations in the tree below the root.
fn visits(result: &SearchResult) -> u32 {
    result.moves.iter().map(|root| root.visits).sum()
}

/// An `info` line; without a line of play it names the move chosen.
fn info(result: &SearchResult, line: Option<&[Move]>, began: Instant) -> String {
    let proven = match result.proven {
        Some(proof) => match proof.winner {
            Some(side) => format!(" proven {side} {}", proof.plies),
            None => " proven draw".to_owned(),
        },
        None => String::new(),
    };
    let moves: Vec<String> = line.unwrap_or(&[result.chosen]).iter().map(ToString::to_string).collect();
    format!(
        "info nodes {} time {} value {:.3}{proven} pv {}",
        visits(result),
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
