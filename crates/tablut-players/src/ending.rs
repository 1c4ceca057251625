//! How a game between players ended: by the rules, or because one of them could not continue.

use tablut_rules::{Outcome, Side};

/// Why a game ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Ending {
    /// By the rules.
    Rules(Outcome),
    /// A player made an illegal move, was too slow, left, or sent something that is not a move. The other player wins.
    Forfeit {
        /// The player that lost.
        loser: Side,
        /// The reason, in words.
        reason: String,
    },
}

impl Ending {
    /// The winner, or `None` for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::Rules(outcome) => outcome.winner,
            Self::Forfeit { loser, .. } => Some(loser.opponent()),
        }
    }

    /// The reason as one word: the rules' reason, such as `king-escaped`, or `forfeit`.
    pub fn keyword(&self) -> String {
        match self {
            Self::Rules(outcome) => outcome.reason.to_string(),
            Self::Forfeit { .. } => "forfeit".to_owned(),
        }
    }
}
