//! The formulas of the sequential test: the most likely distributions of pair scores, and the best bet on one.

use crate::score::Pentanomial;

/// Added to every count, so that scores that have not occurred stay possible: Jeffreys' prior for five kinds of pairs.
const PRIOR_COUNT: f64 = 0.5;
/// The largest share of the capital that a bet may lose.
const MAX_LOSS: f64 = 0.99;

/// The mean score of a pair with this many half points, 0 to 4.
pub fn pair_score(half_points: usize) -> f64 {
    half_points as f64 / 4.0
}

/// The most likely distribution over the pair scores 0, ¼, ½, ¾, 1 given `counts`, among those with the given `mean`.
/// The mean is strictly between 0 and 1, and all counts are positive.
///
/// By Lagrange's method it is `p_k = f_k / (1 + x (s_k − mean))`, with the observed shares `f` and `x` from
/// [`best_bet`].
pub fn likeliest_with_mean(counts: &[f64; 5], mean: f64) -> [f64; 5] {
    let total: f64 = counts.iter().sum();
    let x = best_bet(counts, mean);
    std::array::from_fn(|k| counts[k] / total / (1.0 + x * (pair_score(k) - mean)))
}

/// The `x` that maximises `Σ w_k ln(1 + x (s_k − mean))`. It is the bet against `mean` with the fastest growth of the
/// capital if the pair scores follow `weights`. All weights are positive.
///
/// The derivative `Σ w_k (s_k − mean) / (1 + x (s_k − mean))` falls from +∞ to −∞ over the interval of `x` in which no
/// outcome loses everything. Newton's method finds its root within brackets.
pub fn best_bet(weights: &[f64; 5], mean: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    let mut x = 0.0;
    for _ in 0..100 {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (k, weight) in weights.iter().enumerate() {
            let gain = (pair_score(k) - mean) / (1.0 + x * (pair_score(k) - mean));
            slope += weight * gain;
            curvature += weight * gain * gain;
        }
        if slope > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x + slope / curvature;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - x).abs() <= 1e-12 * (high - low).max(1.0) {
            return next;
        }
        x = next;
    }
    x
}

/// The bet against `refuted` if the mean score is believed to be `believed` and the pairs in `seen` are known.
///
/// It bets in the direction of `believed`, and it never risks more than 99 % of the capital.
pub fn likeliest_bet(seen: &Pentanomial, refuted: f64, believed: f64) -> f64 {
    let counts = seen.counts.map(|n| f64::from(n) + PRIOR_COUNT);
    let bet = best_bet(&likeliest_with_mean(&counts, believed), refuted);
    if believed > refuted { bet.clamp(0.0, MAX_LOSS / refuted) } else { bet.clamp(-MAX_LOSS / (1.0 - refuted), 0.0) }
}

#[cfg(test)]
mod tests {
    use super::{best_bet, likeliest_bet, likeliest_with_mean, pair_score};
    use crate::score::Pentanomial;

    #[test]
    fn constrained_distribution_has_its_mean_and_sums_to_one() {
        for mean in [1e-5, 0.1, 0.5, 0.7, 0.95, 1.0 - 1e-5] {
            for counts in [[3.0, 1.0, 7.0, 2.0, 9.0], [0.5, 0.5, 1e6, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 400.5]] {
                let p = likeliest_with_mean(&counts, mean);
                let sum: f64 = p.iter().sum();
                let got: f64 = p.iter().enumerate().map(|(k, p)| p * pair_score(k)).sum();
                assert!((sum - 1.0).abs() < 1e-6 && (got - mean).abs() < 1e-6, "{mean} {counts:?}: {sum} {got}");
            }
        }
    }

    #[test]
    fn no_other_bet_grows_faster() {
        let weights = [0.1, 0.05, 0.4, 0.15, 0.3];
        let growth =
            |x: f64| -> f64 { weights.iter().enumerate().map(|(k, w)| w * (x * (pair_score(k) - 0.5)).ln_1p()).sum() };
        let best = best_bet(&weights, 0.5);
        for x in [-1.9, 0.0, best - 0.01, best + 0.01, 1.9] {
            assert!(growth(x) < growth(best), "{x} against {best}");
        }
    }

    #[test]
    fn bets_lie_on_the_believed_side_and_never_stake_everything() {
        for counts in [[0; 5], [0, 0, 0, 0, 50], [50, 0, 0, 0, 0], [0, 0, 100_000, 0, 0]] {
            let seen = Pentanomial { counts };
            for (refuted, believed) in [(0.5, 0.61), (0.61, 0.5), (0.9, 0.9999), (0.0001, 0.9999)] {
                let bet = likeliest_bet(&seen, refuted, believed);
                assert!(bet * (believed - refuted) >= 0.0, "{counts:?} {refuted} {believed}: {bet}");
                for k in 0..5 {
                    assert!(1.0 + bet * (pair_score(k) - refuted) > 0.009, "{counts:?} {refuted} {believed}: {bet}");
                }
            }
        }
    }
}
