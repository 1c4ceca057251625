//! What ends of games and evaluations are worth in a tree: a draw is worth what the search was told.

use tablut_rules::Side;

use super::Tree;
use crate::chances::Chances;
use crate::evaluator::Evaluation;
use crate::perspective::turned;

impl Tree {
    /// Sets the absolute value of a draw. The tree is empty if it changes.
    pub fn value_draws(&mut self, draw: f32) {
        debug_assert!(self.nodes.is_empty() || draw == self.draw, "values with another value of draws");
        self.draw = draw;
    }

    /// The absolute value of a finished game.
    #[inline]
    pub fn value_of(&self, winner: Option<Side>) -> f32 {
        winner.map_or(self.draw, |side| turned(1.0, side))
    }

    /// The absolute value of a finished game and its chance of a draw, 0 or 1.
    #[inline]
    pub fn worth_of(&self, winner: Option<Side>) -> (f32, f32) {
        (self.value_of(winner), if winner.is_none() { 1.0 } else { 0.0 })
    }

    /// The absolute value of an evaluation and its chance of a draw.
    pub fn worth_of_evaluation(&self, evaluation: &Evaluation) -> (f32, f32) {
        (evaluation.value_with_draws_at(self.draw), evaluation.draw())
    }

    /// The chances behind an absolute value of this tree and a chance of a draw.
    pub fn chances(&self, value: f32, draws: f32) -> Chances {
        Chances::new(value - self.draw * draws, draws)
    }
}
