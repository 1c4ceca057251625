//! The value of a position that a search found: chances, or a proven result.

use serde::Serialize;
use tablut_rules::Side;
use tablut_search::{Chances, Proof};

/// A proven result.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Proven {
    /// The winner. `None` for a draw.
    pub winner: Option<Side>,
    /// Plies within which the winner can force the end.
    pub plies: u16,
    /// Whether it depends on the moves played so far (repetition or a limit) and not only on the position.
    pub from_history: bool,
}

impl From<Proof> for Proven {
    fn from(proof: Proof) -> Self {
        Self { winner: proof.winner, plies: proof.plies, from_history: proof.from_history }
    }
}

impl Proven {
    /// The result in words, as seen before a move of `to_move`: "the attackers win in 3".
    pub fn words(self, to_move: Side) -> String {
        match self.winner {
            None => "a draw is certain".to_owned(),
            Some(_) if self.plies == 0 => "the game is over".to_owned(),
            // The side to move makes the first and the last ply of its win.
            Some(winner) if winner == to_move => format!("the {winner} win in {}", self.plies.div_ceil(2)),
            Some(winner) => format!("the {winner} win in {}, whatever is played", (self.plies / 2).max(1)),
        }
    }
}

/// The value of a position that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NodeValue {
    /// The chances. They are certain if the result is proven.
    pub chances: Chances,
    /// The proven result.
    pub proven: Option<Proven>,
    /// Simulations of the search.
    pub simulations: u32,
}

impl NodeValue {
    /// The difference of the sides' chances, from −1 (the defenders win) to 1.
    pub fn value(&self) -> f32 {
        self.chances.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_count_the_winners_moves() {
        let proven = |winner, plies| Proven { winner, plies, from_history: false };
        let words = |winner, plies| proven(Some(winner), plies).words(Side::Attackers);
        assert_eq!(words(Side::Attackers, 1), "the attackers win in 1");
        assert_eq!(words(Side::Attackers, 5), "the attackers win in 3");
        assert_eq!(words(Side::Defenders, 2), "the defenders win in 1, whatever is played");
        assert_eq!(words(Side::Defenders, 6), "the defenders win in 3, whatever is played");
        assert_eq!(proven(None, 4).words(Side::Attackers), "a draw is certain");
    }
}
