//! A run's `log.txt`: one line for each event with its time. Every process that trains the run appends to it.

use std::fmt::Display;
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tablut_learn::{Run, RunEvent};

use crate::run_events::Consumer;
use crate::run_progress::RunProgress;

/// The open log.
pub struct RunLog {
    file: Mutex<File>,
}

impl RunLog {
    /// Opens the log of `run`, and writes the run's state.
    pub fn open(run: &Run) -> anyhow::Result<Self> {
        let path = run.folder.join("log.txt");
        let file = File::options().create(true).append(true).open(&path);
        let log = Self { file: Mutex::new(file.with_context(|| path.display().to_string())?) };
        log.write(format_args!(
            "run opened: next generation {} of {}, {} positions in the window, device {}",
            run.next_generation,
            run.config.schedule.generations,
            run.window.len(),
            run.device.name()
        ));
        Ok(log)
    }

    /// Writes a line. Errors are ignored, because training can continue.
    pub fn write(&self, line: impl Display) {
        let line = format!("{}  {line}\n", utc(SystemTime::now()));
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

impl Consumer for RunLog {
    fn receive(&self, event: &RunEvent<'_>, _progress: &RunProgress) -> Vec<String> {
        match *event {
            RunEvent::GamesSaved { generation, selfplay } if selfplay.seconds == 0.0 => {
                self.write(format_args!("generation {generation}: its games were already on disk"));
            }
            RunEvent::GamesSaved { generation, selfplay } => self.write(format_args!(
                "generation {generation}: games played: {} games, {} positions, {:.1} s",
                selfplay.games, selfplay.positions, selfplay.seconds
            )),
            RunEvent::GenerationEnded(metrics) => self.write(format_args!(
                "generation {}: learnt, checkpoint written: {} steps, policy loss {:.3}, value loss {:.3}, {:.1} s",
                metrics.generation,
                metrics.learning.steps,
                metrics.learning.loss.policy,
                metrics.learning.loss.value,
                metrics.learning.seconds
            )),
            RunEvent::ScheduleChanged { generations } => {
                self.write(format_args!("schedule.generations was changed to keep the time: {generations}"));
            }
            RunEvent::Note(line) => self.write(line),
            RunEvent::Paused(true) => self.write("paused"),
            RunEvent::Paused(false) => self.write("continued after a pause"),
            _ => {}
        }
        Vec::new()
    }
}

/// A time as `2026-11-25T14:16:03Z`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut days, mut year) = (seconds / 86_400, 1970);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let year_days = |year| if is_leap(year) { 366 } else { 365 };
    while days >= year_days(year) {
        days -= year_days(year);
        year += 1;
    }
    let months = [31, year_days(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_agree_with_the_calendar() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_764_080_163), "2025-11-25T14:16:03Z");
        assert_eq!(at(1_767_225_599), "2025-12-31T23:59:59Z");
    }
}
