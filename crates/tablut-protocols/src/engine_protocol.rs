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
//! | `go LIMITS` | `info …` lines, then `bestmove M`, or `bestmove none` when the game is over |
//! | `ponderhit` | the opponent made the expected move: the limits of `go ponder` count from now on |
//! | `stop` | stops thinking; `bestmove` follows |
//! | `quit` | the engine ends; it also ends at the end of its input, which counts as `stop` unless `nodes` or `depth` limits the search |
//!
//! The limits of `go` are any of `nodes N` (simulations), `depth N` (plies of the expected line), `movetime MS`, the
//! clocks `atime MS` and `dtime MS` of attackers and defenders with the increments `ainc MS` and `dinc MS` and
//! `movestogo N`, `infinite` (until `stop`) and `ponder`. Pondering means to think about the position after the expected
//! reply, which is the second move of `pv`, until `ponderhit` or `stop`. Without a limit the option `Simulations` counts.
//!
//! An `info` line is `info nodes N time MS value V pv M …`: simulations so far, milliseconds, the value in [−1, 1] with
//! +1 for a win of the attackers, and the expected line. `proven attackers 5` is added if the result is proven, with
//! the number of plies. An invalid command, or one longer than 64 KiB, is answered with `error …`, and nothing changes.

mod command;
pub(crate) mod host;

use crate::wire::{BridgePlayer, Failure, Lines, Wire, refusal};
use command::{Command, Go};
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tablut_players::{MAX_SIMULATIONS, Searcher};
use tablut_rules::{Game, Move, RULE_SET_NAMES, Rules, Side};
use tablut_search::{Limit, Search, SearchConfig, SearchResult};

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
            // When this `stop` or `ponderhit` is read, the search that it concerns is already over.
            Command::Nothing | Command::Stop | Command::PonderHit => {}
            Command::Uci => self.introduce(wire)?,
            Command::IsReady => wire.say("readyok")?,
            Command::Quit => self.quits = true,
            Command::Rules(name) => {
                let rules = Arc::new(Rules::load(&name).map_err(refusal)?);
                self.player.set_rules(&rules);
                self.game = start(rules, None);
            }
            Command::Simulations(simulations) => self.simulations = simulations,
            Command::Start { first, moves } => {
                self.game = follow(start(self.game.rules().clone(), first), &moves)?;
            }
            Command::Board { position, moves } => {
                let position = position.parse().map_err(refusal)?;
                let game = Game::from_position(self.game.rules().clone(), position).map_err(refusal)?;
                self.game = follow(game, &moves)?;
            }
            Command::Go(go) => self.go(&go, wire)?,
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

    fn go(&mut self, go: &Go, wire: &mut Wire<'_>) -> Result<(), Failure> {
        if self.game.outcome().is_some() {
            return Ok(wire.say("bestmove none")?);
        }
        let time = go.time(self.game.position().side_to_move());
        let awaited = match (go.infinite, go.ponder) {
            (true, _) => Some(Awaited::Stop),
            (false, true) => Some(Awaited::PonderHit),
            (false, false) => None,
        };
        let limit = match (go.nodes, time) {
            // The search itself has no clock while it waits for a command.
            (nodes, _) if awaited.is_some() => {
                Limit::new(Some(nodes.unwrap_or(MAX_SIMULATIONS)), Some(Duration::from_hours(24)))
            }
            (None, None) if go.plies.is_some() => Ok(Limit::of_simulations(MAX_SIMULATIONS)),
            (None, None) => Ok(Limit::of_simulations(self.simulations)),
            (nodes, time) => Limit::new(nodes, time),
        };
        let limit = limit.map_err(refusal)?;
        let nodes = go.nodes.or((time.is_none() && go.plies.is_none()).then_some(self.simulations));
        let mut thinking = Thinking { plies: go.plies, nodes, time, awaited, until: None, ended: None };
        let mv = match &mut self.player {
            BridgePlayer::Baseline(player) => player.choose(&self.game),
            BridgePlayer::Net(net) => think(net, &self.game, limit, wire, &mut thinking)?,
        };
        while thinking.awaited.is_some() && thinking.ended.is_none() {
            let Some(line) = wire.next_arrival() else { break };
            thinking.hear(line, wire)?;
        }
        self.quits |= thinking.ended == Some(Ended::Quit);
        Ok(wire.say(&format!("bestmove {mv}"))?)
    }
}

/// The command before which no move may be given. `stop` ends both waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Stop,
    PonderHit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Stop,
    Quit,
}

struct Thinking {
    /// The limit on the plies of the expected line.
    plies: Option<usize>,
    /// The limit on the simulations, once no command is awaited.
    nodes: Option<u32>,
    /// The limit on the time. After `go ponder` it counts from `ponderhit` on.
    time: Option<Duration>,
    awaited: Option<Awaited>,
    /// When the time after a `ponderhit` ends.
    until: Option<Instant>,
    ended: Option<Ended>,
}

impl Thinking {
    fn hear(&mut self, line: String, wire: &mut Wire<'_>) -> io::Result<()> {
        match line.trim() {
            "stop" => self.ended = Some(Ended::Stop),
            "quit" => self.ended = Some(Ended::Quit),
            "isready" => wire.say("readyok")?,
            "ponderhit" if self.awaited == Some(Awaited::PonderHit) => {
                self.awaited = None;
                self.until = self.time.map(|time| Instant::now() + time);
            }
            "ponderhit" => {}
            _ => wire.keep(line),
        }
        Ok(())
    }

    fn is_over(&self, search: &Search, input_has_ended: bool) -> bool {
        let is_wide = |nodes| self.awaited.is_none() && visits(&search.result()) >= nodes;
        let is_alone = input_has_ended && (self.awaited.is_some() || self.time.is_some());
        let is_deep = |plies| search.variation(search.result().chosen).len() >= plies;
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        self.ended.is_some()
            || is_alone
            || is_late
            || self.plies.is_some_and(is_deep)
            || self.nodes.is_some_and(is_wide)
    }
}

/// Searches with a net, and reports the result whenever the simulations have doubled.
fn think(
    net: &mut Searcher,
    game: &Game,
    limit: Limit,
    wire: &mut Wire<'_>,
    thinking: &mut Thinking,
) -> Result<Move, Failure> {
    let began = Instant::now();
    let mut next_info = 16;
    let mut watched = |search: &Search| {
        let nodes = visits(&search.result());
        if nodes >= next_info {
            next_info = 2 * nodes;
            wire.say(&info(search, began))?;
        }
        while thinking.ended.is_none()
            && let Some(line) = wire.arrived()
        {
            thinking.hear(line, wire)?;
        }
        Ok::<_, io::Error>(thinking.is_over(search, wire.has_ended))
    };
    let mut ended = Ok(false);
    let watch = &mut |search: &Search| {
        ended = watched(search);
        if matches!(ended, Ok(false)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let search = net.search(game, &SearchConfig::for_play(), limit, watch).map_err(refusal)?;
    ended?;
    wire.say(&info(&search, began))?;
    Ok(search.result().chosen)
}

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
        let ply = game.ply() + 1;
        let at_ply = |error: &dyn Display| refusal(format!("ply {ply}: {error}"));
        let mv = game.rules().read_move(game.position(), text).map_err(|error| at_ply(&error))?;
        game.play(mv).map_err(|error| at_ply(&error))?;
    }
    Ok(game)
}

#[cfg(test)]
mod tests;
