//! Limits of a search, and the reasons why a search ended. This code does not read a clock.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The forms that [`Limit::from_str`] reads, for help texts and messages.
pub const LIMIT_FORMS: &str =
    "simulations such as 800, a time from 1ms to 24h such as 200ms, 2s or 5m, or both as 800/2s";

const LONGEST: Duration = Duration::from_hours(24);

/// A limit on simulations, on time, or on both. With both, the one that is reached first counts.
///
/// As text, also in TOML and JSON, it is the number of simulations, the time, or both with a slash between them.
///
/// ```
/// use std::time::Duration;
/// use tablut_search::Limit;
///
/// let limit: Limit = "800/2s".parse()?;
/// assert_eq!((limit.simulations(), limit.time()), (Some(800), Some(Duration::from_secs(2))));
/// assert_eq!("1.5s".parse::<Limit>()?.to_string(), "1500ms");
/// # Ok::<(), tablut_search::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    simulations: Option<u32>,
    time: Option<Duration>,
}

/// The input is not a valid [`Limit`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum LimitError {
    #[error("cannot read limit {text:?}: expected {LIMIT_FORMS}")]
    Text { text: String },
    #[error("the limit has neither simulations nor a time, expected {LIMIT_FORMS}")]
    Empty,
    #[error("the time is {found:?}, expected 1ms to 24h")]
    Time { found: Duration },
}

impl Limit {
    /// A limit of this many simulations per search. With 0 the policy chooses the move without a search.
    pub fn of_simulations(simulations: u32) -> Self {
        Self { simulations: Some(simulations), time: None }
    }

    /// A time limit, from 1 ms to 24 hours. Fractions of a millisecond are dropped.
    ///
    /// # Errors
    /// If the time is out of range.
    pub fn of_time(time: Duration) -> Result<Self, LimitError> {
        Self::new(None, Some(time))
    }

    /// A limit on simulations, time or both.
    ///
    /// # Errors
    /// If neither is given, or the time is not from 1 ms to 24 hours.
    pub fn new(simulations: Option<u32>, time: Option<Duration>) -> Result<Self, LimitError> {
        if simulations.is_none() && time.is_none() {
            return Err(LimitError::Empty);
        }
        if let Some(found) = time.filter(|time| *time < Duration::from_millis(1) || *time > LONGEST) {
            return Err(LimitError::Time { found });
        }
        let whole = |time: Duration| Duration::from_millis(time.as_millis() as u64);
        Ok(Self { simulations, time: time.map(whole) })
    }

    /// The limit on simulations.
    pub fn simulations(&self) -> Option<u32> {
        self.simulations
    }

    /// The limit on time.
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// Whether the limit has no time, so that the same seed always gives the same moves.
    pub fn is_reproducible(&self) -> bool {
        self.time.is_none()
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stop {
    /// It has spent all simulations.
    Simulations,
    /// The root's result is proven.
    Proven,
    /// No further simulation can change the move.
    Decided,
    /// The tree has reached its maximum number of nodes.
    Memory,
    /// [`crate::Search::stop`] was called.
    Asked,
    /// The game is over: there is nothing to search.
    GameOver,
}

/// A limit of this many simulations.
impl From<u32> for Limit {
    fn from(simulations: u32) -> Self {
        Self::of_simulations(simulations)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.map(|time| match time.as_millis() {
            ms if ms % 1000 == 0 => format!("{}s", ms / 1000),
            ms => format!("{ms}ms"),
        });
        match (self.simulations, time) {
            (Some(simulations), Some(time)) => f.pad(&format!("{simulations}/{time}")),
            (Some(simulations), None) => f.pad(&simulations.to_string()),
            (None, time) => f.pad(time.as_deref().unwrap_or_default()),
        }
    }
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let wrong = || LimitError::Text { text: text.to_owned() };
        let simulations = |part: &str| part.parse::<u32>().ok();
        let limit = match text.split_once('/') {
            Some((first, second)) => {
                Self::new(Some(simulations(first).ok_or_else(wrong)?), Some(time(second).ok_or_else(wrong)?))
            }
            None => match simulations(text) {
                Some(simulations) => Ok(Self::of_simulations(simulations)),
                None => Self::new(None, Some(time(text).ok_or_else(wrong)?)),
            },
        };
        // The message shows the text as the user typed it.
        limit.map_err(|_| wrong())
    }
}

fn time(text: &str) -> Option<Duration> {
    let (digits, secs_of_unit) = match (text.strip_suffix("ms"), text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(digits), _, _) => (digits, 0.001),
        (_, Some(digits), _) => (digits, 1.0),
        (_, _, Some(digits)) => (digits, 60.0),
        _ => (text.strip_suffix('h')?, 3600.0),
    };
    // Only digits and a point are accepted. `parse` would also accept `1e9`, `inf` or `+1`.
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let secs: f64 = digits.parse().ok().filter(|_| plain)?;
    // 0.29 s is 290 ms, although 0.29 · 1000 is slightly less in floating point.
    Some(Duration::from_millis((secs * secs_of_unit * 1000.0).round() as u64))
}

tablut_rules::serde_as_text!(Limit);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_back() {
        #[rustfmt::skip]
        let table = [
            ("800", "800"), ("0", "0"), ("200ms", "200ms"), ("2s", "2s"), ("2000ms", "2s"), ("0.29s", "290ms"),
            ("5m", "300s"), ("24h", "86400s"), ("800/2s", "800/2s"), ("1/1ms", "1/1ms"),
        ];
        for (text, canonical) in table {
            let limit: Limit = text.parse().expect(text);
            assert_eq!(limit.to_string(), canonical);
            assert_eq!(canonical.parse(), Ok(limit), "{text}");
            assert_eq!(toml::Value::try_from(limit).expect("a string").as_str(), Some(canonical));
        }
    }

    #[test]
    fn anything_else_is_refused_and_shown() {
        let odd = ["", "s", "ms", "0s", "0.2ms", "25h", "-1", "1.5", "2 s", "2s/800", "800/", "1e3s", "infs", "+2s"];
        for text in odd.into_iter().chain(["99999999999", "99999999999999999999s", "1..2s", "800/2s/3"]) {
            let error = text.parse::<Limit>().expect_err(text);
            assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
            assert!(error.to_string().contains("200ms"), "{error}");
        }
        assert_eq!(Limit::new(None, None), Err(LimitError::Empty));
        assert!(Limit::of_time(Duration::from_micros(999)).is_err());
    }
}
