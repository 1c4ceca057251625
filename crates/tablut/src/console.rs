//! What a command says: results on standard output, notes and progress on standard error.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use clap::builder::StyledStr;
use serde::Serialize;

/// Where a command's results go, and how much else it says.
///
/// It is written to like any file: a result that cannot be written is an error of the command, never a panic.
pub struct Console {
    out: io::Stdout,
    /// What says everything that is no result.
    pub voice: Voice,
}

/// Standard output does not take what is written to it.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
pub struct OutputError(io::Error);

impl OutputError {
    /// The error in `error`'s chain that came from standard output.
    pub fn find<'a>(error: &'a anyhow::Error) -> Option<&'a Self> {
        let of_output = |cause: &'a (dyn Error + 'static)| cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref();
        error.chain().find_map(of_output)
    }

    /// Whether whoever read the output wants no more of it, as `head` does: nothing has gone wrong.
    pub fn reader_has_gone(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

fn of_output(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OutputError(error))
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(of_output)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(of_output)
    }
}

impl Console {
    /// Standard output, and a voice that is not quiet.
    pub fn new() -> Self {
        Self { out: io::stdout(), voice: Voice { quiet: false } }
    }

    /// Whether results may be coloured.
    pub fn has_colour(&self) -> bool {
        self.out.is_terminal() && tablut_play::colour_is_wanted()
    }

    /// Prints figures on a line, in words or as JSON.
    pub fn print_figures(&mut self, figures: &(impl Serialize + Display), json: bool) -> anyhow::Result<()> {
        if json {
            writeln!(self, "{}", serde_json::to_string(figures)?)?;
        } else {
            writeln!(self, "{figures}")?;
        }
        Ok(())
    }

    /// Writes styled text, plain where there is no colour.
    pub fn write_styled(&mut self, text: &StyledStr) -> io::Result<()> {
        if self.has_colour() { write!(self, "{}", text.ansi()) } else { write!(self, "{text}") }
    }
}

/// Says what is no result, on standard error, unless it is told to be quiet. A text that nobody can read is no reason to stop.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    quiet: bool,
}

impl Voice {
    /// A voice that says nothing when `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// Whether nothing is to be said.
    pub fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Says a line.
    pub fn say(self, line: impl Display) {
        if !self.quiet {
            complain(line);
        }
    }
}

/// Writes a line to standard error, quiet or not: for errors alone.
pub fn complain(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
