//! The results of the last generations' ordinary games by rule set. They show how balanced each rule set is.
//!
//! They are a function of the files of games. A resumed run computes them again.

use std::collections::VecDeque;
use std::sync::Arc;

use tablut_games::{Endings, GameRecord};
use tablut_rules::Rules;

/// The number of latest generations whose results are used.
pub(crate) const GENERATIONS_COUNTED: u64 = 4;

/// The results of ordinary games by rule set in the last generations, oldest first.
#[derive(Debug, Default)]
pub(crate) struct GameHistory {
    generations: VecDeque<Vec<Endings>>,
}

impl GameHistory {
    /// Adds the games of the next generation, and drops the oldest generation.
    pub(crate) fn push(&mut self, rules: &[Arc<Rules>], games: &[GameRecord]) {
        let results = |rules: &Arc<Rules>| {
            let mut results = Endings::default();
            let of_set = games.iter().filter(|game| game.rules == rules.name() && game.handicap.is_none());
            of_set.for_each(|game| results.count(game.outcome.winner));
            results
        };
        self.generations.push_back(rules.iter().map(results).collect());
        if self.generations.len() as u64 > GENERATIONS_COUNTED {
            self.generations.pop_front();
        }
    }

    /// The results of the rule set at `place` in the ordinary games of the latest generations.
    pub(crate) fn results(&self, place: usize) -> Endings {
        let of_set = self.generations.iter().filter_map(|sets| sets.get(place));
        of_set.fold(Endings::default(), |sum, results| sum.plus(*results))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_games::Handicap;
    use tablut_rules::{Outcome, Position, Reason, Side};

    #[test]
    fn only_ordinary_games_of_the_latest_generations_are_counted() {
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        let mut history = GameHistory::default();
        let ordinary = GameRecord {
            index: 0,
            rules: "kvasir".to_owned(),
            max_plies: 1,
            start: Position::start(Side::Attackers),
            plies: Vec::new(),
            outcome: Outcome { winner: None, reason: Reason::PlyLimit },
            handicap: Handicap::default(),
        };
        let mut uneven = ordinary.clone();
        uneven.handicap.simulations = Some([9, 3]);
        for _ in 0..6 {
            history.push(&rules, &[ordinary.clone(), uneven.clone()]);
        }
        assert_eq!(history.results(0), Endings { drawn: 4, ..Endings::default() });
        assert_eq!(history.results(1), Endings::default());
    }
}
