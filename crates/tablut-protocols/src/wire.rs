//! Our program as an engine: its player, and communication in lines. Incoming lines wait in a channel, so that they can
//! be read while a net thinks.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;
use tablut_players::{Baseline, Searcher};
use tablut_rules::Rules;

pub enum BridgePlayer {
    Net(Box<Searcher>),
    /// A player without a net. It ignores limits on its time.
    Baseline(Baseline),
}

impl BridgePlayer {
    pub fn set_rules(&mut self, rules: &Arc<Rules>) {
        if let Self::Baseline(player) = self {
            player.play_by(rules);
        }
    }
}

/// The maximum length of a line. A longer line is skipped completely, because no protocol here has one.
const MAX_LINE_BYTES: usize = 1 << 16;
/// The number of waiting lines at which the sender is blocked.
pub(crate) const MAX_WAITING_LINES: usize = 1024;

/// Lines in the order of their arrival. A line that was too long is replaced by its length.
pub type Lines = Receiver<Result<String, Overlong>>;

/// A line that is too long for any protocol. It is ignored.
#[derive(Copy, Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a line of {bytes} bytes is ignored, expected at most {MAX_LINE_BYTES}")]
pub struct Overlong {
    /// Its length, without its end.
    pub bytes: usize,
}

/// The lines of `input`. A thread reads them until the input ends or the receiver is dropped. A thread that waits for
/// input cannot be interrupted, so it stays until the process ends.
pub fn lines_of(input: impl Read + Send + 'static) -> Lines {
    let (sender, lines) = sync_channel(MAX_WAITING_LINES);
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        let mut is_first = true;
        while let Some(mut line) = read_line(&mut input) {
            if let Ok(text) = &mut line
                && std::mem::take(&mut is_first)
                && text.starts_with('\u{feff}')
            {
                text.remove(0);
            }
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The next line, or `None` at the end of the input. Only the length of a too long line is kept.
fn read_line(input: &mut impl BufRead) -> Option<Result<String, Overlong>> {
    let (mut line, mut bytes, mut has_begun) = (Vec::new(), 0, false);
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        let end = part.iter().position(|&byte| byte == b'\n');
        let content = &part[..end.unwrap_or(part.len())];
        bytes += content.len();
        if bytes <= MAX_LINE_BYTES {
            line.extend_from_slice(content);
        }
        let is_last = part.is_empty();
        has_begun |= !is_last;
        let used = content.len() + usize::from(end.is_some());
        input.consume(used);
        if is_last && !has_begun {
            return None;
        }
        if is_last || end.is_some() {
            let text = || String::from_utf8_lossy(&line).trim_end().to_owned();
            return Some(if bytes <= MAX_LINE_BYTES { Ok(text()) } else { Err(Overlong { bytes }) });
        }
    }
}

pub(crate) fn shorten(line: &str) -> String {
    line.trim().chars().take(80).collect()
}

pub(crate) struct Wire<'a> {
    lines: &'a Lines,
    waiting: VecDeque<Result<String, Overlong>>,
    output: &'a mut dyn Write,
    /// Whether no line will arrive any more. A search without another end stops then. One with a number of simulations
    /// goes on: scripts pipe their lines in and wait for the answer.
    pub(crate) has_ended: bool,
}

impl<'a> Wire<'a> {
    pub(crate) fn new(lines: &'a Lines, output: &'a mut dyn Write) -> Self {
        Self { lines, waiting: VecDeque::new(), output, has_ended: false }
    }

    /// Waits for the next line; `None` if there will be none.
    fn next_line(&mut self) -> Option<Result<String, Overlong>> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// A line that has already arrived, if any.
    pub(crate) fn arrived(&mut self) -> Option<String> {
        loop {
            match self.lines.try_recv() {
                Ok(Ok(line)) => return Some(line),
                Ok(overlong) => self.waiting.push_back(overlong),
                Err(error) => {
                    self.has_ended = error == TryRecvError::Disconnected;
                    return None;
                }
            }
        }
    }

    /// Waits for a line that has not arrived yet; `None` if there will be none.
    pub(crate) fn next_arrival(&mut self) -> Option<String> {
        loop {
            match self.lines.recv().ok()? {
                Ok(line) => return Some(line),
                Err(overlong) => self.waiting.push_back(Err(overlong)),
            }
        }
    }

    /// Puts a line from [`Wire::arrived`] at the end of the queue for [`Wire::next_line`].
    pub(crate) fn keep(&mut self, line: String) {
        self.waiting.push_back(Ok(line));
    }

    /// Passes each line to `execute` until it returns false or the input ends. The answer to a refused line is made by
    /// `refuse` from the line and the reason.
    pub(crate) fn run(
        &mut self,
        mut execute: impl FnMut(&str, &mut Self) -> Result<bool, Failure>,
        refuse: impl Fn(&str, &str) -> String,
    ) -> io::Result<()> {
        while let Some(line) = self.next_line() {
            let line = match line {
                Ok(line) => line,
                Err(overlong) => {
                    self.say(&refuse("", &overlong.to_string()))?;
                    continue;
                }
            };
            match execute(&line, self) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(Failure::Refused(reason)) => self.say(&refuse(&line, &reason))?,
                Err(Failure::Output(error)) => return Err(error),
            }
        }
        Ok(())
    }

    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        // In one write: some programs assume that one read returns whole lines.
        self.output.write_all(format!("{text}\n").as_bytes())?;
        self.output.flush()
    }
}

pub(crate) enum Failure {
    /// The command is refused. The text is for the sender.
    Refused(String),
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
pub(crate) fn refusal(error: impl ToString) -> Failure {
    // An answer is one line.
    Failure::Refused(error.to_string().replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, Overlong, lines_of};

    #[test]
    fn a_line_that_is_too_long_is_skipped_up_to_its_end_and_reported() {
        let longest = "x".repeat(MAX_LINE_BYTES);
        let lines = |text: String| lines_of(std::io::Cursor::new(text)).iter().collect::<Vec<_>>();
        let text = format!("first\n{longest}quit\n\n{longest}\r\n{longest}\nlast");
        let long = |bytes| Err(Overlong { bytes });
        let expected = vec![
            Ok("first".to_owned()),
            long(MAX_LINE_BYTES + 4),
            Ok(String::new()),
            long(MAX_LINE_BYTES + 1),
            Ok(longest.clone()),
            Ok("last".to_owned()),
        ];
        assert!(lines(text) == expected);
        assert!(lines(format!("{longest}quit")) == [long(MAX_LINE_BYTES + 4)]);
        assert!(lines(String::new()).is_empty() && lines("\n".to_owned()) == [Ok(String::new())]);
    }
}
