//! A glance: what one net of a run makes of a position. Glances of all its checkpoints show how the run came to see it.

use super::finding::{Finding, Step, Work};
use crate::level::analysis_search;
use crate::thinking::Thinking;
use crate::tree::NodeId;
use std::time::Duration;
use tablut_rules::Game;
use tablut_search::{EvaluateError, Evaluator, Limit, SearchConfig, Solver};

/// Simulations of a glance.
const SIMULATIONS: u32 = 64;

/// A short search by the net of one checkpoint.
#[derive(Debug)]
pub struct Glance {
    node: NodeId,
    checkpoint: usize,
    thinking: Thinking,
}

impl Glance {
    /// A glance at a game that is not over. The solver is off: what it proves is the same for every net.
    pub fn new(node: NodeId, game: &Game, checkpoint: usize, seed: u64) -> Self {
        let config = SearchConfig { solver: Solver::Off, ..analysis_search(SIMULATIONS) };
        let thinking = Thinking::new(game, &config, Limit::of_simulations(SIMULATIONS), seed);
        Self { node, checkpoint, thinking }
    }
}

impl Work for Glance {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if self.thinking.step(evaluator, elapsed)? {
            return Ok(Step::GoesOn);
        }
        Ok(Step::Done(vec![Finding::Glance(self.node, self.checkpoint, self.thinking.analysis(1))]))
    }
}
