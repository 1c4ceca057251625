//! Shows a training run as lines and bars on standard error.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{HumanCount, HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget};
use tablut_games::Counters;
use tablut_learn::{Run, RunEvent};

use crate::console::Voice;
use crate::progress::{PeriodicLines, bars, style};
use crate::run_events::Consumer;
use crate::run_progress::{RunProgress, summary};

/// Two bars (the run and the current phase) and some lines for each generation. If standard error is no terminal, the
/// bars are hidden, and a long phase prints a line from time to time.
pub struct ProgressLines {
    bars: MultiProgress,
    run: ProgressBar,
    phase: ProgressBar,
    voice: Voice,
    counters: Arc<Counters>,
    periodic: Mutex<Option<PeriodicLines>>,
    /// Lines that wait while the dashboard has the terminal. `None` if it does not.
    waiting: Mutex<Option<Vec<String>>>,
}

impl ProgressLines {
    /// The progress of `run`. While it is muted, it shows nothing and keeps its lines.
    pub fn new(run: &Run, counters: &Arc<Counters>, voice: Voice, is_muted: bool) -> Self {
        let bars = if is_muted { MultiProgress::with_draw_target(ProgressDrawTarget::hidden()) } else { bars(voice) };
        let whole = ProgressBar::new(run.config.schedule.generations).with_position(run.next_generation);
        let whole = bars.add(whole);
        whole.set_style(style("{prefix} [{bar:20}] {pos}/{len} generations, {elapsed}{msg}"));
        whole.set_prefix(format!("{:<9}", "run"));
        whole.enable_steady_tick(Duration::from_secs(1));
        let phase = bars.add(ProgressBar::new(0));
        phase.set_style(style("{prefix} [{bar:20}] {pos}/{len} {msg}"));
        phase.enable_steady_tick(Duration::from_secs(1));
        Self {
            bars,
            run: whole,
            phase,
            voice,
            counters: counters.clone(),
            periodic: Mutex::new(None),
            waiting: Mutex::new(is_muted.then(Vec::new)),
        }
    }

    /// Prints the lines that were kept, and shows bars and lines from now on.
    pub fn unmute(&self) {
        let mut waiting = self.waiting();
        if let Some(lines) = waiting.take() {
            self.bars.set_draw_target(ProgressDrawTarget::stderr());
            for line in lines {
                self.print(&line);
            }
        }
    }

    /// Prints a line, above the bars if they are shown.
    fn say(&self, line: &str) {
        match &mut *self.waiting() {
            Some(waiting) => waiting.push(line.to_owned()),
            None => self.print(line),
        }
    }

    fn print(&self, line: &str) {
        if self.run.is_hidden() {
            self.voice.say(line);
        } else {
            // An error is ignored, because training can continue.
            let _ = self.bars.println(line);
        }
    }

    /// Starts the bar of a phase. If it is hidden, lines are printed from time to time.
    fn begin_phase(&self, progress: &RunProgress) {
        let (name, unit) = (progress.phase.name, progress.phase.unit);
        self.phase.reset();
        self.phase.set_length(progress.phase.total);
        self.phase.set_prefix(format!("{name:<9}"));
        let counters = self.counters.clone();
        let before = counters.evaluations.load(Ordering::Relaxed);
        let line = move |bar: &ProgressBar| {
            let evaluated = match counters.evaluations.load(Ordering::Relaxed).saturating_sub(before) {
                0 => String::new(),
                n => format!(", {} evaluations", HumanCount(n)),
            };
            let (done, all, elapsed) = (bar.position(), bar.length().unwrap_or_default(), HumanDuration(bar.elapsed()));
            format!("{name}: {done}/{all} {unit} after {elapsed}{evaluated}")
        };
        if self.waiting().is_none() {
            *self.periodic() = PeriodicLines::of_bar(&self.phase, self.voice, line);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Vec<String>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn periodic(&self) -> MutexGuard<'_, Option<PeriodicLines>> {
        self.periodic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consumer for ProgressLines {
    fn receive(&self, event: &RunEvent<'_>, progress: &RunProgress) -> Vec<String> {
        match event {
            RunEvent::SelfPlayBegan { .. } | RunEvent::LearningBegan { .. } | RunEvent::RatingBegan { .. } => {
                self.begin_phase(progress);
            }
            RunEvent::GenerationEnded(metrics) => {
                *self.periodic() = None;
                self.run.set_position(progress.done);
                let left = progress.left().unwrap_or_default();
                self.run.set_message(format!(", about {} left", HumanDuration(left)));
                self.say(&summary(metrics));
            }
            RunEvent::ScheduleChanged { generations } => self.run.set_length(*generations),
            RunEvent::Note(line) => self.say(line),
            RunEvent::GameEnded(_) | RunEvent::StepEnded { .. } | RunEvent::RatingGameEnded => {}
            RunEvent::GamesSaved { .. } | RunEvent::Paused(_) => return Vec::new(),
        }
        self.phase.set_position(progress.phase.done);
        self.phase.set_message(progress.phase_text());
        Vec::new()
    }
}

impl Drop for ProgressLines {
    fn drop(&mut self) {
        self.phase.finish_and_clear();
        self.run.finish_and_clear();
    }
}
