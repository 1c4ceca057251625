//! Thinking that a host does for a session, in short steps: a reply, an analysis, a review, a lens, an experiment, and so on.

mod exercise;
mod experiment;
mod finding;
mod finds;
mod glance;
mod judging;
mod lens;
mod refutation;
mod review;

pub use exercise::{Exercise, Judgement, Sufficiency};
pub use experiment::{Experiment, MAX_EXPERIMENT_GAMES, STRENGTHS};
pub use finding::{
    Balance, ExperimentView, Find, Finding, LensRow, Mistake, RefutationBranch, RefutationView, ReviewReport, Share,
    Step, Work,
};
pub use finds::{Finds, short_win};
pub use glance::Glance;
pub use lens::Lens;
pub use refutation::Refutation;
pub use review::Review;

use crate::level::{Level, session_search};
use crate::thinking::Thinking;
use crate::tree::NodeId;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::time::Duration;
use tablut_rules::Game;
use tablut_search::{EvaluateError, Evaluator, Limit, SearchConfig};

/// The computer's move at a level, or by a search that its host describes.
#[derive(Debug)]
pub struct Reply {
    /// None plays the best move that the search finds.
    level: Option<&'static Level>,
    thinking: Thinking,
    seed: u64,
}

impl Reply {
    /// A reply in a game that is not over.
    pub fn new(game: &Game, level: &'static Level, seed: u64) -> Self {
        let limit = Limit::of_simulations(level.simulations);
        Self { level: Some(level), thinking: Thinking::new(game, &level.search(game), limit, seed), seed }
    }

    /// The move that a level would advise in a game that is not over: its best one, without any chance.
    pub fn advice(game: &Game, level: &Level, seed: u64) -> Self {
        let limit = Limit::of_simulations(level.simulations);
        Self::by_search(game, &session_search(level.simulations), limit, seed)
    }

    /// The best move that a search finds in a game that is not over.
    pub fn by_search(game: &Game, config: &SearchConfig, limit: Limit, seed: u64) -> Self {
        Self { level: None, thinking: Thinking::new(game, config, limit, seed), seed }
    }
}

impl Work for Reply {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if self.thinking.step(evaluator, elapsed)? {
            return Ok(Step::GoesOn);
        }
        let game = self.thinking.game();
        // A stream of its own: the search has drawn from the one of its ply.
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::MAX - u64::from(game.ply()));
        let result = self.thinking.result();
        let mv = match self.level {
            Some(level) => level.choose(&result, game.position().side_to_move(), &mut rng),
            None => result.chosen,
        };
        Ok(Step::Done(vec![Finding::Reply(mv, Some(self.thinking.value()))]))
    }
}

/// How often an analysis tells what it sees.
const TELL_EVERY: Duration = Duration::from_millis(150);
/// Lines that an analysis shows.
pub const N_LINES: usize = 6;
/// The most time and simulations of one analysis.
const ANALYSIS_TIME: Duration = Duration::from_secs(30);
const ANALYSIS_SIMULATIONS: u32 = 40_000;
/// Simulations of a look at a threat.
const THREAT_SIMULATIONS: u32 = 200;

/// An analysis that streams what it sees.
#[derive(Debug)]
pub struct AnalysisWork {
    node: NodeId,
    thinking: Thinking,
    told: Duration,
}

impl AnalysisWork {
    /// An analysis of a game that is not over.
    pub fn new(node: NodeId, game: &Game, seed: u64) -> Self {
        let limit = Limit::new(Some(ANALYSIS_SIMULATIONS), Some(ANALYSIS_TIME)).expect("both are in range");
        Self { node, thinking: Thinking::open_ended(game, limit, seed), told: Duration::ZERO }
    }

    fn findings(&self) -> Vec<Finding> {
        let analysis = Finding::Analysis(self.node, self.thinking.analysis(N_LINES));
        vec![analysis, Finding::Value(self.node, self.thinking.value())]
    }
}

impl Work for AnalysisWork {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if !self.thinking.step(evaluator, elapsed)? {
            return Ok(Step::Done(self.findings()));
        }
        if elapsed < self.told + TELL_EVERY {
            return Ok(Step::GoesOn);
        }
        self.told = elapsed;
        Ok(Step::News(self.findings()))
    }
}

/// A look at what the opponent would do if it were its turn.
#[derive(Debug)]
pub struct ThreatWork {
    node: NodeId,
    thinking: Thinking,
}

impl ThreatWork {
    /// A look at the threats in a game; none where the opponent could not move.
    pub fn new(node: NodeId, game: &Game, seed: u64) -> Option<Self> {
        let position = game.position();
        let turned = position.with_side_to_move(position.side_to_move().opponent());
        let turned = Game::from_position(game.rules().clone(), turned).ok().filter(|game| game.outcome().is_none())?;
        Some(Self { node, thinking: Thinking::by_simulations(&turned, THREAT_SIMULATIONS, seed) })
    }
}

impl Work for ThreatWork {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if self.thinking.step(evaluator, elapsed)? {
            return Ok(Step::GoesOn);
        }
        Ok(Step::Done(vec![Finding::Threat(self.node, self.thinking.analysis(1))]))
    }
}
