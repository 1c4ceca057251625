//! The dashboard of a training run on a terminal. Closing it does not stop the run.

mod view;

use std::io::{self, IsTerminal as _, Stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use tablut_games::CancelToken;
use tablut_learn::RunEvent;

use self::view::draw;
use crate::console::Voice;
use crate::interrupt;
use crate::progress_lines::ProgressLines;
use crate::run_events::RunEvents;

/// The time between two drawings. Keys are handled at once.
const FRAME: Duration = Duration::from_millis(500);

/// The terminal that the dashboard uses.
pub type Screen = Terminal<CrosstermBackend<Stderr>>;

/// Shows a run until the user closes it or it is dropped. Then lines and bars use the terminal.
pub struct Dashboard {
    shown: Arc<Shown>,
    thread: Option<JoinHandle<()>>,
}

struct Shown {
    on_terminal: AtomicBool,
    events: Arc<RunEvents>,
    lines: Arc<ProgressLines>,
    cancel: CancelToken,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Wish {
    Leave,
    Pause,
    Interrupt,
}

/// Takes the terminal, if there is an interactive one and `plain` is not set.
pub fn take_terminal(voice: Voice, plain: bool) -> Option<Screen> {
    let wanted = !plain && !voice.is_quiet() && io::stdin().is_terminal() && io::stderr().is_terminal() && can_draw();
    if wanted { open().ok() } else { None }
}

impl Dashboard {
    /// Shows the progress of `events` on the terminal. `lines` is muted, and uses the terminal afterwards.
    pub fn start(screen: Screen, events: &Arc<RunEvents>, lines: &Arc<ProgressLines>, cancel: &CancelToken) -> Self {
        let (events, lines, cancel) = (events.clone(), lines.clone(), cancel.clone());
        let shown = Arc::new(Shown { on_terminal: AtomicBool::new(true), events, lines, cancel });
        let of_thread = shown.clone();
        let show = move || of_thread.show(screen);
        let thread = std::thread::Builder::new().name("dashboard".to_owned()).spawn(show).ok();
        if thread.is_none() {
            shown.leave();
        }
        Self { shown, thread }
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.shown.on_terminal.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

impl Shown {
    /// Draws and handles keys until the user closes the dashboard or the run ends.
    fn show(&self, mut screen: Screen) {
        while self.on_terminal.load(Ordering::Relaxed) {
            let drawn = {
                let progress = self.events.progress();
                screen.draw(|frame| draw(frame, &progress)).map(|_| ())
            };
            let wish = drawn.and_then(|()| heard());
            // If the terminal fails, training continues.
            let goes_on = wish.is_ok_and(|wish| wish.is_none_or(|wish| self.obey(wish)));
            if !goes_on {
                break;
            }
        }
        self.leave();
    }

    /// Handles a key. Returns false if the dashboard must close.
    fn obey(&self, wish: Wish) -> bool {
        match wish {
            Wish::Pause => {
                let paused = self.events.progress().paused;
                self.pause(!paused);
                true
            }
            Wish::Leave => false,
            Wish::Interrupt => {
                interrupt::raise(&self.cancel);
                false
            }
        }
    }

    fn pause(&self, paused: bool) {
        self.cancel.pause(paused);
        self.events.send(RunEvent::Paused(paused));
    }

    /// Releases the terminal. It ends a pause, because the pause would not be visible any more.
    fn leave(&self) {
        let _ = execute!(io::stderr(), LeaveAlternateScreen);
        let _ = disable_raw_mode();
        let paused = self.events.progress().paused;
        if paused {
            self.pause(false);
        }
        self.lines.unmute();
    }
}

fn can_draw() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "dumb" && !term.is_empty())
}

/// Switches the terminal to the dashboard's screen.
fn open() -> io::Result<Screen> {
    enable_raw_mode()?;
    let opened =
        execute!(io::stderr(), EnterAlternateScreen).and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())));
    if opened.is_err() {
        let _ = execute!(io::stderr(), LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
    opened
}

/// Waits for the next frame or key, and returns the meaning of a key.
fn heard() -> io::Result<Option<Wish>> {
    if !event::poll(FRAME)? {
        return Ok(None);
    }
    Ok(match event::read()? {
        Event::Key(key) if key.kind == KeyEventKind::Press => wish(key),
        _ => None,
    })
}

fn wish(key: KeyEvent) -> Option<Wish> {
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Wish::Interrupt),
        KeyCode::Char('q') => Some(Wish::Leave),
        KeyCode::Char('p') => Some(Wish::Pause),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live_writer::LiveWriter;
    use crate::run_progress::RunProgress;
    use tablut_learn::{Run, TrainConfig};
    use tablut_report::Live;

    #[test]
    fn a_pause_lasts_until_the_next_key_or_until_the_dashboard_closes() {
        let folder = tempfile::tempdir().unwrap();
        let text = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n";
        let config = TrainConfig::parse(text, std::path::Path::new("test.toml"), &[]).unwrap();
        let run = Run::open(&folder.path().join("run"), config).unwrap();
        let (counters, cancel) = (Arc::default(), CancelToken::new());
        let lines = Arc::new(ProgressLines::new(&run, &counters, Voice::new(true), true));
        let progress = RunProgress::new(&run, &counters, &cancel);
        let events = Arc::new(RunEvents::new(progress, vec![Arc::new(LiveWriter::new(&run.folder))]));
        let shown = Shown { on_terminal: AtomicBool::new(true), events, lines, cancel: cancel.clone() };
        let is_paused = || (shown.events.progress().paused, Live::read(&run.folder).unwrap().paused);
        assert!(shown.obey(Wish::Pause));
        assert_eq!(is_paused(), (true, true));
        let waited = cancel.paused();
        assert!(shown.obey(Wish::Pause));
        assert_eq!(is_paused(), (false, false));
        assert!(cancel.paused() >= waited && !cancel.must_stop());
        assert!(shown.obey(Wish::Pause) && !shown.obey(Wish::Leave));
        shown.leave();
        assert_eq!(is_paused(), (false, false));
    }

    #[test]
    fn keys_have_the_meaning_that_the_last_line_shows() {
        let key = |code, modifiers| wish(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('q'), KeyModifiers::NONE), Some(Wish::Leave));
        assert_eq!(key(KeyCode::Char('p'), KeyModifiers::NONE), Some(Wish::Pause));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Wish::Interrupt));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::NONE), None);
        assert_eq!(key(KeyCode::Enter, KeyModifiers::NONE), None);
    }
}
