//! The sequential probability ratio test on pairs of games.
//!
//! **Method.** The generalised SPRT on the pentanomial counts, as Fishtest uses it: the log-likelihood ratio between
//! the best distribution of pair scores whose mean is the expected score at `elo1` and the best one whose mean
//! is that at `elo0` (Van den Bergh, *Comments on normalized Elo* and *A practical introduction to the GSPRT*).
//! Elo here is the logistic one of [`crate::elo`]. The test stops at Wald's bounds.

use crate::elo::expected_score;
use crate::score::Pentanomial;
use serde::{Deserialize, Serialize};

/// Added to every count, so that scores not yet seen stay possible. Fishtest adds a thousandth; more is
/// kept here because matches of a tablut run are short, and a test must not stop on its first few pairs.
const PRIOR_COUNT: f64 = 0.2;

/// What an SPRT decides between, and how often it may be wrong.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtBounds {
    /// The null hypothesis: the first player is at most this many Elo points stronger.
    pub elo0: f64,
    /// The alternative: it is at least this many Elo points stronger. Above `elo0`.
    pub elo1: f64,
    /// The chance of accepting the alternative when the difference is `elo0`.
    pub alpha: f64,
    /// The chance of accepting the null hypothesis when the difference is `elo1`.
    pub beta: f64,
}

impl Default for SprtBounds {
    /// 0 against 20 Elo, 5 % error either way.
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 }
    }
}

/// Why a text is no [`SprtBounds`], or why the bounds make no test.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum SprtError {
    /// The upper hypothesis is not above the lower.
    #[error("elo1 ({elo1}) must be above elo0 ({elo0})")]
    Order {
        /// The lower hypothesis.
        elo0: f64,
        /// The upper hypothesis.
        elo1: f64,
    },
    /// An error rate is not between 0 and ½.
    #[error("{name} is {value}, expected a chance between 0 and 0.5")]
    Chance {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// The text has not two or four numbers.
    #[error("cannot read {text:?} as the bounds of a sequential test, expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA")]
    Text {
        /// What was given.
        text: String,
    },
}

impl std::str::FromStr for SprtBounds {
    type Err = SprtError;

    /// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
    ///
    /// ```
    /// let bounds: tablut_arena::SprtBounds = "0,30".parse()?;
    /// assert_eq!((bounds.elo1, bounds.alpha), (30.0, 0.05));
    /// # Ok::<(), tablut_arena::SprtError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, SprtError> {
        let unreadable = || SprtError::Text { text: text.to_owned() };
        let numbers: Vec<f64> =
            text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().map_err(|_| unreadable())?;
        let bounds = match numbers[..] {
            [elo0, elo1] => Self { elo0, elo1, ..Self::default() },
            [elo0, elo1, alpha, beta] => Self { elo0, elo1, alpha, beta },
            _ => return Err(unreadable()),
        };
        bounds.check()?;
        Ok(bounds)
    }
}

impl SprtBounds {
    /// Refuses bounds that make no test.
    pub fn check(&self) -> Result<(), SprtError> {
        if !self.elo0.is_finite() || !self.elo1.is_finite() || self.elo1 <= self.elo0 {
            return Err(SprtError::Order { elo0: self.elo0, elo1: self.elo1 });
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Chance { name, value });
            }
        }
        Ok(())
    }

    /// Where the test stands after `pairs`.
    pub fn judge(&self, pairs: &Pentanomial) -> SprtState {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let llr = if pairs.pairs() == 0 { 0.0 } else { log_likelihood_ratio(pairs, self.elo0, self.elo1) };
        let verdict = if llr >= upper {
            Verdict::Stronger
        } else if llr <= lower {
            Verdict::NotStronger
        } else {
            Verdict::Undecided
        };
        SprtState { llr, lower, upper, verdict }
    }
}

/// What an SPRT says so far.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// More games are needed.
    Undecided,
    /// The alternative is accepted: stronger by `elo1`, rather than `elo0`.
    Stronger,
    /// The null hypothesis is accepted.
    NotStronger,
}

/// An SPRT's log-likelihood ratio and the bounds that it is held against.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtState {
    /// The log-likelihood ratio; positive speaks for the alternative.
    pub llr: f64,
    /// At or under this the null hypothesis is accepted.
    pub lower: f64,
    /// At or over this the alternative is accepted.
    pub upper: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// The generalised log-likelihood ratio of `elo1` over `elo0`.
fn log_likelihood_ratio(pairs: &Pentanomial, elo0: f64, elo1: f64) -> f64 {
    let counts = pairs.counts.map(|n| f64::from(n) + PRIOR_COUNT);
    let p0 = most_likely_with_mean(&counts, expected_score(elo0));
    let p1 = most_likely_with_mean(&counts, expected_score(elo1));
    // The prior counts shape the distributions and are no evidence themselves.
    pairs.counts.iter().zip(p0.iter().zip(&p1)).map(|(&n, (p0, p1))| f64::from(n) * (p1 / p0).ln()).sum()
}

/// The distribution over pair scores 0, ¼, ½, ¾, 1 that makes `counts` likeliest among those with the given `mean`.
///
/// By Lagrange's method it is `p_k = f_k / (1 + x (s_k − mean))`, with `f` the observed shares and `x` the one root of
/// `Σ f_k (s_k − mean) / (1 + x (s_k − mean)) = 0` that leaves all `p_k` positive; that sum falls in `x`.
fn most_likely_with_mean(counts: &[f64; 5], mean: f64) -> [f64; 5] {
    let total: f64 = counts.iter().sum();
    let deviation = |k: usize| k as f64 / 4.0 - mean;
    let slope = |x: f64| -> f64 { (0..5).map(|k| counts[k] * deviation(k) / (1.0 + x * deviation(k))).sum() };
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    std::array::from_fn(|k| counts[k] / total / (1.0 + x * deviation(k)))
}

#[cfg(test)]
mod tests {
    use super::{SprtBounds, SprtError, Verdict, most_likely_with_mean};
    use crate::elo::expected_score;
    use crate::score::Pentanomial;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn constrained_distribution_has_its_mean_and_sums_to_one() {
        for mean in [0.1, 0.5, 0.7, 0.95] {
            let p = most_likely_with_mean(&[3.0, 1.0, 7.0, 2.0, 9.0], mean);
            let sum: f64 = p.iter().sum();
            let got: f64 = p.iter().enumerate().map(|(k, p)| p * k as f64 / 4.0).sum();
            assert!((sum - 1.0).abs() < 1e-9 && (got - mean).abs() < 1e-9, "{mean}: {sum} {got}");
        }
    }

    #[test]
    fn bad_bounds_are_refused_by_name() {
        assert!(matches!("20,0".parse::<SprtBounds>(), Err(SprtError::Order { .. })));
        assert!(matches!("0,20,0.7,0.05".parse::<SprtBounds>(), Err(SprtError::Chance { name: "alpha", .. })));
        let error = "0;20".parse::<SprtBounds>().unwrap_err();
        assert!(error.to_string().contains("\"0;20\""), "{error}");
    }

    /// Plays pairs between players `elo` apart until the test stops, at most 20,000.
    fn verdict(bounds: &SprtBounds, elo: f64, opening_elo: f64, rng: &mut ChaCha8Rng) -> (Verdict, u32) {
        let mut pairs = Pentanomial::default();
        for n in 1..=20_000 {
            // An opening favours one side by its own Elo, which the exchange of sides turns round.
            let tilt = if rng.random::<bool>() { opening_elo } else { -opening_elo };
            let mut points = 0;
            for favour in [tilt, -tilt] {
                points += 2 * usize::from(rng.random::<f64>() < expected_score(elo + favour));
            }
            pairs.counts[points] += 1;
            let state = bounds.judge(&pairs);
            if state.verdict != Verdict::Undecided {
                return (state.verdict, n);
            }
        }
        (Verdict::Undecided, 20_000)
    }

    #[test]
    fn error_rates_keep_the_stated_bounds() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let bounds = SprtBounds { elo0: 0.0, elo1: 80.0, alpha: 0.05, beta: 0.05 };
        for opening_elo in [0.0, 300.0] {
            for (elo, wrong) in [(0.0, Verdict::Stronger), (80.0, Verdict::NotStronger)] {
                let runs = 1000;
                let (mut errors, mut length) = (0, 0);
                for _ in 0..runs {
                    // The tilt lowers the mean score a little; aim at the score that the hypothesis names.
                    let (verdict, n) = verdict(&bounds, truth(elo, opening_elo), opening_elo, &mut rng);
                    errors += i32::from(verdict == wrong);
                    length += n;
                }
                let rate = f64::from(errors) / f64::from(runs);
                println!("tilt {opening_elo}, elo {elo}: {rate}, {} pairs", length / runs as u32);
                // Two standard errors of a simulation with 1,000 runs are 1.4 points.
                assert!(rate <= 0.064, "tilt {opening_elo}, elo {elo}: {rate}");
            }
        }
    }

    /// The strength difference whose mean score over a tilted pair is that of `elo` untilted.
    fn truth(elo: f64, tilt: f64) -> f64 {
        let (mut low, mut high) = (0.0, 2000.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            let score = f64::midpoint(expected_score(middle + tilt), expected_score(middle - tilt));
            if score < expected_score(elo) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}
