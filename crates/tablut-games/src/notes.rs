//! What a record says of a game besides its moves and its end: how it differed from ordinary self-play.

use serde::{Deserialize, Serialize};

/// How a game differed from ordinary self-play, in which the sides have equal searches. Empty for an ordinary game.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameNotes {
    /// Simulations of a search of the attackers and of the defenders, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulations: Option<[u32; 2]>,
}

impl GameNotes {
    /// Whether both sides had equal searches. If not, the result says less about the position than about the players.
    pub fn has_equal_sides(&self) -> bool {
        self.simulations.is_none()
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
