//! A run that takes a given time. After each generation the games of the coming ones are planned again, more or fewer,
//! so that all of them fit. The number of generations stays, so the learning rate falls with the time that is left. Only
//! a machine that is too slow for some games in each has fewer generations.
//!
//! The config lists the games of each generation before they are played. So the finished run is a function of this
//! config, like every other run.

use std::time::Duration;

use tablut_games::GenerationMetrics;

use crate::config::{MAX_GAMES, TrainConfig};
use crate::forecast::GenerationPace;
use crate::learner::learning_rate_share;

/// Returns the time since the command began, without pauses.
pub type TimeSource = Box<dyn Fn() -> Duration>;

/// If generations would have fewer games, there are fewer generations.
pub(crate) const FEW_GAMES: usize = 12;
/// The share of the coming generations that stays at least in one plan.
const LEAST_SHARE: f64 = 0.6;
/// The fewest games of a generation, also if the time is over.
const FEWEST_GAMES: usize = 4;
/// How many times as many games a generation can have as the one before. The first games of a net are the longest, so
/// one slow generation says little.
const MOST_GROWTH: f64 = 3.0;
/// The smallest change that is worth a new entry in the config, as a share. The last generations change by less.
const LEAST_CHANGE: f64 = 0.05;
const LAST_GENERATIONS: u64 = 4;
/// The largest share of a run's time for the match at its end.
pub(crate) const FINAL_SHARE: f64 = 0.12;
/// The planned share of the time. A machine that becomes slower at the end takes the rest.
const AIM: f64 = 0.98;
/// A finished run goes on if the time is this many times the time that it took.
const LONGER: f64 = 1.3;

pub(crate) struct TimeBudget {
    seconds: f64,
    clock: TimeSource,
    /// Seconds that earlier processes spent on the run.
    before: f64,
    /// The clock's seconds at the last plan.
    planned_at: f64,
}

impl TimeBudget {
    /// A budget of about `time`, which includes the generations that were completed before and the final match.
    pub(crate) fn new(time: Duration, clock: TimeSource, completed: &[GenerationMetrics]) -> Self {
        let before = completed.iter().map(GenerationMetrics::seconds).sum();
        let planned_at = clock().as_secs_f64();
        Self { seconds: time.as_secs_f64(), clock, before, planned_at }
    }

    /// Seconds for the generations that are left.
    fn left(&self, config: &TrainConfig, metrics: &[GenerationMetrics]) -> f64 {
        let final_match = config.final_seconds(metrics).min(FINAL_SHARE * self.seconds);
        AIM * self.seconds - self.before - (self.clock)().as_secs_f64() - final_match
    }

    /// The generations by which a finished run goes on: as many of the mean length as fit if the time is longer than the
    /// run took, else 0.
    pub(crate) fn further_generations(&self, config: &TrainConfig, metrics: &[GenerationMetrics]) -> u64 {
        if metrics.is_empty() || self.seconds < LONGER * self.before {
            return 0;
        }
        let mean = self.before / metrics.len() as f64;
        (self.left(config, metrics) / mean.max(1e-3)).round().max(0.0) as u64
    }

    /// Plans the games of the generations from `next` on, of which those before `first` have begun. Returns whether the
    /// config has changed.
    pub(crate) fn plan(
        &mut self,
        config: &mut TrainConfig,
        metrics: &[GenerationMetrics],
        next: u64,
        first: u64,
    ) -> bool {
        let now = (self.clock)().as_secs_f64();
        let taken = now - std::mem::replace(&mut self.planned_at, now);
        let (Some(pace), Some(last)) = (GenerationPace::of_latest(metrics, 1), metrics.last()) else { return false };
        // Replaying games and writing files take time that the metrics do not have.
        let unmeasured = (taken / last.seconds().max(1e-9)).clamp(1.0, 2.0);
        let seconds_per_game = |generations: std::ops::Range<u64>, games: &dyn Fn(u64) -> f64| -> f64 {
            let each = |generation| {
                games(generation) * unmeasured * pace.seconds_per_game(config.schedule.simulations_at(generation))
            };
            generations.map(each).sum()
        };
        let begun = seconds_per_game(next..first, &|generation| config.schedule.games_at(generation) as f64);
        let left = self.left(config, metrics) - begun;
        let each = seconds_per_game(first..config.schedule.generations, &|_| 1.0);
        if each <= 0.0 {
            return false;
        }
        let generations = fewer_generations(config, first, left / (each * FEW_GAMES as f64));
        if generations < config.schedule.generations {
            config.schedule.generations = generations;
            config.schedule.games.retain(|step| step.0 < first);
            config.schedule.games.push((first, FEW_GAMES));
            config.schedule.games.dedup_by_key(|step| step.1);
            return true;
        }
        let before = config.schedule.games_at(first);
        let most = (MOST_GROWTH * before as f64).min(MAX_GAMES as f64);
        let games = ((left / each).clamp(0.0, most) as usize).max(FEWEST_GAMES);
        let change = (games as f64 / before as f64 - 1.0).abs();
        let is_last = first + LAST_GENERATIONS >= config.schedule.generations;
        if games == before || change < LEAST_CHANGE && !is_last {
            return false;
        }
        config.schedule.games.retain(|step| step.0 < first);
        config.schedule.games.push((first, games));
        true
    }
}

/// The number of generations if only this share of those from `first` on fits. The learning rate must not have begun to
/// fall before `first`, because those generations are over.
fn fewer_generations(config: &TrainConfig, first: u64, share: f64) -> u64 {
    let (generations, decay) = (config.schedule.generations, config.learning.decay_share);
    if learning_rate_share(first as f32, generations as f32, decay) < 1.0 {
        return generations;
    }
    let fitting = first + ((generations - first) as f64 * share.max(LEAST_SHARE)) as u64;
    let has_begun = |generations: u64| learning_rate_share(first as f32, generations as f32, decay) < 1.0;
    (fitting.max(first + 1)..generations).find(|&fewer| !has_begun(fewer)).unwrap_or(generations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ScheduleConfig;
    use std::cell::Cell;
    use std::rc::Rc;
    use tablut_games::{LearningMetrics, SelfPlayMetrics};

    /// The speed of a machine at a share of the run's time.
    type Speed = fn(f64) -> f64;

    /// A machine with a clock that only its work moves.
    struct Machine {
        seconds: Rc<Cell<f64>>,
        speed: Speed,
        time: f64,
    }

    impl Machine {
        fn work(&self, seconds: f64) -> f64 {
            let (start, step) = (self.seconds.get(), seconds / 100.0);
            for _ in 0..100 {
                let now = self.seconds.get();
                self.seconds.set(now + step / (self.speed)(now / self.time));
            }
            self.seconds.get() - start
        }

        /// A generation of games that become shorter, and of learning.
        fn generation(&self, generation: u64, config: &TrainConfig) -> GenerationMetrics {
            let (games, simulations) =
                (config.schedule.games_at(generation), config.schedule.simulations_at(generation));
            let plies = 57.0 + 50.0 * 0.7_f64.powf(generation as f64);
            let positions = games as f64 * plies;
            let play = self.work(positions * f64::from(simulations) / 100_000.0);
            let learning = self.work(positions / 9000.0);
            self.work(0.1 + positions / 90_000.0);
            GenerationMetrics {
                generation,
                simulations,
                selfplay: SelfPlayMetrics {
                    games,
                    seconds: play,
                    positions: positions as usize,
                    mean_plies: plies,
                    ..SelfPlayMetrics::default()
                },
                learning: LearningMetrics { seconds: learning, ..LearningMetrics::default() },
                ..GenerationMetrics::default()
            }
        }
    }

    /// The share of the time that a run with its final match took, and its config.
    fn run(seconds: f64, generations: u64, games: usize, speed: Speed) -> (f64, TrainConfig) {
        let clock = Rc::new(Cell::new(5.0));
        let machine = Machine { seconds: clock.clone(), speed, time: seconds };
        let mut config = TrainConfig::new(vec!["kvasir".to_owned()]);
        config.schedule.generations = generations;
        config.schedule.games = vec![(0, games)];
        config.evaluation.games = (seconds / 6.0) as u32;
        let clock = Box::new(move || Duration::from_secs_f64(clock.get()));
        let mut budget = TimeBudget::new(Duration::from_secs_f64(seconds), clock, &[]);
        let mut metrics = Vec::new();
        let mut generation = 0;
        while generation < config.schedule.generations {
            metrics.push(machine.generation(generation, &config));
            generation += 1;
            budget.plan(&mut config, &metrics, generation, generation);
        }
        // The final match is played in rounds until the time is over.
        let round = config.final_seconds(&metrics) / 10.0;
        for _ in 0..10 {
            if machine.seconds.get() + round / 2.0 < seconds {
                machine.work(round * speed(machine.seconds.get() / seconds));
            }
        }
        (machine.seconds.get() / seconds, config)
    }

    #[test]
    fn the_time_holds_on_a_machine_whose_speed_halves_and_doubles() {
        let speeds: [(&str, Speed); 7] = [
            ("steady", |_| 1.0),
            ("halves early", |at| if at < 0.2 { 1.0 } else { 0.5 }),
            ("doubles early", |at| if at < 0.2 { 0.5 } else { 1.0 }),
            ("halves late", |at| if at < 0.85 { 1.0 } else { 0.5 }),
            ("doubles late", |at| if at < 0.85 { 0.5 } else { 1.0 }),
            ("slow in the middle", |at| if (0.3..0.6).contains(&at) { 0.5 } else { 1.0 }),
            ("to and fro", |at| if ((at * 8.0) as u32).is_multiple_of(2) { 1.0 } else { 0.5 }),
        ];
        for (name, speed) in speeds {
            // The plan before the start is right, a quarter, or three times of what fits.
            for (seconds, generations) in [(120.0, 16), (600.0, 30), (3600.0, 80)] {
                for factor in [0.25, 1.0, 3.0] {
                    let fitting = 0.8 * seconds / generations as f64 * 100_000.0 / (60.0 * 32.0);
                    let (share, config) = run(seconds, generations, (factor * fitting) as usize, speed);
                    assert!(
                        (0.9..=1.05).contains(&share),
                        "{name}, {seconds} s, {factor}: {share} {:?}",
                        config.schedule
                    );
                    config.check_ranges().expect("the plan is in range");
                }
            }
        }
    }

    #[test]
    fn a_slow_machine_has_fewer_generations_and_the_rate_still_falls() {
        for speed in [(|_| 0.03) as Speed, |_| 0.05] {
            let (share, config) = run(120.0, 16, 10, speed);
            let ScheduleConfig { generations, games, .. } = &config.schedule;
            assert!((0.9..=1.05).contains(&share) && (4..14).contains(generations), "{share} {:?}", config.schedule);
            assert!(games.iter().all(|step| step.1 >= FEWEST_GAMES), "{games:?}");
        }
        let config = TrainConfig::new(vec!["kvasir".to_owned()]);
        // In the last 30 % of 17 generations the rate falls.
        assert_eq!([0.8, 0.1].map(|share| fewer_generations(&config, 5, share)), [14, 12]);
        assert_eq!(fewer_generations(&config, 13, 0.1), 17);
    }

    #[test]
    fn the_config_lists_the_games_of_every_generation() {
        let (_, config) = run(600.0, 30, 100, |_| 1.0);
        let games = &config.schedule.games;
        assert!(games.len() > 3 && games[0] == (0, 100) && games.last().unwrap().0 >= 26, "{games:?}");
        assert!(games.windows(2).take(3).all(|pair| pair[1].1 > pair[0].1), "shorter games make room: {games:?}");
    }

    #[test]
    fn a_finished_run_goes_on_only_with_a_longer_time() {
        let config = TrainConfig::new(vec!["kvasir".to_owned()]);
        let line = |seconds| GenerationMetrics {
            selfplay: SelfPlayMetrics { seconds, ..SelfPlayMetrics::default() },
            ..GenerationMetrics::default()
        };
        let metrics = vec![line(10.0); 17];
        let further = |seconds: u64| {
            let budget = TimeBudget::new(Duration::from_secs(seconds), Box::new(|| Duration::ZERO), &metrics);
            budget.further_generations(&config, &metrics)
        };
        assert_eq!([200, 340].map(further), [0, 16]);
    }
}
