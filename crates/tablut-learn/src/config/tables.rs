//! The tables of a config: schedule, learning, evaluation, play and machine.

use serde::{Deserialize, Serialize};
use tablut_games::Concurrency;
use tablut_net::DeviceChoice;

/// Number of generations, and the games of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScheduleConfig {
    /// Generations of self-play and training, 1 to 100,000.
    pub generations: u64,
    /// Self-play games per generation, 1 to 1,000,000.
    pub games: usize,
    /// Steps of `(generation, simulations)`: from that generation on, a search has this many simulations. The
    /// first step is for generation 0.
    pub simulations: Vec<(u64, u32)>,
    /// Generations between a net and the games that it plays, 0 or 1. With 0, each generation is played by the net of the
    /// previous generation. With 1, it is played by the net before that, so that other machines can play while the
    /// trainer learns.
    pub lag: u64,
}

impl Default for ScheduleConfig {
    fn default() -> Self {
        Self { generations: 28, games: 380, simulations: vec![(0, 16)], lag: 0 }
    }
}

impl ScheduleConfig {
    /// Simulations of a search in `generation`.
    pub fn simulations_at(&self, generation: u64) -> u32 {
        self.simulations.iter().take_while(|step| step.0 <= generation).last().map_or(1, |step| step.1)
    }
}

/// How the net learns from the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningConfig {
    /// Positions per step, 1 to 65,536.
    pub batch_size: usize,
    /// How often each new position is drawn on average. This determines the number of steps per generation. Above 0, at
    /// most 100.
    pub draws_per_position: f32,
    /// Maximum number of positions in the replay window. The latest generation is always in it. A position takes about
    /// 200 bytes; [`tablut_games::ReplayWindow::most_bytes`] is an upper bound.
    pub window_positions: usize,
    /// Peak learning rate, above 0, at most 1.
    pub learning_rate: f32,
    /// Number of steps in which the learning rate rises to its peak.
    pub warmup_steps: u64,
    /// Share of the generations, at the end of the run, in which the learning rate falls to a twentieth, 0 to 1.
    pub decay_share: f32,
    /// Share of the search's chances of win, draw and loss in the value target, 0 to 1. The rest is the game's outcome
    /// (`experiments/draw-chances`).
    pub value_share: f32,
    /// Share of each rule set's games that are held out from training and used only for measuring, 0 to 0.5.
    pub held_out_share: f32,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            batch_size: 256,
            draws_per_position: 1.5,
            window_positions: 60_000,
            learning_rate: 0.003,
            warmup_steps: 100,
            decay_share: 0.3,
            value_share: 0.0,
            held_out_share: 0.0,
        }
    }
}

/// How the net's strength is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Opponents in the final match, as texts of players.
    pub against: Vec<String>,
    /// Games against each opponent at the end of the run. An even number up to 1,000,000; 0 skips the match.
    pub games: u32,
    /// Games by which the newest net is rated after each generation, as a share of its games of self-play, 0 to 1. Its
    /// opponents are those of `against` that a seed determines, the untrained net, and the net of half as many generations.
    /// The games have the schedule's first number of simulations and change only the metrics.
    pub rating_share: f32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        let against = ["random", "greedy", "alphabeta:2"].map(str::to_owned).to_vec();
        Self { against, games: 200, rating_share: 0.05 }
    }
}

/// How the net plays after training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlayConfig {
    /// Simulations per move, stored in the model file, 1 to 1,000,000.
    pub simulations: u32,
}

impl Default for PlayConfig {
    fn default() -> Self {
        Self { simulations: 128 }
    }
}

/// Threads, batches and the device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MachineConfig {
    /// Where nets play and learn: `cpu`, `gpu:0` or another number, or `auto`, the first GPU if there is one. GPUs need the
    /// feature `gpu`. They round differently, so they change results.
    pub device: DeviceChoice,
    /// Self-play threads. 0 means one per core, or two per core with a GPU.
    pub workers: usize,
    /// Games that each thread plays at the same time, which determines its batch size. 0 means 64.
    pub games_per_worker: usize,
    /// Whether to write event files for TensorBoard into the run's folder `tensorboard`.
    pub tensorboard: bool,
}

impl MachineConfig {
    /// The threads of self-play on the cores, and the games per thread.
    pub fn concurrency(&self) -> Concurrency {
        self.concurrency_on(true)
    }

    /// The same. With a device there are two threads per core unless the config says otherwise, because a thread waits while
    /// the device evaluates.
    pub(crate) fn concurrency_on(&self, is_cpu: bool) -> Concurrency {
        let default = Concurrency::default();
        let or = |value: usize, default: usize| if value == 0 { default } else { value };
        Concurrency {
            workers: or(self.workers, if is_cpu { default.workers } else { 2 * default.workers }),
            tasks_per_worker: or(self.games_per_worker, default.tasks_per_worker),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_follow_their_steps() {
        let schedule = ScheduleConfig { simulations: vec![(0, 8), (3, 16)], ..ScheduleConfig::default() };
        assert_eq!([0, 2, 3, 99].map(|g| schedule.simulations_at(g)), [8, 8, 16, 16]);
    }
}
