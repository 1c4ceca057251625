//! A sequential test on pairs of games. It stops as soon as it has enough evidence, and its error rates are guaranteed.
//!
//! **Method.** A sequential test decides between "at most `elo0` stronger" and "at least `elo1` stronger". Here a
//! gambler tests each hypothesis. The gambler starts with a capital of 1. Before every pair, the gambler bets on the
//! results that the earlier pairs make likely under the other hypothesis. Let `m0` be the expected score at `elo0`, and
//! `s` the pair's mean score. A bet `λ ≥ 0` against `elo0` multiplies the capital by `1 + λ (s − m0)`. As long as the
//! true mean is at most `m0`, this bet does not favour the gambler. So the capital is a non-negative supermartingale,
//! and the chance that it *ever* reaches `1/alpha` is at most `alpha` (Ville 1939). This holds for all openings, draws
//! and spreads of pair scores (Waudby-Smith and Ramdas, *Estimating means of bounded random variables by betting*, JRSS
//! B 2024). When the capital reaches `1/alpha`, the verdict is *stronger*. When the mirrored capital against `elo1`
//! reaches `1/beta`, it is *not stronger*.
//!
//! The bet has the highest expected logarithm under a certain distribution: the most likely distribution of the five
//! pair scores with the mean of the other hypothesis. If the hypotheses are close to each other, the logarithm of the
//! capital is the log-likelihood ratio of the pentanomial GSPRT that Fishtest uses (Van den Bergh, *A practical
//! introduction to the GSPRT*). That test is a little quicker, but in short matches its error rate is up to 6 % at
//! bounds of 5 %: `experiments/ratings` compares the two.
//!
//! Elo here is the logistic Elo of [`crate::elo`]. The order of the pairs matters.

use crate::elo::expected_score;
use crate::score::Pentanomial;
use bet::{likeliest_bet, pair_score};
use serde::{Deserialize, Serialize};

pub mod bet;

const MAX_ELO: f64 = 2000.0;

/// The hypotheses of a sequential test, and its allowed error rates.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestBounds {
    /// The null hypothesis: the first player is at most this many Elo points stronger.
    pub elo0: f64,
    /// The alternative: the first player is at least this many Elo points stronger. It must be above `elo0`.
    pub elo1: f64,
    /// The largest chance of the verdict *stronger* if the difference is `elo0` or less.
    pub alpha: f64,
    /// The largest chance of the verdict *not stronger* if the difference is `elo1` or more.
    pub beta: f64,
}

impl Default for TestBounds {
    /// 0 against 20 Elo, with an error rate of 5 % on both sides.
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 }
    }
}

/// The text is not a [`TestBounds`], or the bounds do not define a test.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{0}")]
pub struct TestBoundsError(String);

impl std::str::FromStr for TestBounds {
    type Err = TestBoundsError;

    /// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
    ///
    /// ```
    /// let bounds: tablut_ratings::TestBounds = "0,30".parse()?;
    /// assert_eq!((bounds.elo1, bounds.alpha), (30.0, 0.05));
    /// # Ok::<(), tablut_ratings::TestBoundsError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, TestBoundsError> {
        let unreadable = || {
            TestBoundsError(format!(
                "cannot read {text:?} as the bounds of a sequential test, expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA"
            ))
        };
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

impl TestBounds {
    /// Checks that the bounds define a test.
    ///
    /// # Errors
    /// If a value is out of range, or `elo1` is not above `elo0`.
    pub fn check(&self) -> Result<(), TestBoundsError> {
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&value) {
                let expected = format!("expected a number from -{MAX_ELO} to {MAX_ELO}");
                return Err(TestBoundsError(format!("{name} is {value}, {expected}")));
            }
        }
        if self.elo1 <= self.elo0 {
            let reason = format!("elo1 ({}) must be above elo0 ({})", self.elo1, self.elo0);
            return Err(TestBoundsError(reason));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(TestBoundsError(format!("{name} is {value}, expected a chance between 0 and 0.5")));
            }
        }
        Ok(())
    }
}

/// The verdict of a sequential test so far.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestVerdict {
    /// More games are needed.
    Undecided,
    /// The null hypothesis is rejected: the first player is more than `elo0` stronger.
    Stronger,
    /// The alternative is rejected: the first player is less than `elo1` stronger.
    NotStronger,
}

/// The state of a sequential test.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestState {
    /// Evidence against `elo0`: the natural logarithm of the capital from betting against it. The verdict is *stronger*
    /// at `stronger_at`.
    pub stronger: f64,
    /// Evidence against `elo1`. The verdict is *not stronger* at `not_stronger_at`.
    pub not_stronger: f64,
    /// `ln(1/alpha)`.
    pub stronger_at: f64,
    /// `ln(1/beta)`.
    pub not_stronger_at: f64,
    /// The verdict.
    pub verdict: TestVerdict,
}

/// A running sequential test.
#[derive(Clone, Debug)]
pub struct SequentialTest {
    bounds: TestBounds,
    seen: Pentanomial,
    state: TestState,
}

impl SequentialTest {
    /// A test without any pairs yet.
    pub fn new(bounds: TestBounds) -> Self {
        let (stronger_at, not_stronger_at) = (-bounds.alpha.ln(), -bounds.beta.ln());
        let verdict = TestVerdict::Undecided;
        let state = TestState { stronger: 0.0, not_stronger: 0.0, stronger_at, not_stronger_at, verdict };
        Self { bounds, seen: Pentanomial::default(), state }
    }

    /// The hypotheses and error rates.
    pub fn bounds(&self) -> TestBounds {
        self.bounds
    }

    /// Counts the next pair, in which the first player scored `half_points` of 4. A verdict is final.
    ///
    /// # Panics
    /// If there are more than four half points.
    pub fn record(&mut self, half_points: usize) {
        if self.state.verdict == TestVerdict::Undecided {
            let (m0, m1) = (expected_score(self.bounds.elo0), expected_score(self.bounds.elo1));
            let score = pair_score(half_points);
            // The bets use only the pairs before this one.
            self.state.stronger += (likeliest_bet(&self.seen, m0, m1) * (score - m0)).ln_1p();
            self.state.not_stronger += (likeliest_bet(&self.seen, m1, m0) * (score - m1)).ln_1p();
            self.state.verdict = self.judge();
        }
        self.seen.counts[half_points] += 1;
    }

    fn judge(&self) -> TestVerdict {
        // A score between the hypotheses is evidence against both. The one that exceeds its limit by more is rejected.
        let TestState { stronger, not_stronger, stronger_at, not_stronger_at, .. } = self.state;
        let over = [stronger - stronger_at, not_stronger - not_stronger_at];
        match (over[0] >= 0.0, over[1] >= 0.0) {
            (false, false) => TestVerdict::Undecided,
            (true, true) if over[1] > over[0] => TestVerdict::NotStronger,
            (true, _) => TestVerdict::Stronger,
            (false, true) => TestVerdict::NotStronger,
        }
    }

    /// The current state.
    pub fn state(&self) -> TestState {
        self.state
    }
}

#[cfg(test)]
mod tests;
