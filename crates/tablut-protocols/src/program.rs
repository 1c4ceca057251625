//! Other programs as players: how they are started, how long they may take, and their processes.
//!
//! A program loses a game if it crashes, is too slow, or sends an illegal move or something that is not a move. The
//! match continues, with a new process if the old one has ended. If a program cannot be started, or does not speak its
//! protocol from the start, the match ends. No process outlives its player.

use crate::wire::{Lines, MAX_WAITING_LINES, lines_of};
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tablut_players::{Fault, PlayerError};

/// How long a program may take to start, load its data, and send its name.
pub const START_TIME: Duration = Duration::from_mins(1);
/// How long an engine may think about a move if its limit has no time.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How late a move may be. Programs check their clock only from time to time, and communication takes time.
pub const GRACE: Duration = Duration::from_secs(2);
/// Windows' flag for a process that Ctrl-C in our terminal does not reach.
#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
/// How long a player waits at a time, so that a stop is noticed.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// A program as a player: the data shared by all its games.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
}

impl Program {
    /// The program that `command` starts. The command is split into words like in a shell, but no shell is started.
    pub(crate) fn new(name: &str, command: &str) -> Result<Self, PlayerError> {
        let wrong = |reason: String| PlayerError { name: name.to_owned(), reason };
        let command = shlex::split(command)
            .ok_or_else(|| wrong(format!("the command {command:?} has a quote that is not closed")))?;
        if command.is_empty() {
            return Err(wrong("expected a command".to_owned()));
        }
        Ok(Self { name: name.to_owned(), command })
    }

    pub(crate) fn error(&self, reason: impl Into<String>) -> PlayerError {
        PlayerError { name: self.name.clone(), reason: reason.into() }
    }

    pub(crate) fn fatal(&self, reason: impl Into<String>) -> Fault {
        Fault::Fatal(self.error(reason))
    }

    pub(crate) fn cannot_start(&self, error: &io::Error) -> Fault {
        self.fatal(format!("cannot start {:?}: {error}", self.command[0]))
    }

    /// The fault of a program that was not ready for a game in time.
    pub(crate) fn not_ready(&self, process: Option<&mut Process>, what: &str) -> Fault {
        let words = process.map(Process::last_words).unwrap_or_default();
        self.fatal(format!("{what}{words}"))
    }
}

/// The fault of a program that loses the game. `last_line` is its last line that could not be parsed.
pub(crate) fn forfeit(process: Option<Process>, what: &str, last_line: Option<String>) -> Fault {
    let words = process.map(|mut process| process.last_words()).unwrap_or_default();
    let last = last_line.map_or(String::new(), |line| format!("; its last line is {line:?}"));
    Fault::Forfeit(format!("{what}{last}{words}"))
}

const MAX_ERROR_BYTES: usize = 2000;
const END_TIME: Duration = Duration::from_millis(500);

pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines,
    errors: Arc<Mutex<Vec<u8>>>,
    error_reader: Option<JoinHandle<()>>,
}

pub(crate) enum Received {
    /// A line, without its end.
    Line(String),
    Nothing,
    End,
}

impl Process {
    /// Starts `command`. `stdio` makes its standard input and output: pipes, or nothing if it communicates in another way.
    pub(crate) fn start(command: &[String], stdio: fn() -> Stdio) -> io::Result<Self> {
        let mut builder = Command::new(&command[0]);
        builder.args(&command[1..]).stdin(stdio()).stdout(stdio()).stderr(Stdio::piped());
        // Ctrl-C in a terminal is for us. We end the process when its game is over or dropped.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut builder, CREATE_NEW_PROCESS_GROUP);
        let mut child = builder.spawn()?;
        let lines = match child.stdout.take() {
            Some(output) => lines_of(output),
            None => lines_of(io::empty()),
        };
        let errors = Arc::new(Mutex::new(Vec::new()));
        let error_reader = child.stderr.take().map(|stderr| {
            let errors = errors.clone();
            thread::spawn(move || keep_tail(stderr, &errors))
        });
        Ok(Self { input: child.stdin.take(), child, lines, errors, error_reader })
    }

    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// The next line, if it arrives within `wait`.
    pub(crate) fn receive(&self, wait: Duration) -> Received {
        match self.lines.recv_timeout(wait) {
            Ok(Ok(line)) => Received::Line(line),
            // No protocol has such a line, so it counts as one that cannot be parsed.
            Ok(Err(overlong)) => Received::Line(format!("({overlong})")),
            Err(RecvTimeoutError::Timeout) => Received::Nothing,
            Err(RecvTimeoutError::Disconnected) => Received::End,
        }
    }

    pub(crate) fn forget(&self) {
        self.lines.try_iter().take(MAX_WAITING_LINES).for_each(drop);
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    pub(crate) fn wait_at_most(&mut self, wait: Duration) {
        wait_until(wait, || self.has_ended());
    }

    /// The exit status, if the process has ended, and the end of its standard error, as a continuation of a sentence.
    pub(crate) fn last_words(&mut self) -> String {
        self.wait_at_most(END_TIME);
        if self.has_ended() {
            // Its output may still be on the way.
            wait_until(END_TIME, || self.error_reader.as_ref().is_none_or(JoinHandle::is_finished));
        }
        let ended = match self.child.try_wait() {
            Ok(Some(status)) => format!(" ({status})"),
            _ => String::new(),
        };
        let errors = self.errors.lock().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let lines: Vec<&str> = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].join(" / ");
        if last.is_empty() { ended } else { format!("{ended}; its standard error ends with {last:?}") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // All processes that it started end with it, on Unix if they are still in its process group. If it has already
        // ended by itself, its group or number may no longer be its own.
        #[cfg(unix)]
        if matches!(self.child.try_wait(), Ok(None)) {
            let group = rustix::process::Pid::from_child(&self.child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(windows)]
        if matches!(self.child.try_wait(), Ok(None)) {
            let mut kill = Command::new("taskkill");
            kill.args(["/T", "/F", "/PID", &self.child.id().to_string()]);
            let _ = kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_until(wait: Duration, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + wait;
    while !is_so() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
}

fn keep_tail(mut stderr: impl Read, tail: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut bytes) {
        let Ok(mut tail) = tail.lock() else { return };
        tail.extend_from_slice(&bytes[..n]);
        let excess = tail.len().saturating_sub(MAX_ERROR_BYTES);
        tail.drain(..excess);
    }
}
