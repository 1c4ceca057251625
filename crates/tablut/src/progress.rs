//! Progress on standard error: a bar on a terminal, otherwise a line from time to time. With `--quiet` there is none.

use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::Voice;

/// The time to the first line without a terminal. The time between two lines doubles up to [`LONGEST_SILENCE`].
const FIRST_SILENCE: Duration = Duration::from_secs(10);
const LONGEST_SILENCE: Duration = Duration::from_mins(5);

/// How often a bar is redrawn without progress, so that its time changes.
const TICK: Duration = Duration::from_millis(250);

pub struct Progress {
    bar: ProgressBar,
    voice: Voice,
    /// Writes lines if there is no terminal for the bar.
    _lines: Option<PeriodicLines>,
}

impl Progress {
    /// Work of `total` units, such as games, of which `done` are already finished.
    pub fn new(voice: Voice, what: impl Display, unit: &str, done: u64, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), target(voice)).with_position(done);
        bar.set_style(style(&format!("{{prefix}}\n[{{bar:20}}] {{pos}}/{{len}} {unit}, {{elapsed}}{{msg}}")));
        bar.set_prefix(what.to_string());
        let unit = unit.to_owned();
        let line = move |bar: &ProgressBar| {
            let (prefix, at, total) = (bar.prefix(), bar.position(), bar.length().unwrap_or_default());
            format!("{prefix}: {at}/{total} {unit} after {}{}", HumanDuration(bar.elapsed()), flat(&bar.message()))
        };
        Self::begin(bar, voice, line)
    }

    /// Work without a known length. Only the time is shown.
    pub fn waiting(voice: Voice, what: impl Display) -> Self {
        let bar = ProgressBar::with_draw_target(None, target(voice));
        bar.set_style(style("{spinner} {prefix}, {elapsed}"));
        bar.set_prefix(what.to_string());
        Self::begin(bar, voice, |bar| format!("{}: {} so far", bar.prefix(), HumanDuration(bar.elapsed())))
    }

    fn begin(bar: ProgressBar, voice: Voice, line: impl Fn(&ProgressBar) -> String + Send + 'static) -> Self {
        bar.enable_steady_tick(TICK);
        let lines = PeriodicLines::of_bar(&bar, voice, line);
        Self { bar, voice, _lines: lines }
    }

    /// Shows the number of finished units, and a message.
    pub fn show(&self, done: u64, message: &str) {
        self.bar.set_message(if message.is_empty() { String::new() } else { format!("\n{message}") });
        self.bar.set_position(done);
    }

    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Prints a line, above the bar if there is one.
    pub fn say(&self, line: impl Display) {
        if self.bar.is_hidden() {
            self.voice.say(line);
        } else {
            self.bar.println(line.to_string());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A message of several lines as one line.
fn flat(message: &str) -> String {
    message.replace('\n', ", ")
}

fn target(voice: Voice) -> ProgressDrawTarget {
    if voice.is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

/// Several bars below each other.
pub fn bars(voice: Voice) -> MultiProgress {
    MultiProgress::with_draw_target(target(voice))
}

/// The style of a bar, from a template for indicatif.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well formed").progress_chars("=> ")
}

/// The time for the rest at the speed so far.
pub fn left(elapsed: Duration, done: u64, total: u64) -> HumanDuration {
    let rest = elapsed.as_secs_f64() * total.saturating_sub(done) as f64 / done.max(1) as f64;
    HumanDuration(Duration::try_from_secs_f64(rest).unwrap_or(Duration::MAX))
}

/// Writes a line about the work from time to time until it is dropped.
pub struct PeriodicLines {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PeriodicLines {
    /// Prints `line` of `bar` from time to time, if the bar is hidden and the voice is not quiet.
    pub fn of_bar(
        bar: &ProgressBar,
        voice: Voice,
        line: impl Fn(&ProgressBar) -> String + Send + 'static,
    ) -> Option<Self> {
        if voice.is_quiet() || !bar.is_hidden() {
            return None;
        }
        let bar = bar.clone();
        Self::start(silences(), move || voice.say(line(&bar)))
    }

    /// Calls `beat` after each of `silences`. Returns `None` if no thread can be started.
    fn start(
        silences: impl Iterator<Item = Duration> + Send + 'static,
        beat: impl Fn() + Send + 'static,
    ) -> Option<Self> {
        let (end, ended) = channel();
        let beats = move || {
            for silence in silences {
                match ended.recv_timeout(silence) {
                    Err(RecvTimeoutError::Timeout) => beat(),
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(beats).ok()?;
        Some(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for PeriodicLines {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

/// The times before each line.
fn silences() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(FIRST_SILENCE), |silence| Some((*silence * 2).min(LONGEST_SILENCE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_between_lines_grows() {
        let due = silences().scan(0, |at, silence| {
            *at += silence.as_secs();
            Some(*at)
        });
        assert_eq!(due.take(9).collect::<Vec<_>>(), [10, 30, 70, 150, 310, 610, 910, 1210, 1510]);
    }

    #[test]
    fn lines_need_no_progress_and_stop_when_dropped() {
        let (beat, beats) = channel();
        let lines = PeriodicLines::start(std::iter::repeat(Duration::ZERO), move || beat.send(()).unwrap_or(()));
        beats.recv().expect("a first beat");
        beats.recv().expect("another one");
        drop(lines);
        while beats.try_recv().is_ok() {}
        assert!(beats.recv().is_err(), "it beats after its end");
    }

    #[test]
    fn the_time_left_is_readable() {
        assert_eq!(left(Duration::from_mins(1), 1, 3).to_string(), "2 minutes");
        assert_eq!(left(Duration::from_secs(10), 10, 10).to_string(), "0 seconds");
        assert_eq!(left(Duration::from_secs(1), 0, 0).to_string(), "0 seconds");
    }
}
