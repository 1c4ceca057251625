//! Where the plain mode's lines come from: a pipe, or a person who edits them and has a history.

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::{self, BufRead, Read};

/// Bytes of one line that are looked at; the rest of it is left out.
const MAX_LINE_BYTES: u64 = 4096;

/// What was typed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Typed {
    /// A line without its end.
    Line(String),
    /// Ctrl-C in the middle of a line.
    Interrupted,
    /// Nothing more will come.
    End,
}

/// A source of lines.
pub trait LineSource {
    /// The next line. `prompt` is shown where somebody sits at a terminal.
    fn next(&mut self, prompt: &str) -> io::Result<Typed>;
}

/// Lines of any reader, without prompts. Bytes that are no UTF-8 come as replacement characters.
pub struct Piped<R>(pub R);

impl<R: BufRead> LineSource for Piped<R> {
    fn next(&mut self, _: &str) -> io::Result<Typed> {
        let mut bytes = Vec::new();
        if read_up_to(&mut self.0, &mut bytes)? == 0 {
            return Ok(Typed::End);
        }
        let mut rest = Vec::new();
        while bytes.last() != Some(&b'\n') && rest.last() != Some(&b'\n') {
            rest.clear();
            if read_up_to(&mut self.0, &mut rest)? == 0 {
                break;
            }
        }
        Ok(Typed::Line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()))
    }
}

fn read_up_to(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<usize> {
    input.take(MAX_LINE_BYTES).read_until(b'\n', bytes)
}

/// Lines that are edited at a terminal, with those before them a key away.
pub struct Edited(DefaultEditor);

impl Edited {
    /// An editor on the process's own terminal.
    pub fn new() -> io::Result<Self> {
        DefaultEditor::new().map(Self).map_err(io::Error::other)
    }
}

impl LineSource for Edited {
    fn next(&mut self, prompt: &str) -> io::Result<Typed> {
        match self.0.readline(prompt) {
            Ok(line) => {
                // A line that the history does not take is still obeyed.
                let _ = self.0.add_history_entry(&line);
                Ok(Typed::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_their_end_and_overlong_ones_count_once() {
        let long = "x".repeat(3 * MAX_LINE_BYTES as usize);
        let text = format!("one\r\n\n{long}\n\u{ff}\ntwo");
        let mut piped = Piped(text.as_bytes());
        let mut next = || piped.next("").unwrap();
        assert_eq!(next(), Typed::Line("one".to_owned()));
        assert_eq!(next(), Typed::Line(String::new()));
        assert_eq!(next(), Typed::Line("x".repeat(MAX_LINE_BYTES as usize)));
        assert_eq!(next(), Typed::Line("\u{ff}".to_owned()));
        assert_eq!(next(), Typed::Line("two".to_owned()));
        assert_eq!(next(), Typed::End);
    }
}
