//! What playing in pairs does to a rating's variance.

use super::model::{Chances, Model};
use super::pairing::Pairing;

/// Pairs of independent games that are mixed into those observed, so that a handful of like pairs claims nothing.
const NOTIONAL_PAIRS: f64 = 4.0;
/// What a pair of games between equals tells about a difference in strength, in natural-logarithm units: ¼ each.
const INFORMATION_OF_A_PAIR: f64 = 0.5;

/// Compares the variance that pairs of games show with the one that independent games would have.
pub(super) struct PairEffect<'a> {
    model: &'a Model<'a>,
    best: &'a [f64],
    covariance: &'a [Vec<f64>],
}

/// The slope of the log-likelihood along a direction, for one game: by result (attackers win, draw, defenders win).
struct GameSlope {
    slope: [f64; 3],
    variance: f64,
}

impl<'a> PairEffect<'a> {
    pub(super) fn new(model: &'a Model<'a>, best: &'a [f64], covariance: &'a [Vec<f64>]) -> Self {
        Self { model, best, covariance }
    }

    /// The factor by which the variance of `direction · parameters` is larger than with independent games, as far as the
    /// pairs show it.
    ///
    /// The ratio of the sandwich estimator (each pair a cluster) to the model's own variance, mixed with
    /// [`NOTIONAL_PAIRS`] of ratio one. It weighs as much as the pairs between equals that would tell as much:
    /// matches in which every game was won tell next to nothing about a variance.
    pub(super) fn of(&self, direction: &[f64]) -> f64 {
        let along: Vec<f64> =
            self.covariance.iter().map(|row| row.iter().zip(direction).map(|(c, d)| c * d).sum()).collect();
        let variance: f64 = along.iter().zip(direction).map(|(a, d)| a * d).sum();
        if variance <= 0.0 {
            return 1.0;
        }
        let (mut seen, mut independent, mut n_pairs) = (0.0, 0.0, 0.0);
        for pairing in self.model.pairings {
            let [first, second] = self.slopes(pairing, &along);
            for (as_attackers, row) in pairing.pairs.counts.iter().enumerate() {
                for (as_defenders, &n) in row.iter().enumerate() {
                    // The first player's half points with the defenders are the result from the attackers' side, turned.
                    let slope = first.slope[2 - as_attackers] + second.slope[as_defenders];
                    seen += f64::from(n) * slope * slope;
                }
            }
            let n = f64::from(pairing.pairs.pairs());
            independent += n * (first.variance + second.variance);
            n_pairs += n;
        }
        let degrees = n_pairs - self.model.n_free() as f64 / 2.0;
        if independent <= 0.0 || degrees <= 0.0 {
            return 1.0;
        }
        let weight = 1.0 / (variance * INFORMATION_OF_A_PAIR);
        let ratio = seen / independent * n_pairs / degrees;
        (weight * ratio + NOTIONAL_PAIRS) / (weight + NOTIONAL_PAIRS)
    }

    fn slopes(&self, pairing: &Pairing, along: &[f64]) -> [GameSlope; 2] {
        let n_players = along.len() - 2;
        self.model.directions(pairing).map(|d| {
            let Chances { p, by_strength, by_draw } = self.model.chances_of(self.best, &d);
            let strength = along[d.attackers] - along[d.defenders] + along[n_players];
            let draw = along[n_players + 1];
            let slope: [f64; 3] = std::array::from_fn(|o| by_strength[o] * strength + by_draw[o] * draw);
            GameSlope { slope, variance: p.iter().zip(slope).map(|(p, s)| p * s * s).sum() }
        })
    }
}
