//! How much of the time on a clock one move may use.

use std::time::Duration;

/// The assumed number of moves until the end of the game.
pub(crate) const MOVES_TO_COME: u32 = 30;
/// The share of a time that a move may use. The rest is for communication and for delays on a busy machine.
pub(crate) const SAFE: f64 = 0.9;
/// The time that is never used, unless no other is left.
const MARGIN: Duration = Duration::from_millis(100);

/// The time that a move may use if `planned` is planned for it and `left` is left on the clock.
pub(crate) fn time_to_use(planned: Duration, left: Duration) -> Duration {
    let planned = planned.min(left.mul_f64(SAFE));
    planned.saturating_sub(MARGIN).max(planned / 2).clamp(Duration::from_millis(1), Duration::from_hours(1))
}
