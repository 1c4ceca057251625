//! What a search asks of a net, and what it gets back.

use std::sync::Arc;

use tablut_rules::{Move, Rules, Situation};

/// One position that a search wants evaluated; its moves are never none.
pub type Query = Situation<Arc<Rules>, Vec<Move>>;

/// What a net says about a [`Query`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// One policy logit for each of the query's moves, in their order.
    pub logits: Vec<f32>,
    /// Probabilities that the attackers win, that the game is drawn, that the defenders win; absolute, sum 1.
    pub wdl: [f32; 3],
    /// Expected plies to the end of the game, at least 0.
    pub moves_left: f32,
}

impl Evaluation {
    /// No opinion: equal logits, an even chance for each side, no draws, no plies left known.
    pub fn uniform(n_moves: usize) -> Self {
        Self { logits: vec![0.0; n_moves], wdl: [0.5, 0.0, 0.5], moves_left: 0.0 }
    }

    /// The absolute value in [−1, 1]: chance of an attackers' win less that of a defenders' win.
    /// A number that is not finite (a net that diverged) counts as 0.
    pub fn value(&self) -> f32 {
        let value = self.wdl[0] - self.wdl[2];
        if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// [`Evaluation::moves_left`], 0 for a number that is negative or not finite.
    pub fn plies_left(&self) -> f32 {
        if self.moves_left.is_finite() { self.moves_left.max(0.0) } else { 0.0 }
    }
}

/// Evaluates queries in batches. An evaluation depends on its query alone, never on the rest of the batch.
pub trait Evaluator: Send {
    /// One evaluation for each query, in their order.
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError>;
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        (**self).evaluate(queries)
    }
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The evaluator answered with a wrong number of things.
    #[error("evaluator gave {found} {what}, expected {expected}")]
    Count {
        /// What was counted: "evaluations" or "logits".
        what: &'static str,
        /// How many were expected.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// The net, its file or its device failed.
    #[error("evaluation failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl EvaluateError {
    /// A failure told in words, lower case and without a full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed(message.into().into())
    }
}

/// Knows nothing: [`Evaluation::uniform`] for every position. The baseline that a net must beat, and the
/// evaluator under which a search shows what its solver alone can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        Ok(queries.iter().map(|query| Evaluation::uniform(query.moves.len())).collect())
    }
}

/// Checks that `evaluations` answer `queries`: as many, with a logit for every move.
pub fn check_answers(queries: &[Query], evaluations: &[Evaluation]) -> Result<(), EvaluateError> {
    if queries.len() != evaluations.len() {
        return Err(EvaluateError::Count { what: "evaluations", expected: queries.len(), found: evaluations.len() });
    }
    for (query, evaluation) in queries.iter().zip(evaluations) {
        if query.moves.len() != evaluation.logits.len() {
            return Err(EvaluateError::Count {
                what: "logits",
                expected: query.moves.len(),
                found: evaluation.logits.len(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_absolute_and_survive_a_net_that_diverged() {
        let of = |wdl| Evaluation { logits: vec![], wdl, moves_left: 0.0 }.value();
        assert_eq!(of([0.7, 0.2, 0.1]), 0.7 - 0.1);
        assert_eq!(of([0.0, 0.0, 1.0]), -1.0);
        assert_eq!(of([f32::NAN, 0.0, 0.0]), 0.0);
        assert_eq!(of([f32::INFINITY, 0.0, 0.0]), 0.0);
    }

    #[test]
    fn a_wrong_number_of_answers_is_named() {
        let error = check_answers(&[], &[Evaluation::uniform(3)]).expect_err("one evaluation too many");
        assert_eq!(error.to_string(), "evaluator gave 1 evaluations, expected 0");
    }
}
