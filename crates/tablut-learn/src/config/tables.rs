//! The tables of a config: schedule, learning, evaluation, play and machine.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tablut_games::Concurrency;
use tablut_net::DeviceChoice;

/// Number of generations, and the games of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScheduleConfig {
    /// Generations of self-play and training, 1 to 100,000.
    pub generations: u64,
    /// Self-play games per generation, 1 to 1,000,000: a number, or pairs `[generation, games]` with the number from that
    /// generation on. `--time` writes such pairs.
    #[serde(deserialize_with = "number_or_steps", serialize_with = "as_number_or_steps")]
    pub games: Vec<(u64, usize)>,
    /// Simulations per search: a number, or pairs `[generation, simulations]` with the number from that generation on.
    /// The first pair is for generation 0.
    #[serde(deserialize_with = "number_or_steps")]
    pub simulations: Vec<(u64, u32)>,
    /// With 0, the net of the previous generation plays each generation. With 1, the net before that plays it, so that
    /// other machines can play while the trainer learns.
    pub lag: u64,
}

impl Default for ScheduleConfig {
    fn default() -> Self {
        Self { generations: 17, games: vec![(0, 280)], simulations: vec![(0, 16), (3, 32)], lag: 0 }
    }
}

impl ScheduleConfig {
    /// Simulations of a search in `generation`.
    pub fn simulations_at(&self, generation: u64) -> u32 {
        self.simulations.iter().take_while(|step| step.0 <= generation).last().map_or(1, |step| step.1)
    }

    /// Self-play games of `generation`.
    pub fn games_at(&self, generation: u64) -> usize {
        self.games.iter().take_while(|step| step.0 <= generation).last().map_or(1, |step| step.1)
    }

    /// Self-play games of all generations before `end`.
    pub fn games_before(&self, end: u64) -> u64 {
        let ends = self.games.iter().skip(1).map(|step| step.0).chain([u64::MAX]);
        let games = |(step, next): (&(u64, usize), u64)| {
            let generations = next.min(end).saturating_sub(step.0);
            generations.saturating_mul(step.1 as u64)
        };
        self.games.iter().zip(ends).map(games).fold(0, u64::saturating_add)
    }
}

/// A number for the whole run, or pairs of a generation and a number.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a whole number or a list of pairs [generation, number]")]
enum Steps<N> {
    One(N),
    Several(Vec<(u64, N)>),
}

fn number_or_steps<'de, D: Deserializer<'de>, N: Deserialize<'de>>(from: D) -> Result<Vec<(u64, N)>, D::Error> {
    Ok(match Steps::deserialize(from)? {
        Steps::One(number) => vec![(0, number)],
        Steps::Several(steps) => steps,
    })
}

fn as_number_or_steps<S: Serializer>(steps: &[(u64, usize)], to: S) -> Result<S::Ok, S::Error> {
    match steps {
        [(0, number)] => number.serialize(to),
        steps => steps.serialize(to),
    }
}

/// How the net learns from the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningConfig {
    /// Positions per step, 1 to 65,536.
    pub batch_size: usize,
    /// Mean number of times that a new position is drawn, above 0, at most 100. It determines the number of steps per
    /// generation.
    pub draws_per_position: f32,
    /// Maximum number of positions in the replay window. It always contains the latest generation. A position takes
    /// about 200 bytes.
    pub window_positions: usize,
    /// Peak learning rate, above 0, at most 1.
    pub learning_rate: f32,
    /// Steps in which the learning rate rises to its peak.
    pub warmup_steps: u64,
    /// Share of the generations, at the end, in which the learning rate falls to a twentieth, 0 to 1.
    pub decay_share: f32,
    /// Share of the search's chances of win, draw and loss in the value target, 0 to 1. The rest is the game's outcome.
    pub value_share: f32,
    /// Share of each rule set's games that are used only for measuring, 0 to 0.5.
    pub held_out_share: f32,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            batch_size: 256,
            draws_per_position: 1.0,
            window_positions: 65_000,
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
    /// Opponents in the final match, as texts of players, besides the run's start and the net that comes with the program.
    pub against: Vec<String>,
    /// Games against each opponent at the end of the run, an even number up to 1,000,000. 0 skips the match.
    pub games: u32,
    /// Rating games after each generation, as a share of its self-play games, 0 to 1. The opponents are the run's start,
    /// the net that comes with the program, the deterministic players of `against`, and the net of about half as many
    /// generations. Opponents that always win or lose are met less often. The games use the schedule's first simulations
    /// and change only the metrics.
    pub rating_share: f32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self { against: vec!["alphabeta:2".to_owned()], games: 100, rating_share: 0.05 }
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
    /// Where nets learn: `cpu`, `gpu:0` or another number, or `auto`, the first GPU if there is one. GPUs need the
    /// feature `gpu` and change results. Self-play always runs on the cores.
    pub device: DeviceChoice,
    /// Self-play threads. 0 means one per core.
    pub workers: usize,
    /// Games that each thread plays at the same time. More games make larger batches. 0 means 64.
    pub games_per_worker: usize,
    /// Whether to write event files for TensorBoard into the run's folder `tensorboard`.
    pub tensorboard: bool,
}

impl MachineConfig {
    /// The threads of self-play, and the games per thread.
    pub fn concurrency(&self) -> Concurrency {
        let default = Concurrency::default();
        let or = |value: usize, default: usize| if value == 0 { default } else { value };
        Concurrency {
            workers: or(self.workers, default.workers),
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
        let schedule = ScheduleConfig { games: vec![(0, 100), (3, 10)], ..ScheduleConfig::default() };
        assert_eq!([0, 2, 3, 99].map(|g| schedule.games_at(g)), [100, 100, 10, 10]);
        assert_eq!([0, 2, 3, 5].map(|end| schedule.games_before(end)), [0, 200, 300, 320]);
    }
}
