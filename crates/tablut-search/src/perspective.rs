//! Converts between absolute values and the view of a side. No other code does this.

use tablut_rules::Side;

/// Converts an absolute value (+1 attackers win, −1 defenders win) to the view of `side` (+1 `side` wins), and back.
/// The conversion is its own inverse.
///
/// ```
/// use tablut_rules::Side;
/// use tablut_search::turned;
/// assert_eq!(turned(0.25, Side::Attackers), 0.25);
/// assert_eq!(turned(0.25, Side::Defenders), -0.25);
/// ```
#[inline]
pub fn turned(value: f32, side: Side) -> f32 {
    match side {
        Side::Attackers => value,
        Side::Defenders => -value,
    }
}

/// The absolute value of a finished game: +1 if the attackers won, −1 if the defenders won, 0 for a draw.
#[inline]
pub fn value_of(winner: Option<Side>) -> f32 {
    winner.map_or(0.0, |side| turned(1.0, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_worth_one_to_the_winner_and_minus_one_to_the_loser() {
        for side in [Side::Attackers, Side::Defenders] {
            assert_eq!(turned(value_of(Some(side)), side), 1.0);
            assert_eq!(turned(value_of(Some(side)), side.opponent()), -1.0);
            assert_eq!(turned(value_of(None), side), 0.0);
        }
    }
}
