//! The results of the last generations' ordinary games by rule set. They show how balanced each rule set is, and give the
//! handicaps of the next games.
//!
//! They are a function of the files of games. A resumed run computes them again.

use std::collections::VecDeque;
use std::sync::Arc;

use tablut_games::{GameRecord, Handicap};
use tablut_rules::{Results, Rules};

/// The number of latest generations whose results are used.
pub const GENERATIONS_COUNTED: u64 = 4;
/// The number of draws added to the results of a rule set, so that a few games do not look unbalanced.
const DRAWS_ADDED: f64 = 8.0;
/// The maximum ratio of the losing side's simulations to the winning side's.
const MOST_RATIO: f64 = 16.0;

/// The results of ordinary games by rule set in the last generations, oldest first.
#[derive(Debug, Default)]
pub(crate) struct GameHistory {
    generations: VecDeque<Vec<Results>>,
}

impl GameHistory {
    /// Adds the games of the next generation, and drops the oldest generation.
    pub(crate) fn push(&mut self, rules: &[Arc<Rules>], games: &[GameRecord]) {
        let results = |rules: &Arc<Rules>| {
            let of_set = games.iter().filter(|game| game.rules == rules.name() && game.handicap.is_none());
            of_set.map(|game| game.results(rules)).sum()
        };
        self.generations.push_back(rules.iter().map(results).collect());
        if self.generations.len() as u64 > GENERATIONS_COUNTED {
            self.generations.pop_front();
        }
    }

    /// The results of the rule set at `place` in the ordinary games of the latest generations.
    pub(crate) fn results(&self, place: usize) -> Results {
        self.generations.iter().filter_map(|sets| sets.get(place)).copied().sum()
    }

    /// The handicaps in the next games of the first `n_rules` rule sets, if one side's lead exceeds the share `balance`
    /// of the games. Both sides together have as many simulations as two sides with `full`.
    pub(crate) fn handicaps(&self, n_rules: usize, balance: f32, full: u32) -> Vec<Handicap> {
        let band = f64::from(balance);
        if band <= 0.0 {
            return Vec::new();
        }
        let of_set = |place| Handicap { simulations: simulations_by_side(self.results(place), band, full) };
        (0..n_rules).map(of_set).collect()
    }
}

/// Simulations per search of attackers and defenders, if the lead of one side in the finished games exceeds `band`. The
/// ratio grows from 1 at the band's edge to [`MOST_RATIO`] if one side wins all games. Both sides together have as many
/// simulations as two sides with `full`. A band of 0 switches this off.
fn simulations_by_side(results: Results, band: f64, full: u32) -> Option<[u32; 2]> {
    let (attackers, defenders) = (results.attackers as f64, results.defenders as f64);
    let lead = (attackers - defenders) / (results.finished() as f64 + DRAWS_ADDED);
    let excess = (lead.abs() - band) / (1.0 - band);
    if band <= 0.0 || excess <= 0.0 {
        return None;
    }
    let ratio = 1.0 + (MOST_RATIO - 1.0) * excess;
    let both = 2.0 * f64::from(full);
    let losing = (both * ratio / (1.0 + ratio)).round().min(both - 1.0) as u32;
    let winning = 2 * full - losing;
    let by_side = if lead > 0.0 { [winning, losing] } else { [losing, winning] };
    (losing > winning).then_some(by_side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::{Game, Outcome, Reason, Side};

    #[test]
    fn only_ordinary_games_of_the_latest_generations_are_counted() {
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        let mut history = GameHistory::default();
        let game = Game::new(rules[0].clone(), Side::Attackers);
        let ordinary = GameRecord::new(0, &game, 1, Outcome { winner: None, reason: Reason::PlyLimit });
        let mut uneven = ordinary.clone();
        uneven.handicap.simulations = Some([9, 3]);
        for _ in 0..6 {
            history.push(&rules, &[ordinary.clone(), uneven.clone()]);
        }
        assert_eq!(history.results(0), Results { unfinished: 4, ..Results::default() });
        assert_eq!(history.results(1), Results::default());
    }

    #[test]
    fn the_losing_side_thinks_longer_the_more_it_loses() {
        let of = |attackers, defenders, full| {
            let draws = 92 - attackers - defenders;
            simulations_by_side(Results { attackers, draws, defenders, unfinished: 0 }, 0.3, full)
        };
        // A lead of 30 in 100 games is the band's edge. Eight draws are added to the 92 games.
        assert_eq!(of(31, 1, 32), None);
        assert_eq!(of(0, 92, 1), None, "nobody can have less than one simulation");
        assert_eq!(of(65, 0, 32), Some([7, 57]));
        assert_eq!(of(0, 65, 32), Some([57, 7]));
        assert_eq!(of(92, 0, 32), Some([4, 60]));
        assert_eq!(simulations_by_side(Results { attackers: 3, ..Results::default() }, 0.3, 32), None);
        let quickstart = Results { attackers: 11, draws: 1, defenders: 184, unfinished: 84 };
        assert_eq!(simulations_by_side(quickstart, 0.3, 16), Some([30, 2]), "only finished games count");
        let results = Results { attackers: 900, ..Results::default() };
        assert_eq!(simulations_by_side(results, 0.0, 32), None);
        for full in 2..200 {
            let [attackers, defenders] = simulations_by_side(results, 0.3, full).unwrap();
            assert!(attackers >= 1 && attackers < defenders && attackers + defenders == 2 * full);
        }
    }
}
