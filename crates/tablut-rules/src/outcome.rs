//! How and why a game ends.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::side::Side;

/// Why a game is over.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The attackers have captured the king.
    KingCaptured,
    /// The king has reached an escape square.
    KingEscaped,
    /// The attackers have encircled all defenders (clause CO8).
    Encirclement,
    /// The defenders have an exit fort (clause CO7).
    ExitFort,
    /// The side to move has no legal move and loses (clause C8).
    NoMoves,
    /// A position has occurred again, and under the rule set the game is a draw, or the mover or the defenders
    /// lose.
    Repetition,
    /// A position has occurred again, and the aggressor loses (clause KV9).
    Aggressor,
    /// Too many plies in a row without a capture (clause TA7).
    NoCaptures,
    /// The game has reached the ply limit (clause C10).
    PlyLimit,
    /// A player made an illegal move, was too slow, left, or sent something that is not a move. The other player wins. No
    /// rule ends a game so.
    Forfeit,
}

impl Reason {
    /// The reason's name in files and protocols. It never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::KingCaptured => "king-captured",
            Reason::KingEscaped => "king-escaped",
            Reason::Encirclement => "encirclement",
            Reason::ExitFort => "exit-fort",
            Reason::NoMoves => "no-moves",
            Reason::Repetition => "repetition",
            Reason::Aggressor => "aggressor",
            Reason::NoCaptures => "no-captures",
            Reason::PlyLimit => "ply-limit",
            Reason::Forfeit => "forfeit",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a game has ended.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game is over.
    pub reason: Reason,
}

impl Outcome {
    /// The end of a game that `loser` has forfeited.
    pub const fn forfeit(loser: Side) -> Self {
        Self { winner: Some(loser.opponent()), reason: Reason::Forfeit }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} win by {}", self.reason),
            None => write!(f, "draw by {}", self.reason),
        }
    }
}
