//! A mean score and its 95 % interval, from single games or from pairs of games.
//!
//! **Method.** The interval is Wilson's score interval. It stays between 0 and 1 and does not shrink to a point if
//! every game was won. Wilson's formula assumes independent games without draws. But draws make the score vary less,
//! and the two games of a pair share an opening, so they are not independent. The *design effect* corrects both. It is
//! the ratio of two variances: the observed variance of the units (games or pairs), and the variance of independent
//! games without draws at the same score. The number of games in Wilson's formula is divided by it. Two notional units
//! with a design effect of one are added, so that a few equal units do not look certain. If every game was won or every
//! game was lost, no variance was observed, and the design effect is one.

use serde::{Deserialize, Serialize};

/// The two-sided 95 % point of the normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Units with a design effect of one that are added to the observed ones.
const NOTIONAL_UNITS: f64 = 2.0;

/// Wins, draws and losses of one player. A score knows only points: whatever gives half a point is a draw.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct Wdl {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl Wdl {
    /// The number of games.
    pub fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The same games from the other player's view.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The mean score with its interval. The games are treated as independent.
    pub fn estimate(self) -> ScoreEstimate {
        let counts = [self.losses, self.draws, self.wins];
        estimate(&counts, 1)
    }
}

impl std::ops::Add for Wdl {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }
}

/// The result of one game for a player, in half points.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum HalfPoints {
    /// No point.
    Loss = 0,
    /// Half a point.
    Draw = 1,
    /// One point.
    Win = 2,
}

/// How often a player scored 0, ½, 1, 1½ and 2 points in a pair of games from one opening with sides exchanged.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct Pentanomial {
    /// Pairs by half points: index 0 means both games lost, index 4 both won.
    pub counts: [u32; 5],
}

impl Pentanomial {
    /// The number of pairs.
    pub fn pairs(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The mean score with its interval. Each pair is one observation.
    pub fn estimate(&self) -> ScoreEstimate {
        estimate(&self.counts, 2)
    }
}

/// A mean score and its 95 % interval. All values lie between 0 and 1.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct ScoreEstimate {
    pub games: u32,
    /// The mean score, or ½ if there were no games.
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl ScoreEstimate {
    /// The estimate as an Elo difference: low, mean, high. It is infinite at a score of 0 or 1.
    pub fn elo(&self) -> (f64, f64, f64) {
        let elo = crate::elo::difference;
        (elo(self.low), elo(self.mean), elo(self.high))
    }
}

/// Estimates the mean from `counts[k]` units that scored `k` half points out of `2 * games_per_unit`.
fn estimate(counts: &[u32], games_per_unit: u32) -> ScoreEstimate {
    let units: f64 = counts.iter().map(|&n| f64::from(n)).sum();
    let games = units as u32 * games_per_unit;
    if games == 0 {
        return ScoreEstimate { games, mean: 0.5, low: 0.0, high: 1.0 };
    }
    let top = (counts.len() - 1) as f64;
    let moment = |f: &dyn Fn(f64) -> f64| -> f64 {
        counts.iter().enumerate().map(|(k, &n)| f64::from(n) * f(k as f64 / top)).sum()
    };
    let mean = moment(&|score| score) / units;
    let squares = moment(&|score| (score - mean).powi(2));
    let effect = design_effect(mean, squares, units, f64::from(games_per_unit));
    let (low, high) = wilson(mean, f64::from(games) / effect);
    ScoreEstimate { games, mean, low, high }
}

/// The observed variance of a unit's score divided by that of independent games without draws; see the module's
/// documentation.
fn design_effect(mean: f64, squares: f64, units: f64, games_per_unit: f64) -> f64 {
    let independent = mean * (1.0 - mean) / games_per_unit;
    if independent <= 0.0 {
        return 1.0;
    }
    (squares + NOTIONAL_UNITS * independent) / ((units - 1.0 + NOTIONAL_UNITS) * independent)
}

/// Wilson's interval (Wilson 1927) for a mean of `games` independent zeros and ones, at 95 %.
///
/// ```
/// let (low, high) = tablut_ratings::score::wilson(1.0, 200.0);
/// assert!((low - 0.9812).abs() < 1e-4 && high == 1.0);
/// ```
pub fn wilson(mean: f64, games: f64) -> (f64, f64) {
    let z2 = Z_95 * Z_95 / games;
    let centre = (mean + z2 / 2.0) / (1.0 + z2);
    let half = (mean * (1.0 - mean) * z2 + z2 * z2 / 4.0).sqrt() / (1.0 + z2);
    ((centre - half).clamp(0.0, mean), (centre + half).clamp(mean, 1.0))
}

#[cfg(test)]
mod tests {
    use super::{Pentanomial, Wdl, wilson};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn all_won_is_not_certainty() {
        let all = Wdl { wins: 20, draws: 0, losses: 0 }.estimate();
        assert_eq!((all.mean, all.high), (1.0, 1.0));
        assert!((all.low - 0.8389).abs() < 1e-3, "{all:?}");
        let none = Pentanomial { counts: [10, 0, 0, 0, 0] }.estimate();
        assert_eq!((none.mean, none.low), (0.0, 0.0));
        assert!((none.high - 0.1611).abs() < 1e-3, "{none:?}");
    }

    #[test]
    fn wins_and_losses_alone_give_wilson() {
        // Newcombe 1998, table I: 81 of 263 is 0.2553 to 0.3662.
        let (low, high) = wilson(81.0 / 263.0, 263.0);
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5, "{low} {high}");
        let estimate = Wdl { wins: 81, draws: 0, losses: 182 }.estimate();
        assert!((estimate.low - low).abs() < 1e-3 && (estimate.high - high).abs() < 1e-3);
    }

    #[test]
    fn no_games_say_nothing() {
        let nothing = Wdl::default().estimate();
        assert_eq!((nothing.low, nothing.mean, nothing.high), (0.0, 0.5, 1.0));
    }

    #[test]
    fn pairs_that_split_are_worth_more_than_single_games() {
        let estimate = Pentanomial { counts: [0, 0, 100, 0, 0] }.estimate();
        let single = Wdl { wins: 100, draws: 0, losses: 100 }.estimate();
        assert!(estimate.high - estimate.low < 0.3 * (single.high - single.low), "{estimate:?}");
        assert!(estimate.low < 0.4975 && estimate.high > 0.5025, "{estimate:?}");
    }

    /// The share of 4,000 simulated matches whose interval contains the true score.
    fn coverage(shares: [f64; 5], n_pairs: u32, rng: &mut ChaCha8Rng) -> f64 {
        let truth: f64 = shares.iter().enumerate().map(|(k, p)| p * k as f64 / 4.0).sum();
        let mut held = 0;
        for _ in 0..4000 {
            let mut pairs = Pentanomial::default();
            for _ in 0..n_pairs {
                let mut left: f64 = rng.random();
                let cell = shares
                    .iter()
                    .position(|p| {
                        left -= p;
                        left < 0.0
                    })
                    .unwrap_or(4);
                pairs.counts[cell] += 1;
            }
            let estimate = pairs.estimate();
            held += u32::from(estimate.low <= truth && truth <= estimate.high);
        }
        f64::from(held) / 4000.0
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let cases = [
            ([0.25, 0.0, 0.5, 0.0, 0.25], "even, no draws"),
            ([0.05, 0.1, 0.7, 0.1, 0.05], "even, one-sided openings"),
            ([0.5, 0.0, 0.0, 0.0, 0.5], "openings decide"),
            ([0.02, 0.08, 0.3, 0.2, 0.4], "stronger"),
            ([0.0, 0.0, 0.1, 0.1, 0.8], "much stronger"),
            ([0.0025, 0.0, 0.095, 0.0, 0.9025], "95 %"),
        ];
        for (shares, name) in cases {
            for n_pairs in [20, 100, 400] {
                let share = coverage(shares, n_pairs, &mut rng);
                println!("{name}, {n_pairs} pairs: {share}");
                assert!((0.92..=0.995).contains(&share), "{name}, {n_pairs} pairs: {share}");
            }
        }
    }
}
