//! The dashboard of a training run on a terminal; what it shows is written to its other views as well, so that one may leave it.

mod state;
mod view;

use std::io::{self, IsTerminal as _, Stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use tablut_fleet::{FleetStatus, Log};
use tablut_games::GenerationMetrics;
use tablut_games::{CancelToken, Counters, GameRecord};
use tablut_learn::{Observer, Run, StepReport};
use tablut_net::Model;

use self::state::DashboardState;
use self::view::{Moment, draw};
use crate::console::Voice;
use crate::interrupt;
use crate::live_writer::LiveWriter;
use crate::training_progress::TrainProgress;

/// How often it is drawn; keys are heard at once.
const FRAME: Duration = Duration::from_millis(500);

/// Shows a run as a dashboard until it is left, and as lines with bars from then on.
pub struct Screen {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<DashboardState>,
    /// Whether the dashboard is on the terminal.
    is_shown: AtomicBool,
    /// What was said while it was; it is written once it has gone.
    waiting: Mutex<Vec<String>>,
    plain: TrainProgress,
    counters: Arc<Counters>,
    cancel: CancelToken,
    live: Arc<LiveWriter>,
}

/// What a key asks for.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Wish {
    Leave,
    Pause,
    Interrupt,
}

impl Screen {
    /// The lines of `run`, and a dashboard above them where people sit at a terminal and do not prefer `plain` lines.
    pub fn new(
        run: &Run,
        counters: &Arc<Counters>,
        cancel: &CancelToken,
        live: &Arc<LiveWriter>,
        voice: Voice,
        plain: bool,
    ) -> Self {
        let wanted =
            !plain && !voice.is_quiet() && io::stdin().is_terminal() && io::stderr().is_terminal() && can_draw();
        let terminal = if wanted { open().ok() } else { None };
        let shared = Arc::new(Shared {
            state: Mutex::new(DashboardState::new(run)),
            is_shown: AtomicBool::new(terminal.is_some()),
            waiting: Mutex::default(),
            plain: TrainProgress::new(run, counters, voice, terminal.is_some()),
            counters: counters.clone(),
            cancel: cancel.clone(),
            live: live.clone(),
        });
        let mut screen = Self { shared, thread: None };
        if let Some(terminal) = terminal {
            let shared = screen.shared.clone();
            let show = move || shared.show(terminal);
            match std::thread::Builder::new().name("dashboard".to_owned()).spawn(show) {
                Ok(thread) => screen.thread = Some(thread),
                Err(_) => screen.shared.leave(),
            }
        }
        for change in &run.changed {
            screen.say(&format!("config: {} was {}, is {}", change.key, change.before, change.after));
        }
        if run.next_generation > 0 {
            screen.say(&format!("Going on after generation {}", run.next_generation - 1));
        }
        screen
    }

    /// Says a line.
    pub fn say(&self, line: &str) {
        self.shared.say(line);
    }

    /// Takes lines from other threads, and says them as its own.
    pub fn notes(&self) -> Log {
        let shared = self.shared.clone();
        Arc::new(move |line| shared.say(line))
    }

    /// Shows what `fleet` says of the workers with every game from now on.
    pub fn watch(&self, fleet: impl Fn() -> FleetStatus + Send + Sync + 'static) {
        self.shared.plain.watch(fleet);
    }

    /// Games that rate a net begin.
    pub fn rating_begins(&self, games: u64) {
        self.shared.state().rating_begins(games);
        self.shared.plain.begin_phase("rating", "games", games);
    }

    /// One of them has ended.
    pub fn rating_game_ends(&self) {
        self.shared.state().phase.done += 1;
        self.shared.plain.advance();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.shared.is_shown.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A drawing that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, DashboardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<String>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, line: &str) {
        let mut waiting = self.waiting();
        if self.is_shown.load(Ordering::Relaxed) {
            self.state().say(line);
            waiting.push(line.to_owned());
        } else {
            self.plain.say(line);
        }
    }

    /// Draws and hears keys until somebody leaves or the run ends.
    fn show(&self, mut terminal: Terminal<CrosstermBackend<Stderr>>) {
        while self.is_shown.load(Ordering::Relaxed) {
            let moment = Moment { evaluations: self.counters.evaluations.load(Ordering::Relaxed) };
            let drawn = {
                let mut state = self.state();
                state.paused_for = self.cancel.paused();
                terminal.draw(|frame| draw(frame, &state, moment)).map(|_| ())
            };
            let wish = drawn.and_then(|()| heard());
            // A terminal that is gone is no reason to stop training.
            let goes_on = wish.is_ok_and(|wish| wish.is_none_or(|wish| self.obey(wish)));
            if !goes_on {
                break;
            }
        }
        self.leave();
    }

    /// Does what a key asks for; false if the dashboard is to go.
    fn obey(&self, wish: Wish) -> bool {
        match wish {
            Wish::Pause => {
                let paused = self.state().paused;
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
        self.state().paused = paused;
        self.cancel.pause(paused);
        self.live.pause(paused);
        tracing::info!("{}", if paused { "paused" } else { "goes on after a pause" });
    }

    /// Gives the terminal back, and writes what was said in the meantime. A pause ends, because nothing shows it any more.
    fn leave(&self) {
        let _ = execute!(io::stderr(), LeaveAlternateScreen);
        let _ = disable_raw_mode();
        if self.state().paused {
            self.pause(false);
        }
        let mut waiting = self.waiting();
        self.is_shown.store(false, Ordering::Relaxed);
        self.plain.unmute();
        for line in waiting.drain(..) {
            self.plain.say(line);
        }
    }
}

/// Whether the terminal can be drawn on at all.
fn can_draw() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "dumb" && !term.is_empty())
}

/// Takes the terminal.
fn open() -> io::Result<Terminal<CrosstermBackend<Stderr>>> {
    enable_raw_mode()?;
    let opened =
        execute!(io::stderr(), EnterAlternateScreen).and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())));
    if opened.is_err() {
        let _ = execute!(io::stderr(), LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
    opened
}

/// Waits for the next frame or key; gives what a key asks for.
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

impl Observer for Screen {
    fn selfplay_begins(&self, generation: u64, games: usize, simulations: u32) {
        let evaluations = self.shared.counters.evaluations.load(Ordering::Relaxed);
        self.shared.state().selfplay_begins(games, evaluations);
        self.shared.plain.selfplay_begins(generation, games, simulations);
    }

    fn game_ends(&self, game: &GameRecord, counters: &Counters) {
        self.shared.state().game_ends(game);
        self.shared.plain.game_ends(game, counters);
    }

    fn learning_begins(&self, generation: u64, steps: u64) {
        self.shared.state().learning_begins(steps);
        self.shared.plain.learning_begins(generation, steps);
    }

    fn step_ends(&self, report: &StepReport, learning_rate: f32) {
        self.shared.state().step_ends(report);
        self.shared.plain.step_ends(report, learning_rate);
    }

    fn generation_ends(&self, metrics: &GenerationMetrics, _model: &Model) {
        self.shared.state().generation_ends(metrics);
        self.say(&self.shared.plain.end_generation(metrics));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_learn::TrainConfig;
    use tablut_report::Live;

    #[test]
    fn a_pause_lasts_until_the_next_key_or_until_the_dashboard_goes() {
        let folder = tempfile::tempdir().unwrap();
        let text = "rules = [\"kvasir\"]\nshape = \"b1c16\"\n";
        let config = TrainConfig::parse(text, std::path::Path::new("test.toml"), &[]).unwrap();
        let run = Run::open(&folder.path().join("run"), config).unwrap();
        let (counters, cancel) = (Arc::new(Counters::default()), CancelToken::new());
        let live = Arc::new(LiveWriter::new(&run.folder, &counters));
        let screen = Screen::new(&run, &counters, &cancel, &live, Voice::new(true), true);
        let is_paused = || (screen.shared.state().paused, Live::read(&run.folder).unwrap().paused);
        assert!(screen.shared.obey(Wish::Pause));
        assert_eq!(is_paused(), (true, true));
        let waited = cancel.paused();
        assert!(screen.shared.obey(Wish::Pause));
        assert_eq!(is_paused(), (false, false));
        assert!(cancel.paused() >= waited && !cancel.must_stop());
        assert!(screen.shared.obey(Wish::Pause) && !screen.shared.obey(Wish::Leave));
        screen.shared.leave();
        assert_eq!(is_paused(), (false, false));
    }

    #[test]
    fn keys_ask_for_what_the_last_line_says() {
        let key = |code, modifiers| wish(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('q'), KeyModifiers::NONE), Some(Wish::Leave));
        assert_eq!(key(KeyCode::Char('p'), KeyModifiers::NONE), Some(Wish::Pause));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Wish::Interrupt));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::NONE), None);
        assert_eq!(key(KeyCode::Enter, KeyModifiers::NONE), None);
    }
}
