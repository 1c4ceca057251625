//! How a game ends in a session: by the rules, or because a player resigns.

use serde::Serialize;
use tablut_rules::Side;

/// How a game has ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct GameEnding {
    /// The winner; none for a draw.
    pub winner: Option<Side>,
    /// Why: what the rules say, or `resigned`.
    pub reason: &'static str,
}
