//! The clock of a game between two people with a seat each. The host passes the time in.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tablut_rules::Side;

/// The longest time of a side, in seconds.
const MAX_SECONDS: u32 = 3 * 60 * 60;
/// The longest increment, in seconds.
const MAX_INCREMENT: u32 = 180;

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct TimeControl {
    pub seconds: u32,
    pub increment: u32,
}

/// A clock. It runs from the first move on, if both people have taken their seats.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    control: TimeControl,
    /// Milliseconds that the attackers had left after their last move.
    attackers: u64,
    /// Milliseconds that the defenders had left after their last move.
    defenders: u64,
    /// When the running time began, in milliseconds since 1970. `None` while no time runs.
    since: Option<u64>,
    lost: Option<Side>,
    /// The present time, in milliseconds since 1970.
    #[serde(skip)]
    now: u64,
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ClockView {
    /// The time that each side has at the beginning and gets with each move.
    pub control: TimeControl,
    /// Milliseconds that the attackers have left.
    pub attackers: u64,
    /// Milliseconds that the defenders have left.
    pub defenders: u64,
    pub running: Option<Side>,
}

impl Clock {
    pub fn new(control: TimeControl) -> Result<Self, String> {
        let TimeControl { seconds, increment } = control;
        if !(1..=MAX_SECONDS).contains(&seconds) || increment > MAX_INCREMENT {
            return Err(format!(
                "a clock of {seconds} + {increment} seconds, expected 1 to {MAX_SECONDS} + 0 to {MAX_INCREMENT}"
            ));
        }
        let milliseconds = 1000 * u64::from(seconds);
        Ok(Self { control, attackers: milliseconds, defenders: milliseconds, since: None, lost: None, now: 0 })
    }

    pub(crate) fn set_now(&mut self, now: Duration) {
        self.now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    }

    fn time_left(&mut self, side: Side) -> &mut u64 {
        match side {
            Side::Attackers => &mut self.attackers,
            Side::Defenders => &mut self.defenders,
        }
    }

    /// The time of the side to move begins to run, if no time runs yet.
    pub(crate) fn start(&mut self) {
        self.since.get_or_insert(self.now);
    }

    /// A side has moved: its time stops, and the other side's time runs. Before both people are there only they move.
    pub(crate) fn press(&mut self, mover: Side, are_there: bool) {
        let (used, gained) = match self.since {
            Some(since) => (self.now.saturating_sub(since), 1000 * u64::from(self.control.increment)),
            None => (0, 0),
        };
        let kept = self.time_left(mover);
        *kept = kept.saturating_sub(used).saturating_add(gained);
        self.since = are_there.then_some(self.now);
    }

    /// Moves are taken back: the time of `to_move` stops, and that of the new side to move runs.
    pub(crate) fn take_back(&mut self, to_move: Side) {
        let Some(since) = self.since else { return };
        let used = self.now.saturating_sub(since);
        let kept = self.time_left(to_move);
        *kept = kept.saturating_sub(used);
        self.since = Some(self.now);
    }

    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Whether the time of the side to move is up. That side has then lost.
    pub(crate) fn runs_out(&mut self, to_move: Side) -> bool {
        let used = self.since.map_or(0, |since| self.now.saturating_sub(since));
        let is_up = used >= *self.time_left(to_move);
        if is_up {
            *self.time_left(to_move) = 0;
            self.lost = Some(to_move);
        }
        is_up
    }

    pub(crate) fn has_lost(&self, side: Side) -> bool {
        self.lost == Some(side)
    }

    /// What interfaces show. `to_move` is `None` if the game is over.
    pub(crate) fn view(&self, to_move: Option<Side>) -> ClockView {
        let running = to_move.filter(|_| self.since.is_some());
        let used = |side| match self.since {
            Some(since) if running == Some(side) => self.now.saturating_sub(since),
            _ => 0,
        };
        ClockView {
            control: self.control,
            attackers: self.attackers.saturating_sub(used(Side::Attackers)),
            defenders: self.defenders.saturating_sub(used(Side::Defenders)),
            running,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock_at(clock: &mut Clock, seconds: u64) -> ClockView {
        clock.set_now(Duration::from_secs(1000 + seconds));
        clock.view(Some(Side::Attackers))
    }

    #[test]
    fn each_side_uses_its_own_time_and_gets_an_increment() {
        let mut clock = Clock::new(TimeControl { seconds: 60, increment: 2 }).unwrap();
        // Nothing runs before the first move.
        assert_eq!((clock_at(&mut clock, 50).attackers, clock_at(&mut clock, 50).running), (60_000, None));
        // Nothing runs either while the other person is missing.
        clock.press(Side::Attackers, false);
        assert_eq!(clock_at(&mut clock, 50).running, None);
        clock.press(Side::Attackers, true);
        clock_at(&mut clock, 60);
        clock.press(Side::Defenders, true);
        let view = clock_at(&mut clock, 75);
        assert_eq!((view.attackers, view.defenders, view.running), (45_000, 52_000, Some(Side::Attackers)));
        assert!(!clock.runs_out(Side::Attackers));
        clock_at(&mut clock, 120);
        assert!(clock.runs_out(Side::Attackers) && clock.has_lost(Side::Attackers));
        assert_eq!(clock.view(None).attackers, 0);
    }

    #[test]
    fn times_out_of_range_are_refused() {
        for (seconds, increment) in [(0, 5), (MAX_SECONDS + 1, 0), (60, MAX_INCREMENT + 1)] {
            assert!(Clock::new(TimeControl { seconds, increment }).is_err());
        }
    }
}
