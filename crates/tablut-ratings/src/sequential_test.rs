//! A sequential test on pairs of games, which ends as soon as the pairs say enough, and keeps its error rates exactly.
//!
//! **Method.** A sequential test decides between "at most `elo0` stronger" and "at least `elo1` stronger". Here each hypothesis
//! is tried by a gambler who starts with a capital of 1 and bets, before every pair, on what the earlier pairs
//! make likely under the other hypothesis. Against `elo0`, whose expected score is `m0`, a bet `λ ≥ 0` multiplies the
//! capital by `1 + λ (s − m0)`, `s` being the pair's mean score: a game that is not in the gambler's favour while the mean
//! is at most `m0`. So the capital is a non-negative supermartingale, and the chance that it *ever* reaches
//! `1/alpha` is at most `alpha` (Ville 1939), whatever the openings, the draws and the spread of pair scores (Waudby-Smith
//! and Ramdas, *Estimating means of bounded random variables by betting*, JRSS B 2024). The test says *stronger* there,
//! and *not stronger* once the mirrored capital against `elo1` reaches `1/beta`.
//!
//! The bet is the one with the highest expected logarithm under the likeliest distribution of the five pair scores with
//! the other hypothesis' mean. For hypotheses close to each other, the capital's logarithm is then the log-likelihood
//! ratio of the pentanomial GSPRT that Fishtest uses (Van den Bergh, *A practical introduction to the GSPRT*), which
//! is a little quicker but errs up to 6 % at bounds of 5 % in short matches: `experiments/ratings` compares the two.
//!
//! Elo here is the logistic one of [`crate::elo`]. Pairs count in their order.

use crate::elo::expected_score;
use crate::score::Pentanomial;
use bet::{likeliest_bet, pair_score};
use serde::{Deserialize, Serialize};

pub mod bet;

/// The largest difference that a test can be about.
const MAX_ELO: f64 = 2000.0;

/// What a sequential test decides between, and how often it may be wrong.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestBounds {
    /// The null hypothesis: the first player is at most this many Elo points stronger.
    pub elo0: f64,
    /// The alternative: it is at least this many Elo points stronger. Above `elo0`.
    pub elo1: f64,
    /// The largest chance of saying *stronger* while the difference is `elo0` or less.
    pub alpha: f64,
    /// The largest chance of saying *not stronger* while the difference is `elo1` or more.
    pub beta: f64,
}

impl Default for TestBounds {
    /// 0 against 20 Elo, 5 % error either way.
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 }
    }
}

/// Why a text is no [`TestBounds`], or why the bounds make no test.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum TestBoundsError {
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
    /// An Elo difference is beyond any scale.
    #[error("{name} is {value}, expected a number from -{MAX_ELO} to {MAX_ELO}")]
    Range {
        /// `elo0` or `elo1`.
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
        let unreadable = || TestBoundsError::Text { text: text.to_owned() };
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
    /// Refuses bounds that make no test.
    pub fn check(&self) -> Result<(), TestBoundsError> {
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&value) {
                return Err(TestBoundsError::Range { name, value });
            }
        }
        if self.elo1 <= self.elo0 {
            return Err(TestBoundsError::Order { elo0: self.elo0, elo1: self.elo1 });
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(TestBoundsError::Chance { name, value });
            }
        }
        Ok(())
    }
}

/// What a sequential test says so far.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestVerdict {
    /// More games are needed.
    Undecided,
    /// The null hypothesis is rejected: more than `elo0` stronger.
    Stronger,
    /// The alternative is rejected: less than `elo1` stronger.
    NotStronger,
}

/// How far a sequential test is.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestState {
    /// Evidence against `elo0`: the natural logarithm of the capital won by betting against it. *Stronger* at
    /// `stronger_at`.
    pub stronger: f64,
    /// Evidence against `elo1`. *Not stronger* at `not_stronger_at`.
    pub not_stronger: f64,
    /// `ln(1/alpha)`.
    pub stronger_at: f64,
    /// `ln(1/beta)`.
    pub not_stronger_at: f64,
    /// What follows.
    pub verdict: TestVerdict,
}

/// A sequential test under way.
#[derive(Clone, Debug)]
pub struct SequentialTest {
    bounds: TestBounds,
    seen: Pentanomial,
    stronger: f64,
    not_stronger: f64,
    verdict: TestVerdict,
}

impl SequentialTest {
    /// A test that has seen nothing.
    pub fn new(bounds: TestBounds) -> Self {
        let seen = Pentanomial::default();
        Self { bounds, seen, stronger: 0.0, not_stronger: 0.0, verdict: TestVerdict::Undecided }
    }

    /// What the test decides between.
    pub fn bounds(&self) -> TestBounds {
        self.bounds
    }

    /// Counts the next pair, in which the first player made `half_points` of 4. A verdict, once given, stands.
    ///
    /// # Panics
    /// If there are more than four half points.
    pub fn record(&mut self, half_points: usize) {
        if self.verdict == TestVerdict::Undecided {
            let (m0, m1) = (expected_score(self.bounds.elo0), expected_score(self.bounds.elo1));
            let score = pair_score(half_points);
            // The bets are made on what was seen before this pair.
            self.stronger += (likeliest_bet(&self.seen, m0, m1) * (score - m0)).ln_1p();
            self.not_stronger += (likeliest_bet(&self.seen, m1, m0) * (score - m1)).ln_1p();
            self.verdict = self.judge();
        }
        self.seen.counts[half_points] += 1;
    }

    fn judge(&self) -> TestVerdict {
        // A score between the hypotheses speaks against both. Whichever is further over its limit has been refuted.
        let over = [self.stronger + self.bounds.alpha.ln(), self.not_stronger + self.bounds.beta.ln()];
        match (over[0] >= 0.0, over[1] >= 0.0) {
            (false, false) => TestVerdict::Undecided,
            (true, true) if over[1] > over[0] => TestVerdict::NotStronger,
            (true, _) => TestVerdict::Stronger,
            (false, true) => TestVerdict::NotStronger,
        }
    }

    /// Where the test stands.
    pub fn state(&self) -> TestState {
        TestState {
            stronger: self.stronger,
            not_stronger: self.not_stronger,
            stronger_at: -self.bounds.alpha.ln(),
            not_stronger_at: -self.bounds.beta.ln(),
            verdict: self.verdict,
        }
    }
}

#[cfg(test)]
mod tests;
