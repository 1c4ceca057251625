//! Lets a search use a net: encodes queries, runs the net on them as one batch, and returns the evaluations.

use tablut_search::{EvaluateError, Evaluation, Evaluator, Query};

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::encoding::encode;

/// An [`Evaluator`] over any [`Inference`].
pub struct NetEvaluator {
    net: Box<dyn Inference>,
    input: InputBatch,
    output: OutputBatch,
}

impl NetEvaluator {
    /// An evaluator over `net`, with its own buffers.
    pub fn new(net: Box<dyn Inference>) -> Self {
        Self { net, input: InputBatch::default(), output: OutputBatch::default() }
    }
}

impl Evaluator for NetEvaluator {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        self.input.clear();
        for query in queries {
            encode(&query.borrowed(), &mut self.input);
        }
        self.net.infer(&self.input, &mut self.output).map_err(|error| EvaluateError::Failed(error.into()))?;
        let evaluation = |row: usize| Evaluation {
            logits: self.output.logits[self.input.move_range(row)].to_vec(),
            wdl: self.output.wdl[row],
            moves_left: self.output.moves_left[row],
        };
        Ok((0..queries.len()).map(evaluation).collect())
    }
}
