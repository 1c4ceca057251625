//! What a record says of a game besides its moves and its end: how it differed from ordinary self-play.

use serde::{Deserialize, Serialize};

/// How a game differed from ordinary self-play, in which the sides have equal searches and the one moves first that does
/// by the rules. Empty for an ordinary game.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameNotes {
    /// Simulations of a search of the attackers and of the defenders, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulations: Option<[u32; 2]>,
    /// The side moved first that does not by the rules.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_first: bool,
}

impl GameNotes {
    /// Whether both sides had equal searches. If not, the result says less about the position than about the players.
    pub fn has_equal_sides(&self) -> bool {
        self.simulations.is_none()
    }

    /// Whether the game was ordinary self-play. Only such games say how even a rule set is.
    pub fn is_ordinary(&self) -> bool {
        self.has_equal_sides() && !self.other_first
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_with_unequal_sides_or_another_first_side_are_not_ordinary() {
        assert!(GameNotes::default().is_ordinary());
        let unequal = GameNotes { simulations: Some([30, 2]), ..GameNotes::default() };
        assert!(!unequal.has_equal_sides() && !unequal.is_ordinary());
        let started = GameNotes { other_first: true, ..GameNotes::default() };
        assert!(started.has_equal_sides() && !started.is_ordinary());
    }
}
