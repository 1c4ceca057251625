//! Conversations by lines. What comes in waits in a channel, so that it is heard while a net thinks.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// A longer line is cut; no line of any protocol here is.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// Lines that wait before the other end is made to wait.
const MAX_WAITING_LINES: usize = 1024;

/// The lines of `input`, read by a thread of its own until the input ends or the receiver is dropped. Nothing can interrupt a
/// thread that waits for input: it is left behind when its process ends.
pub fn lines_of(input: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = sync_channel(MAX_WAITING_LINES);
    thread::spawn(move || read_lines(input, &sender));
    lines
}

fn read_lines(input: impl Read, lines: &SyncSender<String>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        }
        if lines.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
            return;
        }
    }
}

/// Forgets lines that came unasked.
pub(crate) fn forget(lines: &Receiver<String>) {
    lines.try_iter().take(MAX_WAITING_LINES).for_each(drop);
}

/// Both directions of a conversation.
pub(crate) struct Wire<'a> {
    lines: &'a Receiver<String>,
    /// Lines that came at another's time.
    waiting: VecDeque<String>,
    output: &'a mut dyn Write,
}

impl<'a> Wire<'a> {
    pub(crate) fn new(lines: &'a Receiver<String>, output: &'a mut dyn Write) -> Self {
        Self { lines, waiting: VecDeque::new(), output }
    }

    /// The next line, waited for; `None` when there will be none.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// A line that has come since, if any.
    ///
    /// The end of the input is no line, and does not cut a search short: scripts pipe their lines in and wait for the answer.
    pub(crate) fn arrived(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }

    /// Puts a line that [`Wire::arrived`] gave behind those that wait for [`Wire::next_line`].
    pub(crate) fn keep(&mut self, line: String) {
        self.waiting.push_back(line);
    }

    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        // In one piece: some programs take what one read gives them for whole lines.
        self.output.write_all(format!("{text}\n").as_bytes())?;
        self.output.flush()
    }
}

/// Why a command was not obeyed.
pub(crate) enum Failure {
    /// It cannot be; the text is for the other end.
    Refused(String),
    /// Nobody listens any more.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
pub(crate) fn refused(error: impl ToString) -> Failure {
    // An answer is one line.
    Failure::Refused(error.to_string().replace('\n', " "))
}
