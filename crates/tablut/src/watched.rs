//! What a run's own numbers say while it trains: warnings in words at the end of a generation, TensorBoard's event files, and
//! what it does at this moment.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use tablut_games::{Counters, GameRecord};
use tablut_learn::{GenerationMetrics, Observer, Run, StepReport};
use tablut_net::Model;
use tablut_report::{RunFiles, warnings, write_tensorboard};

use crate::live_writer::{LiveWriter, SELF_PLAY};

/// Hands everything on to another observer, and reads the run's files after each generation.
pub struct Watched<'a, O> {
    inner: &'a O,
    /// Says a line.
    say: &'a (dyn Fn(&str) + Sync),
    folder: PathBuf,
    tensorboard: bool,
    live: &'a LiveWriter,
    /// Titles of the warnings of the generation before: what has been said is not said again until it was gone.
    standing: Mutex<BTreeSet<&'static str>>,
}

impl<'a, O: Observer> Watched<'a, O> {
    /// Watches `run` beside `inner`.
    pub fn new(run: &Run, inner: &'a O, live: &'a LiveWriter, say: &'a (dyn Fn(&str) + Sync)) -> Self {
        let (folder, tensorboard) = (run.folder.clone(), run.config.machine.tensorboard);
        Self { inner, say, folder, tensorboard, live, standing: Mutex::default() }
    }

    /// Reads the run's files. Faults are said: they are no reason to stop training.
    fn look(&self) {
        let run = match RunFiles::read_numbers(&self.folder) {
            Ok(run) => run,
            Err(error) => return (self.say)(&format!("warning: {error}")),
        };
        let mut standing = self.standing.lock().expect("no holder of the warnings panics");
        let found = warnings(&run);
        for warning in found.iter().filter(|warning| !standing.contains(warning.kind.title())) {
            (self.say)(&format!("warning: {warning}"));
        }
        *standing = found.iter().map(|warning| warning.kind.title()).collect();
        if self.tensorboard
            && let Err(error) = write_tensorboard(&run, &self.folder.join("tensorboard"), false)
        {
            (self.say)(&format!("warning: no event files for TensorBoard: {error}"));
        }
    }
}

impl<O: Observer> Observer for Watched<'_, O> {
    fn selfplay_begins(&self, generation: u64, games: usize, simulations: u32) {
        self.live.begin(SELF_PLAY, generation, games as u64);
        self.inner.selfplay_begins(generation, games, simulations);
    }

    fn game_ends(&self, game: &GameRecord, counters: &Counters) {
        self.live.game_ends(game);
        self.inner.game_ends(game, counters);
    }

    fn learning_begins(&self, generation: u64, steps: u64) {
        self.live.begin("learning", generation, steps);
        self.inner.learning_begins(generation, steps);
    }

    fn step_ends(&self, report: &StepReport, learning_rate: f32) {
        self.live.step_ends();
        self.inner.step_ends(report, learning_rate);
    }

    fn generation_ends(&self, metrics: &GenerationMetrics, model: &Model) {
        self.inner.generation_ends(metrics, model);
        self.look();
    }
}
