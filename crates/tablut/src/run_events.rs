//! The events of a run under way: one stream, which all that show or keep something of the run receive.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tablut_learn::RunEvent;

use crate::run_progress::RunProgress;

/// What shows or keeps something of a run under way.
pub trait Consumer: Send + Sync {
    /// Takes an event, after which the run is at `progress`. Returns lines that people should see, which become notes.
    fn receive(&self, event: &RunEvent<'_>, progress: &RunProgress) -> Vec<String>;
}

/// Hands every event to all consumers, and keeps what the run has come to.
pub struct RunEvents {
    progress: Mutex<RunProgress>,
    consumers: Vec<Arc<dyn Consumer>>,
}

impl RunEvents {
    /// The events of the run that stands at `progress`.
    pub fn new(progress: RunProgress, consumers: Vec<Arc<dyn Consumer>>) -> Self {
        Self { progress: Mutex::new(progress), consumers }
    }

    /// What the run has come to.
    pub fn progress(&self) -> MutexGuard<'_, RunProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands on an event, and then the notes that it leads to.
    pub fn send(&self, event: RunEvent<'_>) {
        let notes = {
            let mut progress = self.progress();
            progress.apply(&event);
            let notes = self.consumers.iter().map(|consumer| consumer.receive(&event, &progress));
            notes.collect::<Vec<_>>().concat()
        };
        for note in notes {
            self.note(&note);
        }
    }

    /// Hands on a line that people should see.
    pub fn note(&self, line: &str) {
        self.send(RunEvent::Note(line));
    }
}
