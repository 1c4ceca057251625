//! Everything that a game in the terminal waits for, in one row: lines, keys, what was thought, signals.

use crate::lines::{LineSource, Typed};
use crate::serve::workers::Told;
use ratatui::crossterm::event;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Something that happens.
pub enum Happening {
    /// A line was typed, or could not be read.
    Typed(io::Result<Typed>),
    /// A key was pressed, the window has another size, or the terminal is gone.
    Key(io::Result<event::Event>),
    /// The computer has thought.
    Told(Told),
    /// The process is asked to end; 128 and the signal's number.
    Signal(u8),
}

/// Makes a source of lines in the thread that reads them.
pub type MakeLines = Box<dyn FnOnce() -> io::Result<Box<dyn LineSource>> + Send>;

/// Reads lines in a thread of its own: one for each prompt that is sent.
pub fn read_lines(make: MakeLines, happenings: Sender<Happening>) -> io::Result<Sender<String>> {
    let (prompts, wanted) = channel::<String>();
    let read = move || {
        let mut lines = match make() {
            Ok(lines) => lines,
            Err(error) => return drop(happenings.send(Happening::Typed(Err(error)))),
        };
        for prompt in wanted {
            if happenings.send(Happening::Typed(lines.next(&prompt))).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("lines".to_owned()).spawn(read)?;
    Ok(prompts)
}

/// Reads keys in a thread of its own, until nobody wants to hear of them.
pub fn read_keys(happenings: Sender<Happening>) -> io::Result<()> {
    let read = move || {
        loop {
            let key = event::read();
            let gone = key.is_err();
            if happenings.send(Happening::Key(key)).is_err() || gone {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".to_owned()).spawn(read).map(|_| ())
}

/// Tells of Ctrl-C, SIGTERM and a closed terminal, where the system has such signals.
#[cfg(unix)]
pub fn listen_for_signals(happenings: Sender<Happening>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let listen = move || {
        for signal in signals.forever() {
            if happenings.send(Happening::Signal(128 + signal as u8)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(|_| ())
}

/// There are none of these signals here.
#[cfg(not(unix))]
pub fn listen_for_signals(_: Sender<Happening>) -> io::Result<()> {
    Ok(())
}

/// Where happenings come from and go to.
pub fn row() -> (Sender<Happening>, Receiver<Happening>) {
    channel()
}
