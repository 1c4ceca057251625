//! After each generation of a run: warnings from its metrics, and event files for TensorBoard.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use tablut_learn::{Run, RunEvent};
use tablut_report::{RunFiles, warnings, write_tensorboard};

use crate::run_events::Consumer;
use crate::run_progress::RunProgress;

/// Reads the run's files after each generation.
pub struct RunWarnings {
    folder: PathBuf,
    tensorboard: bool,
    /// Titles of the warnings of the previous generation. A warning that persists is printed only once.
    standing: Mutex<BTreeSet<&'static str>>,
}

impl RunWarnings {
    pub fn new(run: &Run) -> Self {
        let (folder, tensorboard) = (run.folder.clone(), run.config.machine.tensorboard);
        Self { folder, tensorboard, standing: Mutex::default() }
    }
}

impl Consumer for RunWarnings {
    /// Errors become notes, because training can continue.
    fn receive(&self, event: &RunEvent<'_>, _progress: &RunProgress) -> Vec<String> {
        if !matches!(event, RunEvent::GenerationEnded(_)) {
            return Vec::new();
        }
        let run = match RunFiles::read_numbers(&self.folder) {
            Ok(run) => run,
            Err(error) => return vec![format!("warning: {error}")],
        };
        let mut standing = self.standing.lock().expect("no holder of the warnings panics");
        let found = warnings(&run);
        let new = found.iter().filter(|warning| !standing.contains(warning.kind.title()));
        let mut notes: Vec<String> = new.map(|warning| format!("warning: {warning}")).collect();
        *standing = found.iter().map(|warning| warning.kind.title()).collect();
        if self.tensorboard
            && let Err(error) = write_tensorboard(&run, &self.folder.join("tensorboard"), false)
        {
            notes.push(format!("warning: cannot write event files for TensorBoard: {error}"));
        }
        notes
    }
}
