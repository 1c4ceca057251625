//! Statistics of a generation's games by rule set and side: results, ends, lengths, captures, search.
//!
//! Everything here is computed from records. There is no randomness, and sums follow the order of the games. So equal
//! records give equal numbers on any number of threads.

#![expect(missing_docs, reason = "the names say what the other fields are")]

mod net;
mod sample;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tablut_rules::{Results, Rules, Side};

use crate::samples::ReplayedGame;
pub use net::{CalibrationBin, DrawStatistics, NetLosses, NetStatistics, PHASES, PhaseStatistics, PolicyStatistics};
use sample::entropy;
pub use sample::{ExaminedPosition, examine};

/// The games of one rule set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RuleSetStatistics {
    pub rules: String,
    pub games: usize,
    pub results: Results,
    /// Games by the reason of their end, in the words of `tablut replay`.
    pub endings: BTreeMap<String, Results>,
    pub plies: Lengths,
    /// The attackers: their captures, and the searches of positions in which they are to move.
    pub attackers: SideStatistics,
    /// The same for the defenders.
    pub defenders: SideStatistics,
    /// The outputs of the net that played, on a sample of the positions. `None` if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<NetStatistics>,
    /// The games by their kind. `None` if all were ordinary self-play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special: Option<SpecialStatistics>,
}

/// The results of a rule set's games by kind.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecialStatistics {
    /// Games with equal searches. Only these games show how even the rule set is.
    pub ordinary: Results,
    pub uneven: UnevenGames,
}

/// Games with unequal searches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnevenGames {
    pub simulations: [u32; 2],
    pub results: Results,
}

/// Lengths of games, in plies.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lengths {
    pub mean: f64,
    pub shortest: usize,
    /// A tenth of the games are no longer than this.
    pub p10: usize,
    pub median: usize,
    /// Nine tenths of the games are no longer than this.
    pub p90: usize,
    pub longest: usize,
}

/// One side of a rule set's games.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SideStatistics {
    /// Mean number of pieces that the side captured per game.
    pub captures: f64,
    /// Training positions in which the side is to move.
    pub positions: usize,
    /// How many of them the search proved won for either side.
    pub proven: usize,
    /// Mean number of legal moves in them.
    pub legal_moves: f64,
    /// Mean entropy of their policy targets, in nats.
    pub target_entropy: f64,
}

impl RuleSetStatistics {
    /// The statistics of `games`, with one entry for each of `rules` that has games, in the same order.
    pub fn count(rules: &[Arc<Rules>], games: &[ReplayedGame]) -> Vec<Self> {
        let sides: Vec<_> = games.par_iter().map(side_sums).collect();
        let of_set = |place: usize| games.iter().zip(&sides).filter(move |(game, _)| game.rules == place);
        let sets = rules.iter().enumerate().filter(|&(place, _)| of_set(place).next().is_some());
        sets.map(|(place, rules)| Self::sum(rules.name(), of_set(place))).collect()
    }

    fn sum<'a>(rules: &str, games: impl Iterator<Item = (&'a ReplayedGame, &'a [SideStatistics; 2])>) -> Self {
        let mut this = Self { rules: rules.to_owned(), ..Self::default() };
        let mut lengths = Vec::new();
        let mut special = SpecialStatistics::default();
        for (game, sides) in games {
            this.games += 1;
            this.results += game.result;
            *this.endings.entry(game.reason.to_string()).or_default() += game.result;
            match game.handicap.simulations {
                None => special.ordinary += game.result,
                Some(simulations) => {
                    special.uneven.simulations = simulations;
                    special.uneven.results += game.result;
                }
            }
            lengths.push(game.plies);
            for (sum, side) in [&mut this.attackers, &mut this.defenders].into_iter().zip(sides) {
                sum.captures += side.captures;
                sum.positions += side.positions;
                sum.proven += side.proven;
                sum.legal_moves += side.legal_moves;
                sum.target_entropy += side.target_entropy;
            }
        }
        for side in [&mut this.attackers, &mut this.defenders] {
            side.captures /= this.games.max(1) as f64;
            side.legal_moves /= side.positions.max(1) as f64;
            side.target_entropy /= side.positions.max(1) as f64;
        }
        this.plies = Lengths::of(lengths);
        this.special = (special.ordinary.games() < this.games).then_some(special);
        this
    }

    /// The results of ordinary self-play. They show how even the rule set is.
    pub fn ordinary(&self) -> Results {
        self.special.as_ref().map_or(self.results, |special| special.ordinary)
    }

    /// One side's statistics.
    pub fn side(&self, side: Side) -> &SideStatistics {
        match side {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }
}

/// The sums over a game by the side's index, before means are computed.
fn side_sums(game: &ReplayedGame) -> [SideStatistics; 2] {
    let mut sides = game.captures.map(|n| SideStatistics { captures: n as f64, ..SideStatistics::default() });
    for sample in &game.samples {
        let side = &mut sides[sample.side().index()];
        side.positions += 1;
        side.proven += usize::from(sample.search.value().abs() >= 1.0);
        side.legal_moves += sample.policy.len() as f64;
        side.target_entropy += entropy(sample.policy.iter().map(|&p| f64::from(p)));
    }
    sides
}

impl Lengths {
    /// The summary of some lengths, all zero if there are none.
    pub fn of(mut plies: Vec<usize>) -> Self {
        plies.sort_unstable();
        let Some(last) = plies.len().checked_sub(1) else { return Self::default() };
        let at = |share: f64| plies[(share * last as f64).round() as usize];
        Self {
            mean: plies.iter().sum::<usize>() as f64 / plies.len() as f64,
            shortest: plies[0],
            p10: at(0.1),
            median: at(0.5),
            p90: at(0.9),
            longest: plies[last],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lengths;

    #[test]
    fn lengths_are_summarised() {
        let lengths = Lengths::of((1..=101).rev().collect());
        assert_eq!((lengths.mean, lengths.shortest, lengths.longest), (51.0, 1, 101));
        assert_eq!((lengths.p10, lengths.median, lengths.p90), (11, 51, 91));
        assert_eq!(Lengths::of(Vec::new()), Lengths::default());
        assert_eq!(Lengths::of(vec![7]).p90, 7);
    }
}
