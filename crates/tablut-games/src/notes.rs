//! What a record says of a game besides its moves and its end: how it differed from ordinary self-play.

use serde::{Deserialize, Serialize};

/// How a game differed from ordinary self-play, in which one net plays both sides with equal searches, from the start
/// position of the rules. Empty for an ordinary game.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameNotes {
    /// Simulations of a search of the attackers and of the defenders, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulations: Option<[u32; 2]>,
    /// The generation whose games the start position is from. The game has no history before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_from: Option<u64>,
    /// The side moved first that does not by the rules.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_first: bool,
    /// Where search and result corrected the net most, if that was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
}

/// How far the net's own value of a position was from what search and result said.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// Plies played before the position.
    pub ply: u32,
    /// The distance of the net's value from the mean of the search's value and the game's result, in thousandths: 0 to
    /// 2000.
    pub thousandths: u16,
}

impl GameNotes {
    /// Whether both sides had equal searches. If not, the result says less about the position than about the players.
    pub fn has_equal_sides(&self) -> bool {
        self.simulations.is_none()
    }

    /// Whether the game was ordinary self-play. Only such games say how even a rule set is.
    pub fn is_ordinary(&self) -> bool {
        self.has_equal_sides() && self.start_from.is_none() && !self.other_first
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Correction {
    /// The correction of a position that the net gave the value `net`, the search `search` and the game `outcome`, all
    /// absolute.
    pub fn of(ply: u32, net: f32, search: f32, outcome: f32) -> Self {
        let distance = (net - f32::midpoint(search, outcome)).abs();
        Self { ply, thousandths: (1000.0 * distance).round().clamp(0.0, 2000.0) as u16 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_is_the_distance_to_search_and_result_together() {
        assert_eq!(Correction::of(7, 0.5, 0.0, -1.0), Correction { ply: 7, thousandths: 1000 });
        assert_eq!(Correction::of(0, -1.0, 1.0, 1.0).thousandths, 2000);
        assert_eq!(Correction::of(0, 0.25, 0.5, 0.0).thousandths, 0);
        assert_eq!(Correction::of(0, f32::NAN, 0.5, 0.0).thousandths, 0);
    }

    #[test]
    fn games_with_unequal_sides_or_another_start_are_not_ordinary() {
        let correction = Some(Correction { ply: 1, thousandths: 9 });
        assert!(GameNotes { correction, ..GameNotes::default() }.is_ordinary());
        let unequal = GameNotes { simulations: Some([30, 2]), ..GameNotes::default() };
        assert!(!unequal.has_equal_sides() && !unequal.is_ordinary());
        let started = [
            GameNotes { start_from: Some(3), ..GameNotes::default() },
            GameNotes { other_first: true, ..GameNotes::default() },
        ];
        assert!(started.iter().all(|notes| notes.has_equal_sides() && !notes.is_ordinary()));
    }
}
