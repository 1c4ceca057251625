//! Measurements of a generation other than the losses of steps: its games, the net on a sample of them, and the
//! machine.
//!
//! Measurements do not change a run. They read only records and weights, and draw no random numbers.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tablut_games::{
    ExaminedPosition, MachineMetrics, NetLosses, NetStatistics, ReplayedGame, RuleSetStatistics, Sample, examine,
};
use tablut_net::{Engine, Inference, Weights};

use crate::memory::memory_bytes;
use crate::run::Run;
use crate::state::RunState;
use crate::train_error::TrainError;

/// Returns the time of the work since one moment in the past, without pauses.
pub type WorkClock<'a> = &'a dyn Fn() -> Duration;

/// Each measurement of the net uses one evaluation for this many evaluations in self-play.
const EVALUATIONS_PER_POSITION: u64 = 600;
/// The maximum sample. It determines a share to about two digits.
const MOST_POSITIONS: usize = 4096;
/// The minimum sample, so that a tiny run has metrics too.
const FEWEST_POSITIONS: usize = 64;

/// The measurements of one generation, and the time that they take.
pub(crate) struct Measurements {
    sample: usize,
    seconds: f64,
}

impl Measurements {
    /// Measures a generation whose self-play used `evaluations`. This number is also known on resume.
    pub(crate) fn new(evaluations: u64) -> Self {
        let sample = usize::try_from(evaluations / EVALUATIONS_PER_POSITION).unwrap_or(MOST_POSITIONS);
        Self { sample: sample.clamp(FEWEST_POSITIONS, MOST_POSITIONS), seconds: 0.0 }
    }

    /// The seconds that measuring took.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The statistics of the games by rule set, with the net's outputs on a sample, and the net's losses on this
    /// sample.
    pub(crate) fn games(
        &mut self,
        run: &RunState,
        games: &[ReplayedGame],
        clock: WorkClock<'_>,
    ) -> Result<(Vec<RuleSetStatistics>, NetLosses), TrainError> {
        let start = clock();
        let mut sets = RuleSetStatistics::count(&run.rules, games);
        let samples: Vec<&Sample> = games.iter().flat_map(|game| &game.samples).collect();
        let examined = self.examine(run, &run.learner.averaged_weights(), &samples)?;
        for (place, rules) in run.rules.iter().enumerate() {
            let of_set: Vec<_> = examined.iter().filter(|position| position.rules == place).copied().collect();
            if let Some(set) = sets.iter_mut().find(|set| set.rules == rules.name()) {
                set.net = (!of_set.is_empty()).then(|| NetStatistics::of(&of_set));
            }
        }
        let losses = NetLosses::of(&examined, run.config.learning.value_share);
        self.seconds += clock().saturating_sub(start).as_secs_f64();
        Ok((sets, losses))
    }

    /// The losses of the current net on some of `samples`, with that of the untrained net.
    pub(crate) fn losses<'a>(
        &mut self,
        run: &RunState,
        samples: impl Iterator<Item = &'a Sample>,
        clock: WorkClock<'_>,
    ) -> Result<NetLosses, TrainError> {
        let start = clock();
        let samples: Vec<&Sample> = samples.collect();
        let of_net = |weights: &Weights| -> Result<NetLosses, TrainError> {
            Ok(NetLosses::of(&self.examine(run, weights, &samples)?, run.config.learning.value_share))
        };
        let losses = of_net(&run.learner.averaged_weights())?;
        let untrained = of_net(&run.config.weights_of_start(None))?;
        self.seconds += clock().saturating_sub(start).as_secs_f64();
        Ok(NetLosses { untrained: untrained.policy + untrained.value, ..losses })
    }

    fn examine(
        &self,
        run: &RunState,
        weights: &Weights,
        samples: &[&Sample],
    ) -> Result<Vec<ExaminedPosition>, TrainError> {
        // The weights are packed once and shared by all threads.
        let net = Engine::new(weights)?;
        let share = || Box::new(net.share(1).expect("one thread needs no other")) as Box<dyn Inference>;
        Ok(examine(&run.rules, samples, self.sample, &share)?)
    }
}

/// The current state of the machine of a run that has measured for `seconds`.
pub(crate) fn machine(run: &Run, seconds: f64) -> MachineMetrics {
    let start = Instant::now();
    let (memory_bytes, run_bytes, free_bytes) =
        (memory_bytes().unwrap_or(0), folder_bytes(&run.folder), free_bytes(&run.folder).unwrap_or(0));
    let measuring_seconds = seconds + start.elapsed().as_secs_f64();
    let threads = run.config.machine.concurrency().workers;
    MachineMetrics { memory_bytes, run_bytes, free_bytes, measuring_seconds, threads }
}

/// The norm of all trained weights together, without their average.
pub(crate) fn weight_norm(run: &RunState) -> f32 {
    let weights = run.learner.weights();
    let squares = weights.iter().flat_map(|(_, tensor)| tensor.iter()).map(|&weight| f64::from(weight).powi(2));
    squares.sum::<f64>().sqrt() as f32
}

/// Bytes of all files in a run's folder and its subfolders.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => folder_bytes(&entry.path()),
        Ok(found) if found.is_file() => found.len(),
        _ => 0,
    };
    entries.map(bytes).sum()
}

/// Free space in bytes on the disk of `folder`, if the system reports it.
#[cfg(not(target_family = "wasm"))]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    fs4::available_space(folder).ok()
}

/// A browser has no disk.
#[cfg(target_family = "wasm")]
pub fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_grows_with_the_evaluations() {
        let sizes = [0, 600_000, u64::MAX].map(|evaluations| Measurements::new(evaluations).sample);
        assert_eq!(sizes, [FEWEST_POSITIONS, 1000, MOST_POSITIONS]);
    }

    #[test]
    fn a_folders_files_are_added_up() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("games")).unwrap();
        fs::write(folder.path().join("a"), [0; 10]).unwrap();
        fs::write(folder.path().join("games/b"), [0; 32]).unwrap();
        assert_eq!(folder_bytes(folder.path()), 42);
        assert_eq!(folder_bytes(&folder.path().join("absent")), 0);
    }
}
