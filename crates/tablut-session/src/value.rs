//! The value of a position: chances, or a proven result.

use serde::Serialize;
use tablut_rules::Side;
use tablut_search::{Evaluation, Proof, value_of};

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

/// Chances that sum to one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chances {
    /// That the attackers win.
    pub attackers: f32,
    /// That it is a draw.
    pub draw: f32,
    /// That the defenders win.
    pub defenders: f32,
}

impl Chances {
    /// Chances from a search's `value`, the difference of the sides' chances, and the net's probability of a draw.
    pub fn new(value: f32, draw: f32) -> Self {
        let draw = draw.clamp(0.0, 1.0 - value.abs().min(1.0));
        let decided = 1.0 - draw;
        Self { attackers: f32::midpoint(decided, value), draw, defenders: f32::midpoint(decided, -value) }
    }

    /// The chances of a certain result.
    pub fn certain(winner: Option<Side>) -> Self {
        Self::new(value_of(winner), if winner.is_none() { 1.0 } else { 0.0 })
    }

    /// The net's chances, without a search.
    pub fn of_net(evaluation: &Evaluation) -> Self {
        let [attackers, draw, defenders] = evaluation.wdl;
        Self { attackers, draw, defenders }
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
        self.chances.attackers - self.chances.defenders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_sum_to_one_and_keep_the_value() {
        for (value, draw) in [(0.0, 0.0), (0.5, 0.2), (-0.9, 0.5), (1.0, 1.0), (0.0, 1.0)] {
            let chances = Chances::new(value, draw);
            let sum = chances.attackers + chances.draw + chances.defenders;
            assert!((sum - 1.0).abs() < 1e-6 && chances.draw >= 0.0, "{value} {draw}: {chances:?}");
            assert!((chances.attackers - chances.defenders - value).abs() < 1e-6, "{value} {draw}: {chances:?}");
        }
        assert_eq!(Chances::certain(None), Chances { attackers: 0.0, draw: 1.0, defenders: 0.0 });
    }

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
