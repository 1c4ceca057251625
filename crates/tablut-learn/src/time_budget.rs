//! A run that takes a given time. It has as many generations as fit.
//!
//! The length of games is known only after they are played, so the number of generations is adjusted after each one.
//! The adjustment ends when the learning rate begins to fall, because from then on the number influences the run. The
//! adjusted config is written before the run continues. So the finished run is a function of this config, like every
//! other run.

use std::time::{Duration, Instant};

use tablut_games::GenerationMetrics;

use crate::config::{MAX_GENERATIONS, ScheduleConfig, TrainConfig};
use crate::forecast::GenerationPace;
use crate::learner::learning_rate_share;

#[derive(Copy, Clone, Debug)]
pub struct TimeBudget {
    time: Duration,
    start: Instant,
    /// Seconds that earlier processes spent on the run.
    before: f64,
}

impl TimeBudget {
    /// A budget of about `time` from `start` on, including the time of the generations that were completed before.
    pub fn new(time: Duration, start: Instant, completed: &[GenerationMetrics]) -> Self {
        Self { time, start, before: completed.iter().map(GenerationMetrics::seconds).sum() }
    }

    /// The number of generations, including those of `metrics`, that fit together with the final match. It is the
    /// config's number if no pace is known.
    pub fn generations(&self, config: &TrainConfig, metrics: &[GenerationMetrics]) -> u64 {
        let schedule = &config.schedule;
        let Some(pace) = GenerationPace::of(metrics) else { return schedule.generations };
        let spent = self.before + self.start.elapsed().as_secs_f64() + config.final_seconds(metrics);
        let left = self.time.as_secs_f64() - spent;
        generations_that_fit(metrics.len() as u64, schedule, config.learning.decay_share, left, &pace)
    }
}

/// The number of generations of which `done` are complete and the rest take about `left_seconds`. It does not change
/// after the learning rate has begun to fall.
fn generations_that_fit(
    done: u64,
    schedule: &ScheduleConfig,
    decay_share: f32,
    left_seconds: f64,
    pace: &GenerationPace,
) -> u64 {
    let has_fallen = |generations: u64| learning_rate_share(done as f32, generations as f32, decay_share) < 1.0;
    if has_fallen(schedule.generations) {
        return schedule.generations;
    }
    let (mut generations, mut left) = (done, left_seconds);
    loop {
        let seconds = pace.seconds(schedule.simulations_at(generations));
        // The last generation is included if at least half of it fits. In the shortest run the learning rate begins to
        // fall now.
        if left < seconds / 2.0 && !has_fallen(generations) || generations == MAX_GENERATIONS {
            return generations.max(1);
        }
        left -= seconds.max(1e-3);
        generations += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_games::{LearningMetrics, SelfPlayMetrics};

    /// Ten seconds per generation with 16 simulations, eighteen with 32.
    fn pace() -> GenerationPace {
        GenerationPace::of(&[GenerationMetrics {
            simulations: 16,
            selfplay: SelfPlayMetrics { seconds: 8.0, ..SelfPlayMetrics::default() },
            learning: LearningMetrics { seconds: 2.0, ..LearningMetrics::default() },
            ..GenerationMetrics::default()
        }])
        .expect("its time is known")
    }

    fn fitting(done: u64, planned: u64, left_seconds: f64) -> u64 {
        let schedule = ScheduleConfig { generations: planned, simulations: vec![(0, 16)], ..Default::default() };
        generations_that_fit(done, &schedule, 0.25, left_seconds, &pace())
    }

    #[test]
    fn as_many_generations_fit_as_the_time_left_allows() {
        assert_eq!(fitting(3, 20, 100.0), 13);
        assert_eq!([104.0, 106.0].map(|left| fitting(3, 20, left)), [13, 14]);
        let steps = ScheduleConfig { generations: 20, simulations: vec![(0, 16), (5, 32)], ..Default::default() };
        assert_eq!(generations_that_fit(3, &steps, 0.25, 2.0 * 10.0 + 3.0 * 18.0, &pace()), 8);
    }

    #[test]
    fn the_number_stays_when_the_learning_rate_has_fallen() {
        // In the last four of sixteen generations the learning rate falls.
        assert_eq!(fitting(12, 16, 1000.0), 112);
        assert_eq!(fitting(13, 16, 1000.0), 16);
    }

    #[test]
    fn a_run_that_is_late_still_lets_its_learning_rate_fall() {
        assert_eq!(fitting(9, 40, -5.0), 12);
        let rate = |progress: f32| learning_rate_share(progress, 12.0, 0.25);
        assert_eq!(rate(9.0), 1.0);
        assert!(rate(9.1) < 1.0);
    }

    #[test]
    fn no_time_and_no_seconds_come_to_an_end() {
        assert_eq!(fitting(0, 20, 0.0), 1);
        let idle = GenerationPace::of(&[GenerationMetrics {
            simulations: 16,
            selfplay: SelfPlayMetrics { seconds: 1e-9, ..SelfPlayMetrics::default() },
            ..GenerationMetrics::default()
        }]);
        let schedule = ScheduleConfig { generations: 20, simulations: vec![(0, 16)], ..Default::default() };
        assert_eq!(generations_that_fit(3, &schedule, 0.25, 1e9, &idle.expect("a time")), MAX_GENERATIONS);
    }
}
