//! A client for the Tablut Challenge as a player. This program is its referee, on the contest's ports, and starts it
//! with the contest's arguments.

use super::frame::{read_frame, write_json};
use super::message::{Action, ChallengeState, Turn};
use super::{ChallengeError, port};
use crate::program::{GRACE, Process, Program, SLICE, START_TIME, forfeit};
use std::io::ErrorKind;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tablut_players::{Fault, Player};
use tablut_rules::{Game, Move, Side};
use tablut_search::Situation;

const HOST: &str = "127.0.0.1";
const PEER: &str = "program";
/// The reader waits until its connection is closed.
const FOREVER: Duration = Duration::from_hours(1000);
/// How long a client may take to exit after it has received the result.
const LEAVE_TIME: Duration = Duration::from_secs(1);
const PLACEHOLDERS: [&str; 4] = ["{role}", "{seconds}", "{host}", "{port}"];

/// Whether the command contains the port, so that several of its games can be played at the same time.
pub(crate) fn takes_port(command: &[String]) -> bool {
    command.iter().any(|word| word.contains("{port}"))
}

/// The command for one game. A command without placeholders is called as in the contest: `COMMAND ROLE SECONDS HOST`.
fn command_for(command: &[String], side: Side, seconds: u32, port: u16) -> Vec<String> {
    let role = match side {
        Side::Defenders => "White",
        Side::Attackers => "Black",
    };
    let values = [role.to_owned(), seconds.to_string(), HOST.to_owned(), port.to_string()];
    let fill = |word: &String| {
        PLACEHOLDERS.iter().zip(&values).fold(word.clone(), |word, (name, value)| word.replace(name, value))
    };
    let filled: Vec<String> = command.iter().map(fill).collect();
    if filled == command { [&filled[..], &values[..3]].concat() } else { filled }
}

/// A connection. Writes are sent at once, and a thread reads.
struct Link {
    stream: TcpStream,
    frames: Receiver<Result<String, ChallengeError>>,
}

impl Link {
    fn new(stream: TcpStream) -> std::io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(GRACE))?;
        let mut reader = stream.try_clone()?;
        let (sender, frames) = channel();
        thread::spawn(move || {
            loop {
                let frame = read_frame(&mut reader, PEER, FOREVER);
                let is_last = frame.is_err();
                if sender.send(frame).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(Self { stream, frames })
    }

    fn send(&self, state: &ChallengeState) -> Result<(), ChallengeError> {
        write_json(&mut &self.stream, PEER, state)
    }

    fn receive(&self, wait: Duration) -> Result<Option<String>, String> {
        match self.frames.recv_timeout(wait) {
            Ok(Ok(text)) => Ok(Some(text)),
            Ok(Err(ChallengeError::Closed { .. })) | Err(RecvTimeoutError::Disconnected) => {
                Err("closed the connection".to_owned())
            }
            Ok(Err(error)) => Err(format!("sent an invalid message: {error}")),
            Err(RecvTimeoutError::Timeout) => Ok(None),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Also ends the reader.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

pub(crate) struct ChallengeSide {
    program: Arc<Program>,
    side: Side,
    seconds: u32,
    listener: Option<TcpListener>,
    process: Option<Process>,
    link: Option<Link>,
    is_named: bool,
    /// When the process was started, or when the current move was requested.
    since: Option<Instant>,
}

impl ChallengeSide {
    pub(crate) fn new(program: Arc<Program>, side: Side, seconds: u32) -> Self {
        let (listener, process, link, since) = (None, None, None, None);
        Self { program, side, seconds, listener, process, link, is_named: false, since }
    }

    fn start(&mut self) -> Result<(), Fault> {
        let wanted = if takes_port(&self.program.command) { 0 } else { port(self.side) };
        let cannot = |error| self.program.fatal(format!("cannot listen on {HOST}:{wanted}: {error}"));
        let listener = TcpListener::bind((HOST, wanted)).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let port = listener.local_addr().map_err(cannot)?.port();
        let command = command_for(&self.program.command, self.side, self.seconds, port);
        let process = Process::start(&command, Stdio::null).map_err(|error| self.program.cannot_start(&error))?;
        (self.listener, self.process, self.since) = (Some(listener), Some(process), Some(Instant::now()));
        Ok(())
    }

    fn accept(&mut self) -> Result<(), Fault> {
        let Some(listener) = &self.listener else { return Ok(()) };
        match listener.accept() {
            Ok((stream, _)) => {
                let link =
                    Link::new(stream).map_err(|error| self.program.fatal(format!("its connection failed: {error}")))?;
                (self.link, self.listener) = (Some(link), None);
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
            Err(error) => return Err(self.program.fatal(format!("its connection failed: {error}"))),
        }
        if self.process.as_mut().is_some_and(Process::has_ended) {
            return Err(self.not_ready("ended before it connected"));
        }
        if self.since.is_some_and(|since| since.elapsed() >= START_TIME) {
            return Err(self.not_ready(&format!("did not connect within {} s", START_TIME.as_secs())));
        }
        thread::sleep(SLICE / 10);
        Ok(())
    }

    fn not_ready(&mut self, what: &str) -> Fault {
        self.program.not_ready(self.process.as_mut(), what)
    }

    fn forfeit(&mut self, what: &str) -> Fault {
        self.link = None;
        forfeit(self.process.take(), what, None)
    }

    fn tell(&mut self, state: &ChallengeState) -> Result<(), Fault> {
        match self.link.as_ref().map(|link| link.send(state)) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.forfeit("closed the connection")),
        }
    }
}

impl Player for ChallengeSide {
    fn begin(&mut self, game: &Game) -> Result<bool, Fault> {
        if self.is_named {
            return Ok(true);
        }
        if self.process.is_none() {
            self.start()?;
        }
        let Some(link) = &self.link else {
            self.accept()?;
            return Ok(false);
        };
        match link.receive(SLICE) {
            // Its name, which is ignored.
            Ok(Some(_)) => {}
            Ok(None) if self.since.is_some_and(|since| since.elapsed() < START_TIME) => return Ok(false),
            Ok(None) => return Err(self.not_ready("connected and did not send its name")),
            Err(what) => return Err(self.not_ready(&format!("{what} before it sent its name"))),
        }
        (self.is_named, self.since) = (true, None);
        self.tell(&ChallengeState::of(game.position()))?;
        Ok(true)
    }

    fn poll(&mut self, _: &Game, _: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        let time = Duration::from_secs(self.seconds.into()) + GRACE;
        let since = *self.since.get_or_insert_with(Instant::now);
        let received = self.link.as_ref().map_or(Err("closed the connection".to_owned()), |link| link.receive(SLICE));
        match received {
            Ok(Some(text)) => {
                self.since = None;
                let mv = Action::read(&text, PEER)
                    .map_err(|error| self.forfeit(&format!("sent an invalid message: {error}")))?;
                Ok(Some(mv))
            }
            Ok(None) if since.elapsed() < time => Ok(None),
            Ok(None) => Err(self.forfeit(&format!("sent no move within {} s", time.as_secs()))),
            Err(what) => Err(self.forfeit(&what)),
        }
    }

    fn follow(&mut self, game: &Game, _: Move) -> Result<(), Fault> {
        self.tell(&ChallengeState::of(game.position()))
    }

    fn end(&mut self, game: &Game, winner: Option<Side>) {
        // A client that has left does not receive the result.
        let _ = self.tell(&ChallengeState { turn: Turn::ended(winner), ..ChallengeState::of(game.position()) });
        if let Some(process) = &mut self.process {
            process.wait_at_most(LEAVE_TIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::command_for;
    use tablut_rules::Side;

    #[test]
    fn commands_are_filled_in_or_called_as_in_the_contest() {
        let command = |text: &str, side| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            command_for(&words, side, 60, 5801).join(" ")
        };
        assert_eq!(command("./runmyplayer", Side::Defenders), "./runmyplayer White 60 127.0.0.1");
        assert_eq!(command("java -jar p.jar --as={role} {port}", Side::Attackers), "java -jar p.jar --as=Black 5801");
    }
}
