//! Ctrl-C and its kin: the first asks the work to stop where it can go on later, a second one ends the process at once.

use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Context;
use tablut_games::CancelToken;

/// Exit code for Ctrl-C: 128 and SIGINT's number, as shells have it.
const INTERRUPTED: u8 = 130;

/// The exit code that the last signal asks for.
static ASKED: AtomicU8 = AtomicU8::new(INTERRUPTED);

/// A command that a signal has stopped, and that has said what there is.
#[derive(Debug, thiserror::Error)]
#[error("stopped on request")]
pub struct Interrupted {
    /// 128 and the signal's number.
    pub exit_code: u8,
}

impl Interrupted {
    /// By the last signal.
    pub fn now() -> Self {
        Self { exit_code: ASKED.load(Ordering::Relaxed) }
    }
}

/// Cancelled by the first Ctrl-C or SIGTERM; a second one ends the process at once. On Windows, closing the window and
/// shutting down count as Ctrl-C.
pub fn cancelled_by_interrupt() -> anyhow::Result<CancelToken> {
    let cancel = CancelToken::new();
    #[cfg(unix)]
    {
        let cancel = cancel.clone();
        listen_for_termination(move |code| ask(&cancel, code)).context("cannot listen for SIGTERM")?;
    }
    let handle = cancel.clone();
    ctrlc::set_handler(move || raise(&handle)).context("cannot listen for Ctrl-C")?;
    Ok(cancel)
}

/// Does what Ctrl-C does.
pub fn raise(cancel: &CancelToken) {
    ask(cancel, INTERRUPTED);
}

/// Asks the work to stop. If it was asked before, ends the process.
fn ask(cancel: &CancelToken, code: u8) {
    ASKED.store(code, Ordering::Relaxed);
    if !cancel.cancel() {
        std::process::exit(code.into());
    }
}

/// Does what Ctrl-C does when the standard input ends, in whatever way its other end is closed.
pub fn raise_at_end_of_input(cancel: &CancelToken) -> std::io::Result<()> {
    let cancel = cancel.clone();
    let wait = move || {
        // An input that cannot be read has ended too.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        raise(&cancel);
    };
    std::thread::Builder::new().name("input".to_owned()).spawn(wait).map(|_| ())
}

/// Calls `asked` with the exit code of each SIGTERM, from a thread of its own.
#[cfg(unix)]
fn listen_for_termination(asked: impl Fn(u8) + Send + 'static) -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])?;
    let listen = move || signals.forever().for_each(|signal| asked(128 + signal as u8));
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(())
}
