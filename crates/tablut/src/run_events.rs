//! The events of a run in progress, and the consumers that receive them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tablut_games::GenerationMetrics;
use tablut_learn::RunEvent;

use crate::run_progress::RunProgress;

/// Receives the events of a run, to display or store them.
pub trait Consumer: Send + Sync {
    /// Receives an event. `progress` includes it. Returns lines that the user should see, which become notes.
    fn receive(&self, event: &RunEvent<'_>, progress: &RunProgress) -> Vec<String>;
}

/// Receives the planned number of generations, and the metrics of a generation.
pub type OnGeneration = Box<dyn Fn(u64, &GenerationMetrics) + Send + Sync>;

/// Passes on the metrics of each generation.
pub struct GenerationWatcher(pub OnGeneration);

impl Consumer for GenerationWatcher {
    fn receive(&self, event: &RunEvent<'_>, progress: &RunProgress) -> Vec<String> {
        if let RunEvent::GenerationEnded(metrics) = event {
            (self.0)(progress.generations, metrics);
        }
        Vec::new()
    }
}

/// Passes every event to all consumers, and keeps the run's progress.
pub struct RunEvents {
    progress: Mutex<RunProgress>,
    consumers: Vec<Arc<dyn Consumer>>,
}

impl RunEvents {
    /// The events of a run whose progress is `progress`.
    pub fn new(progress: RunProgress, consumers: Vec<Arc<dyn Consumer>>) -> Self {
        Self { progress: Mutex::new(progress), consumers }
    }

    pub fn progress(&self) -> MutexGuard<'_, RunProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes an event to all consumers, and then the notes that they return.
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

    /// Passes a line that the user should see.
    pub fn note(&self, line: &str) {
        self.send(RunEvent::Note(line));
    }
}
