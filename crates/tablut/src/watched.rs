//! What a run's own numbers say while it trains: warnings in words at the end of a generation, TensorBoard's event files, and
//! what it does at this moment; and the games by which it is rated.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use tablut_games::GenerationMetrics;
use tablut_games::{CancelToken, Counters, DoorError, GameRecord};
use tablut_learn::{Observer, Run, StepReport};
use tablut_net::Model;
use tablut_ratings::RatedGeneration;
use tablut_report::{RunFiles, warnings, write_tensorboard};

use crate::dashboard::Screen;
use crate::live_writer::{LiveWriter, SELF_PLAY};
use crate::rater::{pairs_to_play, rate};

/// Hands everything on to another observer, and reads the run's files after each generation.
pub struct Watched<'a> {
    inner: &'a Screen,
    /// Says a line.
    say: &'a (dyn Fn(&str) + Sync),
    folder: PathBuf,
    tensorboard: bool,
    live: &'a LiveWriter,
    /// Titles of the warnings of the generation before: what has been said is not said again until it was gone.
    standing: Mutex<BTreeSet<&'static str>>,
}

impl<'a> Watched<'a> {
    /// Watches `run` beside `inner`.
    pub fn new(run: &Run, inner: &'a Screen, live: &'a LiveWriter, say: &'a (dyn Fn(&str) + Sync)) -> Self {
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

impl Observer for Watched<'_> {
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

    fn rate(
        &self,
        run: &Run,
        generation: u64,
        model: &Model,
        cancel: &CancelToken,
    ) -> Result<Option<RatedGeneration>, DoorError> {
        let pairs = pairs_to_play(run, generation).map_err(|error| DoorError::Other(error.into()))?;
        if pairs.is_empty() {
            return Ok(None);
        }
        let games = 2 * pairs.iter().map(|pairs| pairs.n_pairs as u64).sum::<u64>();
        self.live.begin("rating", generation, games);
        self.inner.rating_begins(games);
        let on_game = || {
            self.live.step_ends();
            self.inner.rating_game_ends();
        };
        rate(run, model, &pairs, cancel, &on_game).map(Some)
    }

    fn generation_ends(&self, metrics: &GenerationMetrics, model: &Model) {
        self.inner.generation_ends(metrics, model);
        self.look();
    }
}
