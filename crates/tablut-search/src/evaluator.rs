//! The interface between a search and a net: situations and evaluations.

use tablut_rules::Situation;

/// A net's answer to a [`Situation`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// One policy logit for each of the situation's moves, in their order.
    pub logits: Vec<f32>,
    /// Probabilities that the attackers win, that the game is drawn, and that the defenders win. They do not depend on
    /// the side to move. Their sum is 1.
    pub wdl: [f32; 3],
    /// Expected plies to the end of the game, at least 0.
    pub moves_left: f32,
}

impl Evaluation {
    /// A neutral evaluation: equal logits, equal chances for both sides, no draws, and 0 plies left (unknown).
    pub fn uniform(n_moves: usize) -> Self {
        Self { logits: vec![0.0; n_moves], wdl: [0.5, 0.0, 0.5], moves_left: 0.0 }
    }

    /// The absolute value in [−1, 1]: the chance that the attackers win minus the chance that the defenders win. A
    /// value that is not finite (from a net that diverged) counts as 0.
    pub fn value(&self) -> f32 {
        let value = self.wdl[0] - self.wdl[2];
        if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// [`Evaluation::value`] if a draw is worth `draw`, from −1 to 1, instead of 0.
    ///
    /// ```
    /// use tablut_search::Evaluation;
    /// let evaluation = Evaluation { wdl: [0.5, 0.25, 0.25], ..Evaluation::uniform(1) };
    /// assert_eq!(evaluation.value_with_draws_at(0.0), 0.25);
    /// assert_eq!(evaluation.value_with_draws_at(-0.5), 0.125);
    /// ```
    pub fn value_with_draws_at(&self, draw: f32) -> f32 {
        let drawn = if self.wdl[1].is_finite() { draw * self.wdl[1] } else { 0.0 };
        (self.value() + drawn).clamp(-1.0, 1.0)
    }

    /// The chance of a draw, or 0 if it is not finite.
    pub fn draw(&self) -> f32 {
        if self.wdl[1].is_finite() { self.wdl[1].clamp(0.0, 1.0) } else { 0.0 }
    }

    /// [`Evaluation::moves_left`], or 0 if it is negative or not finite.
    pub fn plies_left(&self) -> f32 {
        if self.moves_left.is_finite() { self.moves_left.max(0.0) } else { 0.0 }
    }
}

/// Evaluates situations in batches. An evaluation depends only on its situation, never on the rest of the batch.
pub trait Evaluator: Send {
    /// Returns one evaluation per situation, in their order. Each situation has at least one legal move.
    ///
    /// # Errors
    /// If the net, its file or its device fails.
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError>;
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        (**self).evaluate(situations)
    }
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EvaluateError {
    #[error("evaluator returned {found} {what}, expected {expected}")]
    Count { what: &'static str, expected: usize, found: usize },
    #[error("evaluation failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl EvaluateError {
    /// A failure with a message, in lower case and without a full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed(message.into().into())
    }
}

/// Returns [`Evaluation::uniform`] for every position. A net must be stronger than this baseline. The strength of a
/// search with it comes only from the solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        Ok(situations.iter().map(|situation| Evaluation::uniform(situation.moves.len())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_absolute_and_survive_a_net_that_diverged() {
        let value = |wdl| Evaluation { logits: vec![], wdl, moves_left: 0.0 }.value();
        assert_eq!(value([0.7, 0.2, 0.1]), 0.7 - 0.1);
        assert_eq!(value([0.0, 0.0, 1.0]), -1.0);
        assert_eq!(value([f32::NAN, 0.0, 0.0]), 0.0);
        assert_eq!(value([f32::INFINITY, 0.0, 0.0]), 0.0);
    }

    #[test]
    fn a_wrong_number_of_answers_is_named() {
        let error = EvaluateError::Count { what: "evaluations", expected: 0, found: 1 };
        assert_eq!(error.to_string(), "evaluator returned 1 evaluations, expected 0");
    }
}
