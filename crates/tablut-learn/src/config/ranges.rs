//! The ranges of a config. All values out of range are reported together.

use super::{MAX_GAMES, MAX_GENERATIONS, MAX_RULE_SETS, TrainConfig, TrainConfigError};

/// Whether the generations of the pairs rise from 0.
fn are_steps<N>(steps: &[(u64, N)]) -> bool {
    steps.first().is_some_and(|step| step.0 == 0) && steps.is_sorted_by(|a, b| a.0 < b.0)
}

impl TrainConfig {
    /// Checks all values.
    pub fn check_ranges(&self) -> Result<(), TrainConfigError> {
        let mut faults = Vec::new();
        let mut check = |fits: bool, key: &str, value: &dyn std::fmt::Display, expected: &str| {
            if !fits {
                faults.push(format!("{key} = {value}: expected {expected}"));
            }
        };
        let unit = 0.0..=1.0;
        let (s, l, o) = (&self.schedule, &self.learning, &self.optimizer);
        check((1..=MAX_RULE_SETS).contains(&self.rules.len()), "rules", &self.rules.len(), "1 to 1000 rule sets");
        check((1..=MAX_GENERATIONS).contains(&s.generations), "schedule.generations", &s.generations, "1 to 100000");
        let games = format!("{:?}", s.games);
        let expected = "a number, or pairs [generation, games] with rising generations, the first for generation 0";
        check(are_steps(&s.games), "schedule.games", &games, expected);
        let in_range = s.games.iter().all(|step| (1..=MAX_GAMES).contains(&step.1));
        check(in_range, "schedule.games", &games, "1 to 1000000 games");
        check(s.lag <= 1, "schedule.lag", &s.lag, "0 or 1");
        let simulations = format!("{:?}", s.simulations);
        let expected =
            "a number, or pairs [generation, simulations] with rising generations, the first for generation 0";
        check(are_steps(&s.simulations), "schedule.simulations", &simulations, expected);
        let in_range = s.simulations.iter().all(|step| (1..=1_000_000).contains(&step.1));
        check(in_range, "schedule.simulations", &simulations, "1 to 1000000 simulations");
        check((1..=65_536).contains(&l.batch_size), "learning.batch_size", &l.batch_size, "1 to 65536");
        let draws = l.draws_per_position;
        check(draws > 0.0 && draws <= 100.0, "learning.draws_per_position", &draws, "above 0 and at most 100");
        check(l.window_positions > 0, "learning.window_positions", &l.window_positions, "at least 1");
        let rate = l.learning_rate;
        check(rate > 0.0 && rate <= 1.0, "learning.learning_rate", &rate, "above 0 and at most 1");
        check(unit.contains(&l.decay_share), "learning.decay_share", &l.decay_share, "0 to 1");
        check(unit.contains(&l.value_share), "learning.value_share", &l.value_share, "0 to 1");
        let held_out = l.held_out_share;
        check((0.0..=0.5).contains(&held_out), "learning.held_out_share", &held_out, "0 to 0.5");
        check(unit.contains(&o.weight_decay), "optimizer.weight_decay", &o.weight_decay, "0 to 1");
        check(o.max_gradient_norm > 0.0, "optimizer.max_gradient_norm", &o.max_gradient_norm, "above 0");
        check(
            (0.0..1.0).contains(&o.average_decay),
            "optimizer.average_decay",
            &o.average_decay,
            "at least 0 and below 1",
        );
        let e = &self.evaluation;
        let even = e.games.is_multiple_of(2) && e.games <= 1_000_000;
        check(even, "evaluation.games", &e.games, "an even number from 0 to 1000000");
        check(unit.contains(&e.rating_share), "evaluation.rating_share", &e.rating_share, "0 to 1");
        let simulations = self.play.simulations;
        check((1..=1_000_000).contains(&simulations), "play.simulations", &simulations, "1 to 1000000");
        check(self.machine.workers <= 1024, "machine.workers", &self.machine.workers, "0 to 1024");
        let games = self.machine.games_per_worker;
        check(games <= 4096, "machine.games_per_worker", &games, "0 to 4096");
        let p = &self.selfplay;
        check(p.opening_plies <= 100, "selfplay.opening_plies", &p.opening_plies, "0 to 100");
        check((1..=60_000).contains(&p.max_plies), "selfplay.max_plies", &p.max_plies, "1 to 60000");
        check((0.0..1.0).contains(&p.balance), "selfplay.balance", &p.balance, "at least 0 and below 1");
        check(p.balanced_openings <= 64, "selfplay.balanced_openings", &p.balanced_openings, "0 to 64");
        faults.extend(self.search.validate().err().map(|error| format!("search.{error}")));
        if faults.is_empty() { Ok(()) } else { Err(TrainConfigError::Range(faults)) }
    }
}
