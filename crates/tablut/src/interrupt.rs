//! Signals. The first SIGINT, SIGTERM or SIGHUP stops the work at a point where it can continue later. The second one ends
//! the process at once.

use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Context;
use tablut_games::CancelToken;

/// Exit code for Ctrl-C: 128 plus the number of SIGINT, as in shells.
const INTERRUPTED: u8 = 130;

/// The exit code of the last signal.
static ASKED: AtomicU8 = AtomicU8::new(INTERRUPTED);

/// A signal has stopped the command, which has already printed its results.
#[derive(Debug, thiserror::Error)]
#[error("stopped on request")]
pub struct Interrupted {
    /// 128 plus the signal's number.
    pub exit_code: u8,
}

impl Interrupted {
    /// Stopped by the last signal.
    pub fn now() -> Self {
        Self { exit_code: ASKED.load(Ordering::Relaxed) }
    }
}

/// A token that the first Ctrl-C, SIGTERM or SIGHUP cancels. A second one ends the process at once. On Windows, closing the window
/// and shutting down count as Ctrl-C.
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

/// Does what Ctrl-C does. A terminal in raw mode reports Ctrl-C as a key.
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

/// Does what Ctrl-C does when standard input ends.
pub fn raise_at_end_of_input(cancel: &CancelToken) -> std::io::Result<()> {
    let cancel = cancel.clone();
    let wait = move || {
        // Input that cannot be read counts as ended.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        raise(&cancel);
    };
    std::thread::Builder::new().name("input".to_owned()).spawn(wait).map(|_| ())
}

/// Starts a thread that calls `asked` with the exit code for each SIGTERM, and for each SIGHUP unless the program was
/// started with `nohup`.
#[cfg(unix)]
fn listen_for_termination(asked: impl Fn(u8) + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM])?;
    if !ignores_hangups() {
        signals.add_signal(SIGHUP)?;
    }
    let listen = move || signals.forever().for_each(|signal| asked(128 + signal as u8));
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(())
}

/// Whether SIGHUP is ignored, as `nohup` requests. Linux tells it. Elsewhere a program without a terminal counts as started
/// in this way.
#[cfg(unix)]
fn ignores_hangups() -> bool {
    use std::io::IsTerminal as _;
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return !std::io::stdout().is_terminal() };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|ignored| ignored & 1 == 1)
}
