//! An OpenTafl engine as a player. This program takes the role of OpenTafl.

use crate::program::{GRACE, Process, Program, Received, SLICE, START_TIME, forfeit};
use crate::wire::shorten;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tablut_players::{Fault, Player};
use tablut_rules::{Game, Move, MoveText, Position, Rules, Side};
use tablut_search::Situation;

/// The pause before a request. An engine may still be busy with its last move after it has sent it, as OpenTafl's is.
const BREATH: Duration = Duration::from_millis(30);
/// How long an engine may take to exit after it has received the result.
const LEAVE_TIME: Duration = Duration::from_millis(200);
/// The number of remaining overtime periods that is sent to an engine. No period is ever used up.
const OVERTIMES: u32 = 100;

/// The line of rules for OpenTafl's engines, or why there is none.
pub(crate) fn rules_line(rules: &Rules, start: &Position) -> Result<String, String> {
    let worded = rules.set().to_opentafl(start);
    worded.map(|worded| worded.line).map_err(|keys| {
        format!("the rules {} cannot be sent to it: OpenTafl cannot express their {}", rules.name(), keys.join(", "))
    })
}

pub(crate) struct OpenTaflSide {
    program: Arc<Program>,
    side: Side,
    seconds: u32,
    process: Option<Process>,
    stage: Stage,
    /// When the current wait started, or when the last move was made.
    since: Instant,
    /// Plies of the game that the engine knows.
    n_sent: usize,
    /// Whether it requested moves with all their effects.
    wants_details: bool,
    last_line: Option<String>,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Stage {
    /// `hello` is expected.
    Starting,
    Ready,
    /// `play` was sent, and `move` is expected.
    Thinking,
}

impl OpenTaflSide {
    pub(crate) fn new(program: Arc<Program>, side: Side, seconds: u32) -> Self {
        Self {
            program,
            side,
            seconds,
            process: None,
            stage: Stage::Starting,
            since: Instant::now(),
            n_sent: 0,
            wants_details: false,
            last_line: None,
        }
    }

    fn say(&mut self, line: &str) -> Result<(), Fault> {
        match self.process.as_mut().map(|process| process.say(line)) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.forfeit("no longer reads its input")),
        }
    }

    fn forfeit(&mut self, what: &str) -> Fault {
        forfeit(self.process.take(), what, self.last_line.take())
    }

    fn not_ready(&mut self, what: &str) -> Fault {
        self.program.not_ready(self.process.as_mut(), what)
    }

    /// Both sides' clocks. The time is renewed with each move.
    fn clock_line(&self) -> String {
        let (millis, seconds) = (u64::from(self.seconds) * 1000, self.seconds);
        format!("clock {millis}* {millis}* {seconds} {OVERTIMES} {OVERTIMES}")
    }

    /// The message about the moves that the engine does not know yet.
    fn news(&self, game: &Game) -> Option<String> {
        let mut position = *game.start();
        let mut texts = Vec::new();
        for (ply, mv) in game.moves().enumerate() {
            if ply >= self.n_sent {
                let detailed = || game.rules().to_opentafl(&position, mv);
                texts.push(if self.wants_details { detailed() } else { format!("{}-{}", mv.from, mv.to) });
            }
            position = game.rules().apply(&position, mv).position;
        }
        (!texts.is_empty()).then(|| format!("opponent-move {} {}", texts.join("|"), position.to_opentafl()))
    }

    fn answer(&mut self, line: &str, game: &Game) -> Result<Option<Move>, Fault> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["move", text] => {
                let mv = text.parse::<MoveText>().map(|text| Move::new(text.from, text.to));
                let text = shorten(text);
                mv.map(Some).map_err(|_| self.forfeit(&format!("sent {text:?}, expected a move such as a4-b4")))
            }
            ["error", "-1", ..] => {
                let shown: String = line.chars().take(200).collect();
                // An engine that does not support these rules reports it before its first move.
                if self.n_sent == 0 {
                    return Err(self.not_ready(&format!("answered {shown:?}")));
                }
                Err(self.forfeit(&format!("reported a fatal error: {shown:?}")))
            }
            ["position"] => self.say(&format!("position {}", game.position().to_opentafl())).map(|()| None),
            ["side"] => self.say(&format!("side {}", self.side)).map(|()| None),
            ["clock"] => self.say(&self.clock_line()).map(|()| None),
            ["rules"] => {
                let line = rules_line(game.rules(), game.start()).map_err(|reason| self.program.fatal(reason))?;
                self.say(&format!("rules {line}")).map(|()| None)
            }
            ["simple-moves", how] => {
                self.wants_details = how == "off";
                Ok(None)
            }
            ["status" | "analysis", ..] | [] => Ok(None),
            _ => {
                self.last_line = Some(shorten(line));
                Ok(None)
            }
        }
    }
}

impl Player for OpenTaflSide {
    fn begin(&mut self, game: &Game) -> Result<bool, Fault> {
        if self.stage != Stage::Starting {
            return Ok(true);
        }
        if self.process.is_none() {
            let started = Process::start(&self.program.command, Stdio::piped);
            self.process = Some(started.map_err(|error| self.program.cannot_start(&error))?);
            self.since = Instant::now();
        }
        let late = self.since.elapsed() >= START_TIME;
        match self.process.as_ref().map_or(Received::End, |process| process.receive(SLICE)) {
            Received::Line(line) if line.trim() == "hello" => {
                let line = rules_line(game.rules(), game.start()).map_err(|reason| self.program.fatal(reason))?;
                // If it has ended, the wait for its move notices this.
                let _ = self.say(&format!("rules {line}"));
                self.stage = Stage::Ready;
                Ok(true)
            }
            Received::Line(line) if line.starts_with("error -1") => Err(self.not_ready(&format!("answered {line:?}"))),
            Received::Line(line) if line.starts_with("simple-moves") => self.answer(&line, game).map(|_| false),
            Received::End => Err(self.not_ready("ended before it sent hello")),
            _ if late => Err(self.not_ready(&format!("did not send hello within {} s", START_TIME.as_secs()))),
            Received::Line(_) | Received::Nothing => Ok(false),
        }
    }

    fn poll(&mut self, game: &Game, _: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        if self.stage == Stage::Ready {
            if self.since.elapsed() < BREATH {
                std::thread::sleep(BREATH / 6);
                return Ok(None);
            }
            // These lines arrived without a request. A move out of turn does not count.
            while let Some(Received::Line(line)) = self.process.as_ref().map(|process| process.receive(Duration::ZERO))
            {
                self.answer(&line, game)?;
            }
            if let Some(news) = self.news(game) {
                self.say(&news)?;
            }
            self.say(&self.clock_line())?;
            self.say(&format!("play {}", self.side))?;
            (self.stage, self.since) = (Stage::Thinking, Instant::now());
        }
        let time = Duration::from_secs(self.seconds.into()) + GRACE;
        let received = self.process.as_ref().map_or(Received::End, |process| process.receive(SLICE));
        let late = self.since.elapsed() >= time;
        let mv = match received {
            Received::Line(line) => self.answer(&line, game)?,
            Received::End => return Err(self.forfeit("ended while it was to move")),
            Received::Nothing => None,
        };
        if mv.is_some() {
            (self.stage, self.since) = (Stage::Ready, Instant::now());
        } else if late {
            return Err(self.forfeit(&format!("sent no move within {:.1} s", time.as_secs_f64())));
        }
        Ok(mv)
    }

    fn follow(&mut self, game: &Game, _: Move) -> Result<(), Fault> {
        if game.position().side_to_move() != self.side {
            self.n_sent = game.ply() as usize;
            self.say(&format!("move {}", game.position().to_opentafl()))?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Game, winner: Option<Side>) {
        let code = match winner {
            None => 1,
            Some(Side::Attackers) => 2,
            Some(Side::Defenders) => 3,
        };
        let sent = self.say(&format!("finish {code}")).and_then(|()| self.say("goodbye"));
        if let (Ok(()), Some(process)) = (sent, &mut self.process) {
            process.wait_at_most(LEAVE_TIME);
        }
    }
}
