//! The chances of a position: win, draw and loss.

use serde::{Deserialize, Serialize};
use tablut_rules::Side;

use crate::evaluator::Evaluation;
use crate::perspective::value_of;

/// Probabilities of the three results. They sum to 1 and do not depend on the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct Chances {
    pub attackers: f32,
    pub draw: f32,
    pub defenders: f32,
}

impl Chances {
    /// Chances from the difference of the sides' chances, from −1 to 1, and the chance of a draw. A chance of a draw
    /// that is too large for the difference is reduced.
    ///
    /// ```
    /// use tablut_search::Chances;
    /// assert_eq!(Chances::new(0.25, 0.5), Chances { attackers: 0.375, draw: 0.5, defenders: 0.125 });
    /// ```
    pub fn new(difference: f32, draw: f32) -> Self {
        let difference = difference.clamp(-1.0, 1.0);
        let draw = draw.clamp(0.0, 1.0 - difference.abs());
        let decided = 1.0 - draw;
        Self { attackers: f32::midpoint(decided, difference), draw, defenders: f32::midpoint(decided, -difference) }
    }

    /// The chances if the result is certain.
    pub fn certain(winner: Option<Side>) -> Self {
        Self::new(value_of(winner), if winner.is_none() { 1.0 } else { 0.0 })
    }

    /// The net's chances, without a search.
    pub fn of_net(evaluation: &Evaluation) -> Self {
        let [attackers, draw, defenders] = evaluation.wdl;
        Self { attackers, draw, defenders }
    }

    /// The difference of the sides' chances, from −1 (the defenders win) to 1.
    pub fn value(self) -> f32 {
        self.attackers - self.defenders
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
            assert!((chances.value() - value).abs() < 1e-6, "{value} {draw}: {chances:?}");
        }
        assert_eq!(Chances::certain(None), Chances { attackers: 0.0, draw: 1.0, defenders: 0.0 });
    }
}
