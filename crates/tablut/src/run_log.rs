//! A run's `log.txt`: one line for each event with its time. Every process that trains the run appends to it.

use std::fmt::Display;
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use tablut_learn::{Run, RunEvent};
use time::UtcDateTime;
use time::format_description::well_known::Rfc3339;

use crate::run_events::Consumer;
use crate::run_progress::RunProgress;

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
        let now = UtcDateTime::now().truncate_to_second();
        let line = format!("{}  {line}\n", now.format(&Rfc3339).unwrap_or_default());
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
