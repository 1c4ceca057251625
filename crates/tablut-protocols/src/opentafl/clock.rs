//! OpenTafl's clock: the remaining time, and how much of it a move may use.

use crate::clock::{MOVES_TO_COME, SAFE, time_to_use};
use std::time::Duration;
use tablut_rules::Side;

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) struct Clock {
    /// By [`Side::index`].
    sides: [SideClock; 2],
    overtime: Duration,
}

#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
struct SideClock {
    /// Main time, or the rest of the current overtime period.
    left: Duration,
    in_overtime: bool,
    overtimes: u32,
}

impl Clock {
    /// Reads a line such as `300000 12000* 30 3 2`: milliseconds of attackers and defenders, with `*` in overtime;
    /// seconds of an overtime period; remaining periods of each.
    pub(super) fn read(words: &[&str]) -> Result<Self, String> {
        let wrong = || {
            let found: String = words.join(" ").chars().take(60).collect();
            format!(
                "clock {found}: expected `clock ATTACKER-MILLIS[*] DEFENDER-MILLIS[*] OVERTIME-SECONDS OVERTIMES OVERTIMES`"
            )
        };
        let &[attackers, defenders, seconds, attacker_periods, defender_periods] = words else { return Err(wrong()) };
        // A negative time counts as zero.
        let number = |text: &str| text.parse::<i64>().ok().map(|n| n.max(0).unsigned_abs());
        let side = |text: &str, periods: &str| {
            let millis = text.strip_suffix('*').unwrap_or(text);
            Some(SideClock {
                left: Duration::from_millis(number(millis)?),
                in_overtime: text.ends_with('*'),
                overtimes: u32::try_from(number(periods)?).ok()?,
            })
        };
        let read = || {
            let mut sides = [SideClock::default(); 2];
            sides[Side::Attackers.index()] = side(attackers, attacker_periods)?;
            sides[Side::Defenders.index()] = side(defenders, defender_periods)?;
            Some(Self { sides, overtime: Duration::from_secs(number(seconds)?) })
        };
        read().ok_or_else(wrong)
    }

    /// The time for a move of `side`: a thirtieth of the main time or the length of an overtime period, whichever is
    /// longer. An overtime period is renewed with each move.
    pub(super) fn share(&self, side: Side) -> Duration {
        let clock = &self.sides[side.index()];
        let period = if clock.overtimes > 0 { self.overtime } else { Duration::ZERO };
        let planned =
            if clock.in_overtime { clock.left } else { (clock.left / MOVES_TO_COME).max(period.mul_f64(SAFE)) };
        time_to_use(planned, clock.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(line: &str) -> [u128; 2] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let clock = Clock::read(&words).unwrap();
        [Side::Attackers, Side::Defenders].map(|side| clock.share(side).as_millis())
    }

    #[test]
    fn a_move_takes_its_share_and_never_all() {
        assert_eq!(shares("300000 60000 0 0 0"), [9900, 1900]);
        // Periods of ten seconds are renewed with each move, as long as one is left.
        assert_eq!(shares("60000 60000 10 3 0"), [8900, 1900]);
        assert_eq!(shares("60000 7000* 10 3 1"), [8900, 6200]);
        // Main time may be shorter than a period.
        assert_eq!(shares("1000 0 10 3 0"), [800, 1]);
        assert_eq!(shares("-5* 100* 0 0 0"), [1, 45]);
    }

    #[test]
    fn anything_else_is_refused() {
        for line in ["", "1 2 3 4", "1 2 3 4 5 6", "x 2 3 4 5", "1 2 3 4 99999999999999", "1** 2 3 4 5"] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(Clock::read(&words).unwrap_err().contains("expected `clock"), "{line}");
        }
    }
}
