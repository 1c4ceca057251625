//! The output of a command: results on standard output, notes and progress on standard error.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use clap::builder::StyledStr;
use serde::Serialize;

/// The output of a command. It is written to like a file: a result that cannot be written is an error, never a panic.
pub struct Console {
    /// `None` if nobody wants the results.
    out: Option<io::Stdout>,
    /// For all output that is no result.
    pub voice: Voice,
}

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
pub struct OutputError(io::Error);

impl OutputError {
    /// The error in `error`'s chain that came from standard output.
    pub fn find<'a>(error: &'a anyhow::Error) -> Option<&'a Self> {
        let of_output = |cause: &'a (dyn Error + 'static)| cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref();
        error.chain().find_map(of_output)
    }

    /// Whether the reader has closed the pipe, as `head` does. This is no error.
    pub fn reader_has_gone(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

fn of_output(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OutputError(error))
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(bytes.len()), |out| out.write(bytes)).map_err(of_output)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush).map_err(of_output)
    }
}

impl Console {
    /// Results go to standard output, and notes are printed.
    pub fn new() -> Self {
        Self { out: Some(io::stdout()), voice: Voice { quiet: false } }
    }

    /// Results and notes are not printed.
    pub fn silent() -> Self {
        Self { out: None, voice: Voice { quiet: true } }
    }

    /// Whether results may be coloured.
    pub fn has_colour(&self) -> bool {
        self.out.as_ref().is_some_and(IsTerminal::is_terminal) && tablut_play::colour_is_wanted()
    }

    /// Prints `figures` on a line, as text or as JSON.
    pub fn print_figures(&mut self, figures: &(impl Serialize + Display), json: bool) -> anyhow::Result<()> {
        if json {
            writeln!(self, "{}", serde_json::to_string(figures)?)?;
        } else {
            writeln!(self, "{figures}")?;
        }
        Ok(())
    }

    /// Writes styled text, without styles if there is no colour.
    pub fn write_styled(&mut self, text: &StyledStr) -> io::Result<()> {
        if self.has_colour() { write!(self, "{}", text.ansi()) } else { write!(self, "{text}") }
    }
}

/// Prints notes to standard error, unless `--quiet` is given. It ignores errors of standard error.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    quiet: bool,
}

impl Voice {
    /// A voice that prints nothing if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    pub fn is_quiet(self) -> bool {
        self.quiet
    }

    pub fn say(self, line: impl Display) {
        if !self.quiet {
            complain(line);
        }
    }
}

/// Writes a line to standard error even with `--quiet`. This is for errors only.
pub fn complain(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
