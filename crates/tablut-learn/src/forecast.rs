//! Estimates the cost of a run on this machine. Before the start it uses a short benchmark, later the run's metrics.

use std::path::Path;

use tablut_games::{GenerationMetrics, SHIPPED};

use crate::benchmark::MachinePace;
use crate::config::{ScheduleConfig, TrainConfig};
use crate::memory::MemoryBounds;

/// Number of training states that a run keeps.
const STATES: u64 = 2;
/// Mean length in plies of the games that a trained net plays with 16 simulations: 37 to 64 under the fourteen rule
/// sets (`experiments/balance`).
const TRAINED_PLIES: f64 = 46.0;
/// Evaluations per simulation of a trained net, relative to a search without a net. Its searches prove more.
const TRAINED_EVALUATIONS: f64 = 0.88;
/// The difference between a net's games and a trained net's halves in this many positions of self-play
/// (`experiments/quickstart`).
const HALVING_POSITIONS: f64 = 60_000.0;
/// The number of last generations whose mean pace is used for the rest of a run.
const RECENT: usize = 3;

/// The estimated cost of a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    pub games: u64,
    pub positions: f64,
    /// Evaluations by the net in self-play.
    pub evaluations: f64,
    pub steps: f64,
    pub selfplay_seconds: f64,
    pub learning_seconds: f64,
    /// Rating games of all generations together.
    pub rating_games: f64,
    /// Seconds of these games, without the opponents' time.
    pub rating_seconds: f64,
    /// Evaluations by the net in the final match. The time of its opponents is not included.
    pub final_evaluations: f64,
    pub final_seconds: f64,
    /// Bytes of all files of games, of all models, and of the kept states.
    pub disk_bytes: [u64; 3],
    pub window_positions: f64,
    /// Memory in bytes at the end. It does not include search trees, which grow with simulations.
    pub memory_bytes: u64,
    /// Upper bounds of the replay window and the trees.
    pub bounds: MemoryBounds,
}

impl Forecast {
    pub fn seconds(&self) -> f64 {
        self.seconds_before_the_match() + self.final_seconds
    }

    pub fn seconds_before_the_match(&self) -> f64 {
        self.selfplay_seconds + self.learning_seconds + self.rating_seconds
    }
}

impl MachinePace {
    /// Plies of a game of a net that is still untrained to this share. A search without a net plays long games, and they
    /// become shorter as the net learns.
    fn plies_after(&self, untrained: f64) -> f64 {
        let trained = self.plies_per_game.min(TRAINED_PLIES);
        trained + (self.plies_per_game - trained) * untrained
    }

    /// Evaluations per simulation of such a net.
    fn evaluations_after(&self, untrained: f64) -> f64 {
        self.evaluations_per_simulation * (TRAINED_EVALUATIONS + (1.0 - TRAINED_EVALUATIONS) * untrained)
    }
}

/// The weight of an untrained net's properties after `positions` of self-play. It falls from 1 towards 0.
fn untrained_share(positions: f64) -> f64 {
    0.5_f64.powf(positions / HALVING_POSITIONS)
}

impl TrainConfig {
    /// The estimate for a machine with this speed.
    pub fn forecast(&self, pace: &MachinePace) -> Forecast {
        let (schedule, learning) = (&self.schedule, &self.learning);
        let positions_per_ply = pace.positions_per_game / pace.plies_per_game.max(1.0);
        let (mut positions, mut evaluations, mut rating_evaluations) = (0.0, 0.0, 0.0);
        let (rating_share, first) = (f64::from(self.evaluation.rating_share), f64::from(schedule.simulations_at(0)));
        // A trained net's games keep their length.
        let untrained = |positions: f64| if self.start.is_some() { 1.0 } else { untrained_share(positions) };
        for generation in 0..schedule.generations {
            let games = schedule.games_at(generation) as f64;
            let plies = games * pace.plies_after(untrained(positions));
            let each = pace.evaluations_after(untrained(positions));
            evaluations += plies * positions_per_ply * each * f64::from(schedule.simulations_at(generation));
            // About half of the opponents are nets.
            rating_evaluations += rating_share * plies * 0.75 * each * first;
            positions += plies * positions_per_ply;
        }
        let learnt_from = positions * f64::from(1.0 - learning.held_out_share);
        let samples = learnt_from * f64::from(learning.draws_per_position);
        let final_evaluations = f64::from(self.evaluation.games)
            * self.final_searchers()
            * (pace.plies_after(untrained(positions)) / 2.0)
            * pace.evaluations_after(untrained(positions))
            * f64::from(self.play.simulations);
        let window_positions = learnt_from.min(learning.window_positions as f64);
        let rate = |count: f64, per_second: f64| if count == 0.0 { 0.0 } else { count / per_second.max(1e-9) };
        Forecast {
            games: schedule.games_before(schedule.generations),
            positions,
            evaluations,
            steps: samples / learning.batch_size.max(1) as f64,
            selfplay_seconds: rate(evaluations, pace.evaluations_per_second),
            learning_seconds: rate(samples, pace.samples_per_second),
            rating_games: schedule.games_before(schedule.generations) as f64 * rating_share,
            rating_seconds: rate(rating_evaluations, pace.evaluations_per_second),
            final_evaluations,
            final_seconds: rate(final_evaluations, pace.evaluations_per_second),
            disk_bytes: [
                (positions * pace.bytes_per_position) as u64,
                schedule.generations.saturating_mul(pace.model_bytes),
                STATES.min(schedule.generations).saturating_mul(pace.state_bytes),
            ],
            window_positions,
            memory_bytes: pace.memory_bytes + (window_positions * pace.window_bytes_per_position) as u64,
            bounds: self.memory_bounds(),
        }
    }
}

impl TrainConfig {
    /// The nets that search in the final match: one against each of `evaluation.against`, and two against the run's start
    /// and against the shipped net.
    fn final_searchers(&self) -> f64 {
        let net_opponents = if self.start.as_deref() == Some(Path::new(SHIPPED)) { 1 } else { 2 };
        (2 * net_opponents + self.evaluation.against.len()) as f64
    }

    /// Seconds of the final match, from the pace of the latest generation whose time is known. 0 if there is no such
    /// generation or no match. The opponents' time is not included.
    pub fn final_seconds(&self, metrics: &[GenerationMetrics]) -> f64 {
        let timed = |line: &&GenerationMetrics| line.selfplay.seconds > 0.0 && line.selfplay.positions > 0;
        let Some(line) = metrics.iter().rev().find(timed) else { return 0.0 };
        let games = f64::from(self.evaluation.games) * self.final_searchers();
        let seconds_per_simulation =
            line.selfplay.seconds / (line.selfplay.positions as f64 * f64::from(line.simulations.max(1)));
        // Each player plays every second ply.
        games * line.selfplay.mean_plies / 2.0 * seconds_per_simulation * f64::from(self.play.simulations)
    }
}

/// The time that a game took in a run's latest generations.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct GenerationPace {
    /// Seconds of self-play for each game and simulation of a search.
    selfplay_seconds: f64,
    /// Seconds of learning, rating and measuring for each game.
    other_seconds: f64,
}

impl GenerationPace {
    /// The mean pace of the latest of these generations. `None` if no time is known, which happens if all games were
    /// played before a stop.
    pub fn of(metrics: &[GenerationMetrics]) -> Option<Self> {
        Self::of_latest(metrics, RECENT)
    }

    /// The mean pace of the latest `n` of these generations.
    pub(crate) fn of_latest(metrics: &[GenerationMetrics], n: usize) -> Option<Self> {
        let timed = |line: &&GenerationMetrics| line.selfplay.seconds > 0.0 && line.simulations > 0;
        let recent: Vec<_> = metrics.iter().rev().filter(timed).take(n).collect();
        let mean = |seconds: &dyn Fn(&GenerationMetrics) -> f64| {
            let per_game = |line: &&GenerationMetrics| seconds(line) / line.selfplay.games.max(1) as f64;
            recent.iter().map(per_game).sum::<f64>() / recent.len() as f64
        };
        (!recent.is_empty()).then(|| Self {
            selfplay_seconds: mean(&|line| line.selfplay.seconds / f64::from(line.simulations)),
            other_seconds: mean(&|line| line.seconds() - line.selfplay.seconds),
        })
    }

    /// Seconds of a game with its share of learning, rating and measuring.
    pub fn seconds_per_game(&self, simulations: u32) -> f64 {
        self.selfplay_seconds * f64::from(simulations) + self.other_seconds
    }

    /// Seconds of the generations from `next` on.
    pub fn rest(&self, schedule: &ScheduleConfig, next: u64) -> f64 {
        let seconds = |generation| {
            schedule.games_at(generation) as f64 * self.seconds_per_game(schedule.simulations_at(generation))
        };
        (next..schedule.generations).map(seconds).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tablut_games::{LearningMetrics, SelfPlayMetrics};

    /// Its games have a trained net's length from the beginning.
    const PACE: MachinePace = MachinePace {
        plies_per_game: 40.0,
        positions_per_game: 32.0,
        evaluations_per_simulation: 0.5,
        evaluations_per_second: 1000.0,
        samples_per_second: 500.0,
        bytes_per_position: 20.0,
        window_bytes_per_position: 200.0,
        model_bytes: 1000,
        state_bytes: 4000,
        memory_bytes: 1_000_000,
    };

    fn config(overrides: &[&str]) -> TrainConfig {
        let text = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n[schedule]\ngenerations = 4\ngames = 10\n\
                    simulations = [[0, 8], [2, 16]]\n[learning]\nbatch_size = 64\ndraws_per_position = 2.0\n\
                    window_positions = 1000\n[evaluation]\nagainst = [\"random\"]\ngames = 20\nrating_share = 0.25\n[play]\nsimulations = 32\n";
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        TrainConfig::parse(text, Path::new("test.toml"), &overrides).unwrap()
    }

    #[test]
    fn the_arithmetic_follows_the_config() {
        // A trained net's searches evaluate a little less. So few positions hardly change the net.
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.005, "{found}, {expected}");
        let found = config(&[]).forecast(&PACE);
        assert_eq!((found.games, found.positions), (40, 1280.0));
        // Two generations with 8 simulations per ply, two with 16. Half of the simulations are evaluated.
        near(found.evaluations, 2.0 * 320.0 * 4.0 + 2.0 * 320.0 * 8.0);
        near(found.selfplay_seconds, 7.68);
        assert_eq!((found.steps, found.learning_seconds), (40.0, 5.12));
        // Twenty games of forty plies against each of three opponents, of which two are nets. Each player has half of the
        // plies, with 32 simulations each.
        near(found.final_evaluations, 32_000.0);
        near(found.final_seconds, 32.0);
        assert_eq!(found.disk_bytes, [25_600, 4000, 8000]);
        assert_eq!((found.window_positions, found.memory_bytes), (1000.0, 1_200_000));
        // Ten games with thirty plies of nets, each of 8 simulations.
        assert_eq!(found.rating_games, 10.0);
        near(found.rating_seconds, 1.2);
        near(found.seconds(), 46.0);
        let longer = config(&["schedule.generations=8", "evaluation.games=0"]).forecast(&PACE);
        assert_eq!((longer.games, longer.final_seconds, longer.disk_bytes[2]), (80, 0.0, 8000));
    }

    #[test]
    fn games_become_shorter_as_in_the_quickstart() {
        // The first games of configs/quickstart.toml took 129.6 plies, and 14.83 evaluations of 16 simulations; the run
        // took 8,337,896 evaluations over 614,416 positions.
        let pace = MachinePace {
            plies_per_game: 129.6,
            positions_per_game: 127.5,
            evaluations_per_simulation: 14.83 / 16.0,
            ..PACE
        };
        let quickstart = config(&["schedule.generations=28", "schedule.games=380", "schedule.simulations=[[0, 16]]"]);
        let found = quickstart.forecast(&pace);
        assert!((found.positions / 614_416.0 - 1.0).abs() < 0.1, "{}", found.positions);
        assert!((found.evaluations / 8_337_896.0 - 1.0).abs() < 0.1, "{}", found.evaluations);
    }

    #[test]
    fn the_rest_of_a_run_keeps_the_pace_of_its_latest_generations() {
        let line = |simulations, selfplay: f64, learning: f64| GenerationMetrics {
            simulations,
            selfplay: SelfPlayMetrics { games: 2, seconds: selfplay, ..SelfPlayMetrics::default() },
            learning: LearningMetrics { seconds: learning, ..LearningMetrics::default() },
            ..GenerationMetrics::default()
        };
        // The first is too old. The second was played before a stop, so its time is unknown.
        let metrics =
            [line(8, 100.0, 1.0), line(8, 8.0, 1.0), line(8, 0.0, 1.0), line(8, 8.0, 3.0), line(16, 16.0, 2.0)];
        let pace = GenerationPace::of(&metrics).expect("three have times");
        assert_eq!((pace.seconds_per_game(8), pace.seconds_per_game(16)), (5.0, 9.0));
        let (games, simulations) = (vec![(0, 2), (7, 4)], vec![(0, 8), (7, 16)]);
        let schedule = ScheduleConfig { generations: 8, games, simulations, ..Default::default() };
        assert_eq!(pace.rest(&schedule, 5), 10.0 + 10.0 + 36.0);
        assert_eq!(GenerationPace::of(&metrics[2..3]), None);
    }

    #[test]
    fn the_match_at_the_end_takes_as_long_as_self_play_of_as_many_plies() {
        let selfplay =
            SelfPlayMetrics { seconds: 10.0, positions: 500, mean_plies: 50.0, ..SelfPlayMetrics::default() };
        let line = GenerationMetrics { simulations: 8, selfplay, ..GenerationMetrics::default() };
        // Twenty games with 25 plies of each of five searches, each of 32 simulations, at 400 simulations per second.
        assert_eq!(config(&[]).final_seconds(&[line, GenerationMetrics::default()]), 5.0 * 20.0 * 25.0 * 32.0 / 400.0);
        assert_eq!(config(&[]).final_seconds(&[]), 0.0);
    }
}
