//! A program with our engine protocol ([`crate::engine_protocol`]) as a player.

use crate::program::{GRACE, PATIENCE, Process, Program, Received, SLICE, START_TIME, forfeit};
use crate::wire::shorten;
use std::fmt::Write as _;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tablut_players::{Fault, Player, PlayerError};
use tablut_rules::{Game, Move, Rules};
use tablut_search::{Limit, Situation};
use tempfile::NamedTempFile;

pub(crate) struct Engine {
    process: Process,
    stage: Stage,
    /// When the expected answer was requested.
    since: Instant,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Stage {
    /// `uci` was sent, and `uciok` is expected.
    Introduced,
    /// The rules were set or a new game was announced, and `readyok` is expected.
    Prepared,
    Ready,
    /// `go` was sent, and `bestmove` is expected.
    Thinking,
}

impl Engine {
    fn start(command: &[String]) -> io::Result<Self> {
        let mut engine =
            Self { process: Process::start(command, Stdio::piped)?, stage: Stage::Introduced, since: Instant::now() };
        // If it has ended, the wait for its answer notices this.
        let _ = engine.process.say("uci");
        Ok(engine)
    }

    fn say(&mut self, lines: &[&str], stage: Stage) -> io::Result<()> {
        self.process.forget();
        (self.stage, self.since) = (stage, Instant::now());
        lines.iter().try_for_each(|line| self.process.say(line))
    }

    /// Continues to prepare for `rules`. Returns true when it is ready. The error is the reason why it cannot become
    /// ready.
    fn prepare(&mut self, rules: &str) -> Result<bool, String> {
        let expected = match self.stage {
            Stage::Introduced => "uciok",
            Stage::Prepared => "readyok",
            Stage::Ready | Stage::Thinking => return Ok(true),
        };
        match self.process.receive(SLICE) {
            Received::Line(line) if line.trim() == expected => {
                if self.stage == Stage::Prepared {
                    self.stage = Stage::Ready;
                    return Ok(true);
                }
                let option = format!("setoption name Rules value {rules}");
                // If it has ended, the wait for its answer notices this.
                let _ = self.say(&[&option, "isready"], Stage::Prepared);
                Ok(false)
            }
            Received::Line(line) if line.starts_with("error") => {
                Err(format!("cannot play the rules {rules}: it answered {line:?}"))
            }
            Received::Line(_) | Received::Nothing if self.since.elapsed() < START_TIME => Ok(false),
            Received::Line(_) | Received::Nothing => {
                Err(format!("did not answer {expected} within {} s", START_TIME.as_secs()))
            }
            Received::End => Err(format!("ended before it answered {expected}{}", self.process.last_words())),
        }
    }
}

/// An engine as a player: the data shared by all its games.
pub(crate) struct EngineProgram {
    program: Program,
    limit: Option<Limit>,
    /// The argument of `setoption name Rules`: a name, or the path of `_rules`.
    rules: String,
    _rules: Option<NamedTempFile>,
    idle: Mutex<Vec<Engine>>,
}

impl EngineProgram {
    pub(crate) fn new(program: Program, limit: Option<Limit>, rules: &Rules) -> Result<Self, PlayerError> {
        let (rules, file) =
            rules_option(rules).map_err(|error| program.error(format!("cannot write its rule file: {error}")))?;
        Ok(Self { program, limit, rules, _rules: file, idle: Mutex::default() })
    }
}

/// How to tell another process the `rules`: by name, or by a file that contains them.
fn rules_option(rules: &Rules) -> io::Result<(String, Option<NamedTempFile>)> {
    if Rules::named(rules.name()).is_ok_and(|named| named.set() == rules.set()) {
        return Ok((rules.name().to_owned(), None));
    }
    let file = tempfile::Builder::new().prefix("tablut-rules-").suffix(".toml").tempfile()?;
    std::fs::write(file.path(), rules.set().to_toml())?;
    Ok((file.path().display().to_string(), Some(file)))
}

/// An engine's side of one game. After the game the engine returns to the idle ones.
pub(crate) struct EngineSide {
    program: Arc<EngineProgram>,
    engine: Option<Engine>,
    last_line: Option<String>,
}

impl EngineSide {
    pub(crate) fn new(program: Arc<EngineProgram>) -> Self {
        Self { program, engine: None, last_line: None }
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        let EngineProgram { program, rules, idle, .. } = &*self.program;
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => {
                let mut waiting = idle.lock().expect("no holder of the idle engines panics").pop();
                if let Some(engine) = &mut waiting
                    && !engine.process.has_ended()
                {
                    // An engine that has already played a game clears its state.
                    let _ = engine.say(&["ucinewgame", "isready"], Stage::Prepared);
                } else {
                    let started = Engine::start(&program.command);
                    waiting = Some(started.map_err(|error| program.cannot_start(&error))?);
                }
                none.insert(waiting.expect("one was idle or started"))
            }
        };
        engine.prepare(rules).map_err(|reason| program.fatal(reason))
    }

    /// The reason for the loss. The engine is not used again.
    fn forfeit(&mut self, what: &str) -> Fault {
        forfeit(self.engine.take().map(|engine| engine.process), what, None)
    }
}

impl Player for EngineSide {
    fn begin(&mut self, _: &Game) -> Result<bool, Fault> {
        self.prepare()
    }

    fn poll(&mut self, game: &Game, _: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        let limit = self.program.limit;
        let Some(engine) = &mut self.engine else { return Err(self.forfeit("has ended")) };
        if engine.stage != Stage::Thinking {
            self.last_line = None;
            if engine.say(&[&position_line(game), &go_line(limit)], Stage::Thinking).is_err() {
                return Err(self.forfeit("no longer reads its input"));
            }
        }
        let time = limit.and_then(|limit| limit.time()).map_or(PATIENCE, |time| time + GRACE);
        let received = engine.process.receive(SLICE.min(time));
        let late = engine.since.elapsed() >= time;
        match received {
            Received::Line(line) if line.starts_with("bestmove") => {
                engine.stage = Stage::Ready;
                let mv = line.split_whitespace().nth(1).and_then(|text| text.parse().ok());
                mv.map(Some).ok_or_else(|| self.forfeit(&format!("answered {:?}, expected a move", shorten(&line))))
            }
            Received::Line(line) if line.starts_with("error") => {
                Err(self.forfeit(&format!("answered {:?}, expected a move", shorten(&line))))
            }
            Received::End => Err(self.forfeit("ended while it was to move")),
            _ if late => {
                let what = format!("sent no move within {:.1} s", time.as_secs_f64());
                Err(forfeit(self.engine.take().map(|engine| engine.process), &what, self.last_line.take()))
            }
            Received::Line(line) => {
                if !line.starts_with("info") && !line.is_empty() {
                    self.last_line = Some(shorten(&line));
                }
                Ok(None)
            }
            Received::Nothing => Ok(None),
        }
    }
}

impl Drop for EngineSide {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take()
            && engine.stage == Stage::Ready
            && let Ok(mut idle) = self.program.idle.lock()
        {
            idle.push(engine);
        }
    }
}

fn position_line(game: &Game) -> String {
    let to_move = game.position().side_to_move();
    let first = if game.ply().is_multiple_of(2) { to_move } else { to_move.opponent() };
    let mut line = format!("position startpos {first} moves");
    for mv in game.moves() {
        let _ = write!(line, " {mv}");
    }
    line
}

fn go_line(limit: Option<Limit>) -> String {
    let mut line = "go".to_owned();
    if let Some(simulations) = limit.and_then(|limit| limit.simulations()) {
        let _ = write!(line, " nodes {simulations}");
    }
    if let Some(time) = limit.and_then(|limit| limit.time()) {
        let _ = write!(line, " movetime {}", time.as_millis());
    }
    line
}
