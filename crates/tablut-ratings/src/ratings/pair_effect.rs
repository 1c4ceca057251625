//! The effect of playing in pairs on a rating's variance.

use super::model::{Chances, Model, Pairing};

/// Independent pairs without draws that are added to the observed ones, so that a few equal pairs prove nothing.
const NOTIONAL_PAIRS: f64 = 4.0;
/// The information of a pair of games between equal players about a difference in strength, in natural-logarithm units:
/// ¼ per game.
const INFORMATION_OF_A_PAIR: f64 = 0.5;

/// The slope of the log-likelihood along a direction for one game, by result (attackers win, draw, defenders win).
struct GameSlope {
    slope: [f64; 3],
    variance: f64,
    /// The variance if no game were drawn, at the same mean score.
    without_draws: f64,
}

/// The factor by which the variance of `direction · parameters` is larger than with independent games, as estimated
/// from the pairs.
///
/// It is the ratio of the sandwich estimator (each pair is a cluster) to the model's own variance, mixed with
/// [`NOTIONAL_PAIRS`] of games without draws. Its weight is the number of pairs between equal players with the same
/// information, and at most the number of pairs. If one player won every game, or every game was drawn, the match
/// contains almost no information about a variance.
pub(super) fn pair_effect(model: &Model<'_>, best: &[f64], covariance: &[Vec<f64>], direction: &[f64]) -> f64 {
    let along: Vec<f64> = covariance.iter().map(|row| row.iter().zip(direction).map(|(c, d)| c * d).sum()).collect();
    let variance: f64 = along.iter().zip(direction).map(|(a, d)| a * d).sum();
    if variance <= 0.0 {
        return 1.0;
    }
    let (mut seen, mut independent, mut without_draws, mut n_pairs) = (0.0, 0.0, 0.0, 0.0);
    for pairing in model.pairings {
        let [first, second] = slopes(model, best, pairing, &along);
        for (as_attackers, row) in pairing.pairs.counts.iter().enumerate() {
            for (as_defenders, &n) in row.iter().enumerate() {
                // The result from the attackers' side is the opposite of the first player's half points as
                // defenders.
                let slope = first.slope[2 - as_attackers] + second.slope[as_defenders];
                seen += f64::from(n) * slope * slope;
            }
        }
        let n = f64::from(pairing.pairs.pairs());
        independent += n * (first.variance + second.variance);
        without_draws += n * (first.without_draws + second.without_draws);
        n_pairs += n;
    }
    let degrees = n_pairs - model.n_free() as f64 / 2.0;
    if independent <= 0.0 || degrees <= 0.0 {
        return 1.0;
    }
    let weight = (1.0 / (variance * INFORMATION_OF_A_PAIR)).min(n_pairs);
    let ratio = seen / independent * n_pairs / degrees;
    (weight * ratio + NOTIONAL_PAIRS * without_draws / independent) / (weight + NOTIONAL_PAIRS)
}

fn slopes(model: &Model<'_>, best: &[f64], pairing: &Pairing, along: &[f64]) -> [GameSlope; 2] {
    let n_players = along.len() - 2;
    model.directions(pairing).map(|d| {
        let Chances { p, by_strength, by_draw } = model.chances_of(best, &d);
        let strength = along[d.attackers] - along[d.defenders] + along[n_players];
        let draw = along[n_players + 1];
        let slope: [f64; 3] = std::array::from_fn(|o| by_strength[o] * strength + by_draw[o] * draw);
        let score = p[0] + p[1] / 2.0;
        let without_draws = score * (1.0 - score) * (slope[0] - slope[2]).powi(2);
        GameSlope { slope, variance: p.iter().zip(slope).map(|(p, s)| p * s * s).sum(), without_draws }
    })
}
