//! What ends of games and evaluations are worth in a tree: a draw is worth what the search was told.

use tablut_rules::Side;

use super::Tree;
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

    /// The absolute value of an evaluation.
    pub fn value_of_evaluation(&self, evaluation: &Evaluation) -> f32 {
        evaluation.value_with_draws_at(self.draw)
    }
}
