//! External programs as players of a match: engines of our line protocol, engines of OpenTafl, and clients of the Tablut Challenge.
//!
//! A program that crashes, is too slow, or sends an illegal move or anything else than a move loses that game; the match goes on,
//! with a new process where the old one is gone. A program that cannot be started, or that does not speak its
//! protocol from the beginning, ends the match. No process outlives its player.

use crate::challenge::host::{self as challenge, ChallengeSeat};
use crate::engine_protocol::host::{Engine, EngineSeat};
use crate::opentafl::host::{self as opentafl, OpenTaflSeat};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tablut_players::PlayerSpec;
use tablut_rules::{Game, Move, Position, Rules, Side};
use tablut_search::Limit;
use tempfile::NamedTempFile;

/// How long a program may take to be ready: to start, load what it needs, and say its name.
pub const START_TIME: Duration = Duration::from_mins(1);
/// How long an engine may think about a move where its limit names no time.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How much later than its time a move may come: programs look at their clock now and then, and lines take a moment.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long a seat waits at once, so that a stop is heard.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// Why a match cannot be played with a program.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("player {name}: {reason}")]
pub struct ProgramError {
    /// The player, as the command names it.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

/// What a program did wrong.
#[derive(Debug)]
pub enum Fault {
    /// It loses the game.
    Forfeit(String),
    /// It cannot play at all.
    Fatal(ProgramError),
}

/// A program's side of one game. No call takes long.
pub trait ProgramSeat: Send {
    /// Gets ready for `game`; false while that takes more time.
    fn begin(&mut self, game: &Game) -> Result<bool, Fault>;
    /// The move, once it is there. It may be illegal.
    fn poll(&mut self, game: &Game) -> Result<Option<Move>, Fault>;
    /// Hears of a move, its own or the other's, after which the game goes on.
    fn follow(&mut self, game: &Game) -> Result<(), Fault>;
    /// Hears how the game ended.
    fn end(&mut self, game: &Game, winner: Option<Side>);
}

/// A program as a player: what all its games share.
pub struct Program {
    name: String,
    pub(crate) command: Vec<String>,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    Engine {
        limit: Option<Limit>,
        /// What `setoption name Rules` is given: a name, or the path of `_rules`.
        rules: String,
        _rules: Option<NamedTempFile>,
        /// Engines between two games.
        idle: Mutex<Vec<Engine>>,
    },
    OpenTafl {
        seconds: u32,
    },
    Challenge {
        seconds: u32,
    },
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("name", &self.name).field("command", &self.command).finish_non_exhaustive()
    }
}

impl Program {
    /// The program that `spec` names, to play under `rules`; `None` for players of other kinds. Engines are started at once, to
    /// see that they can be.
    pub fn start(spec: &PlayerSpec, rules: &Arc<Rules>) -> Option<Result<Arc<Self>, ProgramError>> {
        let name = spec.to_string();
        let wrong = |reason| ProgramError { name: name.clone(), reason };
        let program = match spec {
            PlayerSpec::Engine { command, limit } => words(command).and_then(|command| {
                let (rules, file) = rules_option(rules).map_err(|error| format!("its rules' file: {error}"))?;
                let kind = Kind::Engine { limit: *limit, rules, _rules: file, idle: Mutex::default() };
                Ok(Self { name: name.clone(), command, kind })
            }),
            PlayerSpec::OpenTafl { command, seconds } => words(command).and_then(|command| {
                opentafl::rules_line(rules, &Position::start(Side::Attackers))?;
                Ok(Self { name: name.clone(), command, kind: Kind::OpenTafl { seconds: *seconds } })
            }),
            PlayerSpec::Challenge { command, seconds } => words(command).and_then(|command| {
                if Rules::named("ashton").is_ok_and(|ashton| ashton.set() != rules.set()) {
                    return Err(format!("the Challenge is played by the rules ashton, not {}", rules.name()));
                }
                Ok(Self { name: name.clone(), command, kind: Kind::Challenge { seconds: *seconds } })
            }),
            _ => return None,
        };
        Some(program.map_err(wrong).and_then(|program| {
            let program = Arc::new(program);
            // A client of the Challenge is no more than started, and plays at once.
            if !matches!(program.kind, Kind::Challenge { .. }) {
                program.try_out(&Game::new(rules.clone(), Side::Attackers))?;
            }
            Ok(program)
        }))
    }

    /// Waits until it has got ready for a game. (An engine's seat keeps the engine for the first game.)
    fn try_out(self: &Arc<Self>, game: &Game) -> Result<(), ProgramError> {
        let mut seat = self.seat(Side::Attackers);
        loop {
            match seat.begin(game) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Fault::Fatal(error)) => return Err(error),
                Err(Fault::Forfeit(reason)) => return Err(ProgramError { name: self.name.clone(), reason }),
            }
        }
    }

    /// The player, as the command names it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether only one of its games can be played at a time, because its port is fixed.
    pub fn needs_the_port(&self) -> bool {
        matches!(self.kind, Kind::Challenge { .. }) && !challenge::takes_port(&self.command)
    }

    /// The program's `side` of a game.
    pub fn seat(self: &Arc<Self>, side: Side) -> Box<dyn ProgramSeat> {
        match &self.kind {
            Kind::Engine { .. } => Box::new(EngineSeat::new(self.clone())),
            Kind::OpenTafl { seconds } => Box::new(OpenTaflSeat::new(self.clone(), side, *seconds)),
            Kind::Challenge { seconds } => Box::new(ChallengeSeat::new(self.clone(), side, *seconds)),
        }
    }

    pub(crate) fn fatal(&self, reason: impl Into<String>) -> Fault {
        Fault::Fatal(ProgramError { name: self.name.clone(), reason: reason.into() })
    }

    pub(crate) fn cannot_start(&self, error: &io::Error) -> Fault {
        self.fatal(format!("cannot start {:?}: {error}", self.command[0]))
    }
}

/// A command's words, as a shell would split them. No shell is started.
fn words(command: &str) -> Result<Vec<String>, String> {
    let words =
        shlex::split(command).ok_or_else(|| format!("the command {command:?} has a quote that is not closed"))?;
    if words.is_empty() { Err("expected a command".to_owned()) } else { Ok(words) }
}

/// How another process is told of `rules`: by name, or by a file that holds them as they are.
fn rules_option(rules: &Rules) -> io::Result<(String, Option<NamedTempFile>)> {
    if Rules::named(rules.name()).is_ok_and(|named| named.set() == rules.set()) {
        return Ok((rules.name().to_owned(), None));
    }
    let file = tempfile::Builder::new().prefix("tablut-rules-").suffix(".toml").tempfile()?;
    std::fs::write(file.path(), rules.set().to_toml())?;
    Ok((file.path().display().to_string(), Some(file)))
}
