//! Work that a host does for a game in short steps: replies, analysis, reviews, experiments and so on.

mod analysis;
mod experiment;
mod judging;
mod lens;
mod puzzle_search;
mod refutation;
mod review;

pub use analysis::AnalysisMemory;
pub(crate) use analysis::{AnalysisWork, OpenEnded};
pub use experiment::Experiment;
pub use lens::Lens;
pub use puzzle_search::{PuzzleSearch, short_win};
pub use refutation::Refutation;
pub use review::Review;

use crate::level::{Level, analysis_search, session_search};
use crate::protocol::Event;
use crate::results::{NextPuzzle, ReviewReport};
use crate::shared_search::SharedSearch;
use crate::thinking::Thinking;
use crate::tree::{NodeId, NodeValue};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::time::Duration;
use tablut_rules::{Game, Move};
use tablut_search::{EvaluateError, Evaluator, Limit, SearchConfig, Solver};

/// Work in steps of a few milliseconds, so that a host can share its threads and stop at any time.
pub trait Work: Send {
    /// Does one step. `elapsed` is the time since the first step.
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError>;

    /// The search, if other workers of the host may take part in it. Without them it is the same as any other.
    fn shared(&mut self) -> Option<&mut SharedSearch> {
        None
    }
}

#[derive(Clone, Debug)]
pub enum Step {
    Continue,
    /// Something to report. The work is not finished.
    Progress(Vec<Update>),
    Done(Vec<Update>),
}

#[derive(Clone, Debug)]
pub enum Update {
    /// The computer's move, and the value of the position before it. A player without a net has no value.
    Move(Move, Option<NodeValue>),
    /// A finished review, with the solutions of its exercises.
    Reviewed(ReviewReport),
    /// The right answer to a puzzle or lesson, which is now played, and the rest of the puzzle after the reply.
    PlayAnswer { mv: Move, next: Option<NextPuzzle> },
    /// An event for the interfaces.
    Event(Event),
}

impl From<Event> for Update {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

/// One search. `report` makes the update from its result.
pub struct SearchWork {
    thinking: Thinking,
    report: Box<dyn Fn(&Thinking) -> Update + Send>,
    shared: Option<SharedSearch>,
}

impl SearchWork {
    fn new(thinking: Thinking, report: impl Fn(&Thinking) -> Update + Send + 'static) -> Self {
        Self { thinking, report: Box::new(report), shared: None }
    }

    /// The move of a level in a game that is not over. `ease` is that of [`Controller`](crate::Controller).
    pub fn of_level(game: &Game, level: &'static Level, ease: i16, seed: u64) -> Self {
        let (config, limit) = (level.search(game), Limit::of_simulations(level.simulations));
        let thinking = Thinking::new(game, &config, limit, seed);
        let shared = level.is_shared(&config).then(|| SharedSearch::new(game, &config, level.simulations));
        let work = Self::new(thinking, move |thinking| {
            let game = thinking.game();
            // The search has used the random stream of this ply. The choice uses another stream.
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(u64::MAX - u64::from(game.ply()));
            let mv = level.choose(&thinking.result(), game.position().side_to_move(), ease, &mut rng);
            Update::Move(mv, Some(thinking.value()))
        });
        Self { shared, ..work }
    }

    /// The best move that a search finds in a game that is not over.
    pub fn best_move(game: &Game, config: &SearchConfig, limit: Limit, seed: u64) -> Self {
        let thinking = Thinking::new(game, config, limit, seed);
        Self::new(thinking, |thinking| Update::Move(thinking.result().chosen, Some(thinking.value())))
    }

    /// The best move with the strength of a level, without random choices.
    pub(crate) fn advice(game: &Game, level: &Level, seed: u64) -> Self {
        let limit = Limit::of_simulations(level.simulations);
        Self::best_move(game, &session_search(), limit, seed)
    }

    /// The best move of the opponent if it were its turn. `None` if the opponent would have no legal move.
    pub(crate) fn threat(node: NodeId, game: &Game, seed: u64) -> Option<Self> {
        let position = game.position();
        let turned = position.with_side_to_move(position.side_to_move().opponent());
        let turned = Game::from_position(game.rules().clone(), turned).ok().filter(|game| game.outcome().is_none())?;
        let thinking = Thinking::by_simulations(&turned, THREAT_SIMULATIONS, seed);
        Some(Self::new(thinking, move |thinking| {
            Event::Threat { node, analysis: Box::new(thinking.analysis(1)) }.into()
        }))
    }

    /// The analysis of a position by the net of one checkpoint. The solver is off, because its proofs do not depend on
    /// the net.
    pub(crate) fn checkpoint(node: NodeId, game: &Game, checkpoint: usize, seed: u64) -> Self {
        let config = SearchConfig { solver: Solver::Off, ..analysis_search() };
        let thinking = Thinking::new(game, &config, Limit::of_simulations(CHECKPOINT_SIMULATIONS), seed);
        Self::new(thinking, move |thinking| {
            let analysis = Box::new(thinking.analysis(1));
            Event::CheckpointAnalysis { node, checkpoint, analysis }.into()
        })
    }
}

const THREAT_SIMULATIONS: u32 = 200;
const CHECKPOINT_SIMULATIONS: u32 = 64;

impl Work for SearchWork {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if self.thinking.step(evaluator, elapsed)? {
            return Ok(Step::Continue);
        }
        let together = self.shared.as_ref().and_then(|shared| shared.best_move(&self.thinking));
        let update = together.map(|(mv, value)| Update::Move(mv, Some(value)));
        Ok(Step::Done(vec![update.unwrap_or_else(|| (self.report)(&self.thinking))]))
    }

    fn shared(&mut self) -> Option<&mut SharedSearch> {
        self.shared.as_mut()
    }
}

/// All updates of a piece of work, with the uniform evaluator.
#[cfg(test)]
pub(crate) fn updates_of(work: &mut dyn Work) -> Vec<Update> {
    let mut updates = Vec::new();
    loop {
        match work.step(&mut tablut_search::UniformEvaluator, Duration::ZERO).unwrap() {
            Step::Continue => {}
            Step::Progress(more) => updates.extend(more),
            Step::Done(last) => {
                updates.extend(last);
                return updates;
            }
        }
    }
}
