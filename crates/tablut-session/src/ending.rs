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

/// The rules' reason as a word that does not change.
pub(crate) fn reason_name(reason: tablut_rules::Reason) -> &'static str {
    use tablut_rules::Reason;
    match reason {
        Reason::KingCaptured => "king-captured",
        Reason::KingEscaped => "king-escaped",
        Reason::NoMoves => "no-moves",
        Reason::Repetition => "repetition",
        Reason::Aggressor => "aggressor",
        Reason::NoCaptures => "no-captures",
        Reason::PlyLimit => "ply-limit",
        _ => "over",
    }
}
