//! Other programs as players: how they are started, and how long they may take.
//!
//! A program loses a game if it crashes, is too slow, or sends an illegal move or something that is not a move. The
//! match continues, with a new process if the old one has ended. If a program cannot be started, or does not speak its
//! protocol from the start, the match ends. No process outlives its player.

use std::io;
use std::time::Duration;
use tablut_players::{Fault, PlayerError};

/// How long a program may take to start, load its data, and send its name.
pub const START_TIME: Duration = Duration::from_mins(1);
/// How long an engine may think about a move if its limit has no time.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How late a move may be. Programs check their clock only from time to time, and communication takes time.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long a player waits at a time, so that a stop is noticed.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// A program as a player: the data shared by all its games.
pub(crate) struct Program {
    /// The player, as in the command.
    pub(crate) name: String,
    /// The command's words.
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
}
