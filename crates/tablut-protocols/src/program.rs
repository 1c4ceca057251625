//! Another program that plays: how it is started, and how long it may take.
//!
//! A program that crashes, is too slow, or sends an illegal move or anything else than a move loses that game; the match goes on,
//! with a new process where the old one is gone. A program that cannot be started, or that does not speak its
//! protocol from the beginning, ends the match. No process outlives its player.

use std::io;
use std::time::Duration;
use tablut_players::{Fault, PlayerError};

/// How long a program may take to be ready: to start, load what it needs, and say its name.
pub const START_TIME: Duration = Duration::from_mins(1);
/// How long an engine may think about a move where its limit names no time.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How much later than its time a move may come: programs look at their clock now and then, and lines take a moment.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long a player waits at once, so that a stop is heard.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// A program as a player: what all its games share.
pub(crate) struct Program {
    /// The player, as the command names it.
    pub(crate) name: String,
    /// The command's words.
    pub(crate) command: Vec<String>,
}

impl Program {
    /// The program that `command` starts, its words split as a shell would split them. No shell is started.
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
