//! What the server needs from a program that can train nets.

use std::path::Path;
use tablut_session::{TrainingGame, TrainingState, TrainingView};

pub trait Trainer: Send + Sync {
    /// Teaches a new net the rules of a rule file for a number of seconds, or without a limit. The run's folder does not
    /// exist yet.
    fn begin(&self, folder: &Path, rules: &str, seconds: Option<u32>) -> Result<Box<dyn Training>, String>;

    /// Goes on with the run in a folder for a number of further seconds, or without a limit.
    fn go_on(&self, folder: &Path, seconds: Option<u32>) -> Result<Box<dyn Training>, String>;

    /// What the files of a run say. Its name, its net's index and the time left are the server's to fill in.
    fn view(&self, folder: &Path, is_running: bool) -> Result<TrainingView, String>;

    /// A game of the newest net, if the run is playing one. The name of the run is the server's to fill in.
    fn game(&self, folder: &Path) -> Option<TrainingGame>;

    /// The model file of the run's newest net, with a card.
    fn model_file(&self, folder: &Path) -> Result<Vec<u8>, String>;
}

/// A running training. Dropping it stops it.
pub trait Training: Send {
    /// Whether it is running.
    fn state(&mut self) -> TrainingState;

    /// Stops it. What it has learnt stays in the run's folder.
    fn stop(&mut self);
}
