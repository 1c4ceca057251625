//! Scores: from the side to move's view, in hundredths of a defender; a win in `n` plies is `WIN - n`.

/// The score of a game that is won on the spot.
pub(super) const WIN: i32 = 30_000;
/// Scores beyond this are proven wins.
pub(super) const WIN_BOUND: i32 = WIN - 1_000;
/// Above any score.
pub(super) const INFINITE: i32 = WIN + 1;
