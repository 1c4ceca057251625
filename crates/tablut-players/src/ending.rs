//! How a game between players ended: by the rules, or because one of them could not go on.

use tablut_rules::{Outcome, Side};

/// Why a game ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Ending {
    /// By the rules.
    Rules(Outcome),
    /// A player made an illegal move, was too slow, left, or sent something else than a move: the other one wins.
    Forfeit {
        /// The player that lost.
        loser: Side,
        /// What it did, in words.
        reason: String,
    },
}

impl Ending {
    /// The winner; none for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::Rules(outcome) => outcome.winner,
            Self::Forfeit { loser, .. } => Some(loser.opponent()),
        }
    }

    /// The reason in one word: that of the rules, such as `king-escaped`, or `forfeit`.
    pub fn keyword(&self) -> String {
        match self {
            Self::Rules(outcome) => outcome.reason.to_string(),
            Self::Forfeit { .. } => "forfeit".to_owned(),
        }
    }
}
