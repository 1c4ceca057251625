//! The events of a game in the terminal: lines, keys, updates of jobs and signals. They arrive in one channel.

use ratatui::crossterm::event;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use tablut_session::JobUpdate;

pub enum TerminalEvent {
    Line(io::Result<LineInput>),
    /// A key was pressed, the window's size has changed, or reading from the terminal failed.
    Key(io::Result<event::Event>),
    Job(JobUpdate),
    /// A signal has arrived. The number is 128 plus the signal's number.
    Signal(u8),
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LineInput {
    Line(String),
    /// Ctrl-C in the middle of a line.
    Interrupted,
    End,
}

pub trait LineSource {
    /// The next line. `prompt` is shown at an interactive terminal.
    fn next(&mut self, prompt: &str) -> io::Result<LineInput>;
}

/// The maximum length of a line in bytes. The rest of a longer line is dropped.
const MAX_LINE_BYTES: u64 = 4096;

/// Lines of any reader, without prompts. Bytes that are not UTF-8 become replacement characters.
pub struct Piped<R>(pub R);

impl<R: BufRead> LineSource for Piped<R> {
    fn next(&mut self, _: &str) -> io::Result<LineInput> {
        let mut bytes = Vec::new();
        if self.0.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(LineInput::End);
        }
        if bytes.last() != Some(&b'\n') {
            self.0.skip_until(b'\n')?;
        }
        Ok(LineInput::Line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()))
    }
}

/// Lines from an editor on the process's own terminal, with a history.
pub struct Edited(DefaultEditor);

impl Edited {
    pub fn new() -> io::Result<Self> {
        DefaultEditor::new().map(Self).map_err(io::Error::other)
    }
}

impl LineSource for Edited {
    fn next(&mut self, prompt: &str) -> io::Result<LineInput> {
        match self.0.readline(prompt) {
            Ok(line) => {
                // The line is executed even if the history does not accept it.
                let _ = self.0.add_history_entry(&line);
                Ok(LineInput::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(LineInput::Interrupted),
            Err(ReadlineError::Eof) => Ok(LineInput::End),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

/// Creates a source of lines. The thread that reads the lines calls it.
pub type MakeLines = Box<dyn FnOnce() -> io::Result<Box<dyn LineSource>> + Send>;

/// Starts a thread that reads one line for each prompt that is sent.
pub fn read_lines(make: MakeLines, events: Sender<TerminalEvent>) -> io::Result<Sender<String>> {
    let (prompts, requested) = channel::<String>();
    let read = move || {
        let mut lines = match make() {
            Ok(lines) => lines,
            Err(error) => return drop(events.send(TerminalEvent::Line(Err(error)))),
        };
        for prompt in requested {
            if events.send(TerminalEvent::Line(lines.next(&prompt))).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("lines".to_owned()).spawn(read)?;
    Ok(prompts)
}

/// Starts a thread that reads keys until the receiver is dropped.
pub fn read_keys(events: Sender<TerminalEvent>) -> io::Result<()> {
    let read = move || {
        loop {
            let key = event::read();
            let has_failed = key.is_err();
            if events.send(TerminalEvent::Key(key)).is_err() || has_failed {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".to_owned()).spawn(read).map(|_| ())
}

/// Lets Ctrl-C and SIGTERM end a command that has nothing to save. Without it they do not end process 1 of a container.
/// On Windows, Ctrl-C ends every process that does not listen for it.
pub fn exit_on_signals() -> io::Result<()> {
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, std::sync::Arc::new(true.into()))?;
    }
    Ok(())
}

#[cfg(unix)]
pub fn listen_for_signals(events: Sender<TerminalEvent>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let listen = move || {
        for signal in signals.forever() {
            if events.send(TerminalEvent::Signal(128 + signal as u8)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(|_| ())
}

/// Starts a thread that reports Ctrl-C, and as Ctrl-C that the window was closed.
#[cfg(not(unix))]
pub fn listen_for_signals(events: Sender<TerminalEvent>) -> io::Result<()> {
    ctrlc::set_handler(move || drop(events.send(TerminalEvent::Signal(130)))).map_err(io::Error::other)
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
        assert_eq!(next(), LineInput::Line("one".to_owned()));
        assert_eq!(next(), LineInput::Line(String::new()));
        assert_eq!(next(), LineInput::Line("x".repeat(MAX_LINE_BYTES as usize)));
        assert_eq!(next(), LineInput::Line("\u{ff}".to_owned()));
        assert_eq!(next(), LineInput::Line("two".to_owned()));
        assert_eq!(next(), LineInput::End);
    }
}
