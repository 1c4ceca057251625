//! The analysis of a position, which goes on until it is stopped and continues where it was.

use super::{Step, Update, Work};
use crate::protocol::Event;
use crate::shared_search::SharedSearch;
use crate::thinking::{LineView, Thinking, open_ended_search};
use crate::tree::NodeId;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tablut_rules::{Game, Move, Symmetry};
use tablut_search::{EvaluateError, Evaluator, SearchConfig};

/// The time between two reports of an analysis.
const REPORT_EVERY: Duration = Duration::from_millis(150);
/// The number of moves that an analysis shows.
const N_LINES: usize = 6;

/// The memory for all open-ended analyses of a host together, in nodes of about 400 bytes. Each may use an equal part.
#[derive(Clone, Debug)]
pub struct AnalysisMemory {
    nodes: u32,
    /// Each analysis has one weak reference.
    users: Arc<()>,
}

impl AnalysisMemory {
    pub fn of_nodes(nodes: u32) -> Self {
        Self { nodes, users: Arc::new(()) }
    }
}

/// Two million nodes, about 800 MB.
impl Default for AnalysisMemory {
    fn default() -> Self {
        Self::of_nodes(2_000_000)
    }
}

/// A search without a limit but its memory, with all that it has found. Its work can end and begin again.
#[derive(Clone, Debug)]
pub(crate) struct OpenEnded {
    thinking: Arc<Mutex<Thinking>>,
    memory: AnalysisMemory,
    _user: Arc<Weak<()>>,
}

impl OpenEnded {
    /// A search of a game that is not over.
    pub(crate) fn new(game: &Game, memory: &AnalysisMemory, seed: u64) -> Self {
        let config = SearchConfig { max_nodes: memory.nodes, ..open_ended_search() };
        let thinking = Arc::new(Mutex::new(Thinking::new(game, &config, u32::MAX.into(), seed)));
        Self { thinking, memory: memory.clone(), _user: Arc::new(Arc::downgrade(&memory.users)) }
    }

    /// Whether it searches the position of `game`, with the same history. Both games have the same rules.
    pub(crate) fn is_about(&self, game: &Game) -> bool {
        let thinking = lock(&self.thinking);
        thinking.game().start() == game.start() && thinking.game().moves().eq(game.moves())
    }

    /// Whether the tree has reached its part of the memory.
    fn is_full(&self, thinking: &Thinking) -> bool {
        thinking.nodes() >= self.memory.nodes as usize / Arc::weak_count(&self.memory.users).max(1)
    }
}

pub(crate) struct AnalysisWork {
    node: NodeId,
    thinking: Arc<Mutex<Thinking>>,
    reported: Duration,
    /// `None` for an analysis with a fixed number of simulations.
    open_ended: Option<(OpenEnded, SharedSearch)>,
}

impl AnalysisWork {
    /// An analysis of a game that is not over, with a fixed number of simulations.
    pub(crate) fn new(node: NodeId, game: &Game, simulations: u32, seed: u64) -> Self {
        let thinking = Arc::new(Mutex::new(Thinking::by_simulations(game, simulations, seed)));
        Self { node, thinking, reported: Duration::ZERO, open_ended: None }
    }

    /// Goes on with a search.
    pub(crate) fn going_on(node: NodeId, search: &OpenEnded) -> Self {
        let (search, thinking) = (search.clone(), search.thinking.clone());
        let config = SearchConfig { max_nodes: search.memory.nodes, ..open_ended_search() };
        let shared = SharedSearch::new(lock(&thinking).game(), &config, u32::MAX);
        Self { node, thinking, reported: Duration::ZERO, open_ended: Some((search, shared)) }
    }
}

fn updates(node: NodeId, thinking: &Thinking, shared: Option<&SharedSearch>, done: bool) -> Vec<Update> {
    let mut analysis = match shared {
        Some(shared) => shared.analysis(thinking, usize::MAX),
        None => thinking.analysis(usize::MAX),
    };
    leave_out_images(&mut analysis.lines, thinking.game());
    analysis.lines.truncate(N_LINES);
    let (value, analysis) = (analysis.value(), Box::new(analysis));
    vec![Event::Analysis { node, analysis, done }.into(), Event::Value { node, value }.into()]
}

/// Keeps the first line of those whose first moves are images of each other under the position's symmetries.
fn leave_out_images(lines: &mut Vec<LineView>, game: &Game) {
    let position = game.position();
    let own: Vec<Symmetry> = Symmetry::ALL.into_iter().filter(|one| one.position(position) == *position).collect();
    let class = |mv: Move| own.iter().map(|one| one.mv(position.size(), mv).to_string()).min();
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(class(line.moves[0])));
}

/// The lock is held for one step. A search whose work has just been stopped may still hold it so long.
fn lock(thinking: &Mutex<Thinking>) -> MutexGuard<'_, Thinking> {
    thinking.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work for AnalysisWork {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        let mut thinking = lock(&self.thinking);
        let shared = self.open_ended.as_ref().map(|(_, shared)| shared);
        let is_full = self.open_ended.as_ref().is_some_and(|(search, _)| search.is_full(&thinking));
        if is_full || !thinking.step(evaluator, elapsed)? {
            return Ok(Step::Done(updates(self.node, &thinking, shared, true)));
        }
        if elapsed < self.reported + REPORT_EVERY {
            return Ok(Step::Continue);
        }
        self.reported = elapsed;
        Ok(Step::Progress(updates(self.node, &thinking, shared, false)))
    }

    fn shared(&mut self) -> Option<&mut SharedSearch> {
        self.open_ended.as_mut().map(|(_, shared)| shared)
    }
}
