//! Scores, in the side to move's view, in hundredths of a defender. A win in `n` plies is `WIN - n`.

/// The score of a game that is won at once.
pub(super) const WIN: i32 = 30_000;
/// Scores beyond this are proven wins.
pub(super) const WIN_BOUND: i32 = WIN - 1_000;
/// Above any score.
pub(super) const INFINITE: i32 = WIN + 1;
