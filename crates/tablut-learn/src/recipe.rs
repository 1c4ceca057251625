//! The config of `tablut train --rules R --time T`, for a given time.
//!
//! The defaults of a config are the settings of the quickstart, for a net that knows nothing. A run that is longer than
//! the quickstart would be on the same machine has more generations, more simulations and a larger window. A run that
//! begins with a trained net searches more from the beginning, learns more slowly and plays from even openings.

use crate::benchmark::MachinePace;
use crate::config::{MAX_GAMES, ScheduleConfig, TrainConfig};
use crate::time_budget::{FEW_GAMES, FINAL_SHARE};

/// Fewer generations could not be fitted to a time on a machine that changes its speed.
const FEWEST_GENERATIONS: f64 = 16.0;
/// The generations of a run on a machine that is too slow for these.
const LEAST_GENERATIONS: u64 = 4;
/// Simulations of a search in a run that begins with a trained net, as in the last part of that net's own training.
const TRAINED_SIMULATIONS: u32 = 128;
/// The peak learning rate of such a run, as a share of the default.
const TRAINED_RATE_SHARE: f32 = 2.0 / 3.0;

impl TrainConfig {
    /// Settings for this config in a run of `seconds`, for a machine with this `pace`. Rules, shape, seed and start stay.
    /// [`TrainConfig::fit`] must then set the number of games.
    #[must_use]
    pub fn recipe(mut self, pace: &MachinePace, seconds: f64) -> Self {
        let config = &mut self;
        let length = quickstarts(pace, seconds);
        let trained = config.start.is_some();
        if trained {
            config.schedule.simulations = vec![(0, TRAINED_SIMULATIONS)];
            config.learning.learning_rate *= TRAINED_RATE_SHARE;
            (config.selfplay.opening_plies, config.selfplay.balanced_openings) = (6, 8);
        }
        let later: &[(f64, u32)] = match length {
            long if trained => {
                if long < 100.0 {
                    &[]
                } else {
                    &[(0.5, 256)]
                }
            }
            short if short < 8.0 => &[],
            medium if medium < 30.0 => &[(0.4, 64)],
            long if long < 800.0 => &[(0.33, 64), (0.67, 128)],
            _ => &[(0.07, 64), (0.17, 128), (0.58, 256)],
        };
        // The window grows much more slowly than the run: 65,000 positions for the quickstart, 140,000 for an hour.
        let window = config.learning.window_positions as f64 * length.powf(0.2);
        config.learning.window_positions = (window / 1000.0).round().max(1.0) as usize * 1000;
        let generations = generations_for(length);
        config.schedule.generations = generations;
        let step = |&(share, simulations): &(f64, u32)| ((generations as f64 * share).round() as u64, simulations);
        config.schedule.simulations.extend(later.iter().map(step));
        self
    }

    /// The same settings with the generations and games that fit into `seconds` at this `pace`, including the final
    /// match. The steps of `schedule.simulations` stay at the same share of the run.
    #[must_use]
    pub fn fit(mut self, pace: &MachinePace, seconds: f64) -> Self {
        let generations = generations_for(quickstarts(pace, seconds));
        let stretch = generations as f64 / self.schedule.generations.max(1) as f64;
        for step in &mut self.schedule.simulations {
            step.0 = (step.0 as f64 * stretch).round() as u64;
        }
        self.schedule.simulations.dedup_by_key(|step| step.0);
        self.schedule.generations = generations;
        // The match's time depends on the length of games at the end, and so on the number of games of self-play.
        let most = FINAL_SHARE * seconds;
        let before = |config: &Self| config.forecast(pace).seconds_before_the_match();
        self.schedule.games = vec![(0, self.games_that_fit(seconds - most, before))];
        let final_seconds = self.forecast(pace).final_seconds;
        if final_seconds > most {
            let games = f64::from(self.evaluation.games) * most / final_seconds;
            self.evaluation.games = ((games / 2.0) as u32).max(1) * 2;
        }
        let whole = |config: &Self| config.forecast(pace).seconds();
        let games = self.games_that_fit(seconds, whole);
        if games < FEW_GAMES {
            let generations = self.schedule.generations * games as u64 / FEW_GAMES as u64;
            self.schedule.generations = generations.max(LEAST_GENERATIONS);
        }
        self.schedule.games = vec![(0, self.games_that_fit(seconds, whole))];
        self
    }

    /// The largest number of games per generation with which `takes` is at most `seconds`, or 1. `takes` must rise with
    /// the number of games.
    fn games_that_fit(&self, seconds: f64, takes: impl Fn(&Self) -> f64) -> usize {
        let mut config = self.clone();
        let (mut fits, mut too_many) = (1, MAX_GAMES + 1);
        while fits + 1 < too_many {
            let games = usize::midpoint(fits, too_many);
            config.schedule.games = vec![(0, games)];
            if takes(&config) <= seconds { fits = games } else { too_many = games }
        }
        fits
    }
}

/// How many times as long as the quickstart a run of `seconds` is.
fn quickstarts(pace: &MachinePace, seconds: f64) -> f64 {
    seconds / TrainConfig::new(Vec::new()).forecast(pace).seconds()
}

/// The generations of a run that is `length` times as long as the quickstart.
fn generations_for(length: f64) -> u64 {
    let quickstart = ScheduleConfig::default().generations as f64;
    (quickstart * length.sqrt()).clamp(FEWEST_GENERATIONS, 2000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace of two idle cores with AVX-512 in the quickstart.
    const PACE: MachinePace = MachinePace {
        plies_per_game: 66.9,
        positions_per_game: 61.7,
        evaluations_per_simulation: 0.83,
        evaluations_per_second: 131_000.0,
        samples_per_second: 9_600.0,
        bytes_per_position: 30.0,
        window_bytes_per_position: 210.0,
        model_bytes: 300_000,
        state_bytes: 1_200_000,
        memory_bytes: 90_000_000,
    };

    fn planned(seconds: f64) -> TrainConfig {
        planned_from(None, seconds)
    }

    fn planned_from(start: Option<&str>, seconds: f64) -> TrainConfig {
        let config = TrainConfig { start: start.map(Into::into), ..TrainConfig::new(vec!["kvasir".to_owned()]) };
        let config = config.recipe(&PACE, seconds).fit(&PACE, seconds);
        config.check_ranges().expect("a recipe is in range");
        config
    }

    #[test]
    fn a_trained_net_searches_more_and_learns_more_slowly() {
        for seconds in [120.0, 600.0, 3600.0, 86_400.0] {
            let plan = planned_from(Some("shipped"), seconds);
            let forecast = plan.forecast(&PACE);
            assert!((forecast.seconds() / seconds - 1.0).abs() < 0.02, "{seconds} s: {} s", forecast.seconds());
            assert_eq!(plan.schedule.simulations_at(0), TRAINED_SIMULATIONS);
            assert!(plan.learning.learning_rate < TrainConfig::new(Vec::new()).learning.learning_rate);
            assert!(plan.selfplay.balanced_openings > 0 && plan.schedule.generations >= 16, "{:?}", plan.schedule);
        }
    }

    #[test]
    fn every_budget_is_spent_and_grows_what_it_buys() {
        const MINUTE: f64 = 60.0;
        let budgets = [2.0, 3.0, 6.0, 20.0, 60.0, 240.0, 1440.0, 7.0 * 1440.0].map(|minutes| minutes * MINUTE);
        let plans = budgets.map(planned);
        for (seconds, plan) in budgets.iter().zip(&plans) {
            let forecast = plan.forecast(&PACE);
            assert!((forecast.seconds() / seconds - 1.0).abs() < 0.02, "{seconds} s: {} s", forecast.seconds());
            assert!(
                forecast.final_seconds <= FINAL_SHARE * seconds,
                "{seconds} s: {} s at the end",
                forecast.final_seconds
            );
        }
        for pair in plans.windows(2) {
            assert!(pair[0].schedule.generations < pair[1].schedule.generations);
            assert!(pair[0].learning.window_positions < pair[1].learning.window_positions);
            let most = |plan: &TrainConfig| plan.schedule.simulations.last().map(|step| step.1);
            assert!(most(&pair[0]) <= most(&pair[1]));
        }
    }

    #[test]
    fn the_quickstarts_time_gives_the_quickstart() {
        let quickstart = TrainConfig::new(vec!["kvasir".to_owned()]);
        assert_eq!(planned(quickstart.forecast(&PACE).seconds()), quickstart);
    }

    #[test]
    fn steps_of_the_simulations_keep_their_places() {
        let mut config = TrainConfig::new(vec!["kvasir".to_owned()]);
        config.schedule.generations = 100;
        config.schedule.simulations = vec![(0, 16), (50, 32)];
        let fitted = config.fit(&PACE, 90.0);
        let half = fitted.schedule.generations.div_ceil(2);
        assert!(fitted.schedule.simulations[1].0.abs_diff(half) <= 1, "{:?}", fitted.schedule);
    }
}
