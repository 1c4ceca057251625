//! The search as a state machine: gather leaves, someone evaluates them, apply.

mod backup;
mod begin;
mod descent;
mod lookahead;
mod path;
mod result;
mod root;
mod root_choice;
mod simulation;
mod stop;

use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, IllegalMove, Move, MoveList};

pub use self::result::{RootMove, SearchResult};
use self::root::Root;
use self::simulation::{Descended, PathState, Pending, Step};
use self::stop::Next;
pub use self::stop::Stop;
use crate::config::{Method, SearchConfig};
use crate::evaluator::{Evaluation, Query};
use crate::formulas::Visited;
use crate::graph::{Graph, NONE, NodeId, Path, ROOT, State};

/// The size of a tree or graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Nodes: in a tree the root and every move visited, in a graph every state of the game that was reached.
    pub nodes: usize,
    /// Legal moves of the nodes evaluated, visited or not.
    pub edges: usize,
    /// Bytes that both take together, with the table that finds a graph's nodes.
    pub bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The root has no evaluation yet.
    AwaitRoot,
    Running,
    Done(Stop),
}

/// Memory that simulations use again and again.
#[derive(Debug, Default)]
struct Scratch {
    moves: MoveList,
    visited: Vec<Visited>,
    ids: Vec<u32>,
    replies: MoveList,
    blocking: MoveList,
    lost: Vec<bool>,
    weights: Vec<f32>,
    logits: Vec<f32>,
    spare: Graph,
}

/// One tree or graph, searched from a game's current position.
///
/// ```
/// use std::sync::Arc;
/// use rand::{SeedableRng, rngs::ChaCha8Rng};
/// use tablut_rules::{Game, Rules, Side};
/// use tablut_search::{Evaluator, Search, SearchConfig, UniformEvaluator};
///
/// let rules = Arc::new(Rules::named("kvasir")?);
/// let game = Game::new(rules, Side::Attackers);
/// let mut search = Search::new(game, &SearchConfig::default(), ChaCha8Rng::seed_from_u64(7));
/// let mut queries = Vec::new();
/// while search.gather(&mut queries) > 0 {
///     search.apply(&UniformEvaluator.evaluate(&queries)?);
///     queries.clear();
/// }
/// let result = search.result();
/// assert_eq!(result.simulations, 64);
/// search.advance(result.chosen);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Search {
    config: SearchConfig,
    rng: ChaCha8Rng,
    /// Stands at the root between calls.
    game: Game,
    graph: Graph,
    root: Root,
    /// What of the game's history tells nodes apart; of meaning where paths may meet.
    root_path_state: PathState,
    /// Hashes of the positions from the last capture before the root to the one before the present position.
    line: Vec<u64>,
    /// How many of them come before the root.
    n_line_before_root: usize,
    stage: Stage,
    pending: Vec<Pending>,
    /// Of the pending simulations, those gathered before the last answers came, which wait for the end of their round.
    n_answered: usize,
    /// Evaluations asked for and not given yet.
    n_asked: usize,
    /// The paths of the pending simulations, one after the other.
    steps: Vec<Step>,
    /// Nodes from here on were made by the pending simulations.
    first_new: NodeId,
    full: bool,
    simulations: u32,
    kept_visits: u32,
    evaluations: u32,
    scratch: Scratch,
}

impl Search {
    /// A search from the game's current position, with its whole history. All randomness comes from `rng`.
    /// A game that is over gives a search that is done.
    pub fn new(game: Game, config: &SearchConfig, rng: ChaCha8Rng) -> Self {
        let mut search = Self {
            config: config.with_method_chosen(),
            rng,
            root: Root::new(game.position().side_to_move()),
            game,
            graph: Graph::default(),
            root_path_state: PathState::default(),
            line: Vec::new(),
            n_line_before_root: 0,
            stage: Stage::AwaitRoot,
            pending: Vec::new(),
            n_answered: 0,
            n_asked: 0,
            steps: Vec::new(),
            first_new: 0,
            full: false,
            simulations: 0,
            kept_visits: 0,
            evaluations: 0,
            scratch: Scratch::default(),
        };
        search.begin();
        search
    }

    /// Appends the positions whose evaluations the search needs next and returns their number, 0 when it is done.
    /// [`Search::apply`] must follow with their evaluations. With [`Method::Gumbel`] these are the leaves of one
    /// halving round: the result is the same as when they are asked for one by one. (In a tree they lie in different
    /// subtrees. In a graph their paths may meet; there all simulations of a round see what was known before it.)
    ///
    /// # Panics
    /// If the evaluations of the last gathering were not applied.
    pub fn gather(&mut self, queries: &mut Vec<Query>) -> usize {
        self.gather_at_most(queries, usize::MAX)
    }

    /// [`Search::gather`] with a bound of at least 1 on the number of queries.
    ///
    /// # Panics
    /// If the evaluations of the last gathering were not applied.
    pub fn gather_at_most(&mut self, queries: &mut Vec<Query>, limit: usize) -> usize {
        assert!(self.n_asked == 0, "apply the last gathering's evaluations first");
        match self.stage {
            Stage::Done(_) => return 0,
            Stage::AwaitRoot => {
                queries.push(self.ask_root());
                self.n_asked = 1;
                return 1;
            }
            Stage::Running => {}
        }
        let mut n_queries = 0;
        while n_queries < limit.max(1) {
            match self.next() {
                Next::Simulate(entry) => match self.descend(entry) {
                    Descended::Ask(query) => {
                        queries.push(query);
                        n_queries += 1;
                    }
                    Descended::Known => {}
                    Descended::Collision => {
                        self.root.put_back();
                        break;
                    }
                    Descended::Full => self.full = true,
                },
                Next::Wait if n_queries > 0 => break,
                // Every simulation of the round ended in a known result.
                Next::Wait => self.take_evaluations(&[]),
                Next::Finish(stop) => {
                    self.stage = Stage::Done(stop);
                    break;
                }
            }
        }
        self.n_asked = n_queries;
        n_queries
    }

    /// Takes the evaluations of the last gathering, in its order.
    ///
    /// # Panics
    /// If they are not as many as the queries, or one has not a logit for each move ([`crate::check_answers`] tells).
    pub fn apply(&mut self, evaluations: &[Evaluation]) {
        self.take_evaluations(evaluations);
        if self.stage == Stage::AwaitRoot && self.graph.node(ROOT).state == State::Expanded {
            self.start();
        } else if self.stage == Stage::Running && self.root.is_idle() {
            // So that `is_done` need not wait for a gathering that finds nothing.
            self.finish_if_over();
        }
    }

    /// Whether the search has ended, and a gathering would give nothing.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done(_))
    }

    /// Ends the search now, for instance because time is up. Simulations in flight are withdrawn.
    pub fn stop(&mut self) {
        self.withdraw();
        if !self.is_done() {
            self.stage = Stage::Done(Stop::Asked);
        }
    }

    /// Plays `mv`, keeps its subtree, and begins a new search with the same settings.
    ///
    /// # Panics
    /// If the move is not legal; [`Search::try_advance`] reports it.
    pub fn advance(&mut self, mv: Move) {
        self.try_advance(mv).expect("the caller checked the move");
    }

    /// [`Search::advance`] for a move that may be illegal, which leaves the search as it was but for withdrawn
    /// simulations.
    pub fn try_advance(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.withdraw();
        self.game.play(mv)?;
        self.root_path_state.path = self.root_path_state.path.after(mv);
        let edge = self.graph.nodes.first().and_then(|_| self.graph.edges_of(ROOT).find(|(_, edge)| edge.mv == mv));
        match edge.map_or(NONE, |(_, edge)| edge.child) {
            NONE => self.graph.clear(),
            child => self.graph.keep(child, &mut self.scratch.spare),
        }
        self.begin();
        Ok(())
    }

    /// Begins a new search from the same position with other settings, keeping the tree, unless it was a tree and is to
    /// be a graph, or the reverse.
    pub fn configure(&mut self, config: &SearchConfig) {
        self.withdraw();
        self.config = config.with_method_chosen();
        self.begin();
    }

    /// The game, at the position searched.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Simulations of this search so far, without those of kept visits.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Why the search ended; `None` while it runs.
    pub fn stopped(&self) -> Option<Stop> {
        match self.stage {
            Stage::Done(stop) => Some(stop),
            Stage::AwaitRoot | Stage::Running => None,
        }
    }

    /// The root has no evaluation yet.
    pub(crate) fn awaits_root(&self) -> bool {
        self.stage == Stage::AwaitRoot
    }

    /// The settings in force, the method chosen.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// What the tree takes.
    pub fn memory(&self) -> Memory {
        Memory { nodes: self.graph.nodes.len(), edges: self.graph.moves.len(), bytes: self.graph.bytes() }
    }

    /// The most bytes of a tree, or with `transpositions` a graph, of so many nodes whose positions have at most `n_moves` legal
    /// moves each.
    pub fn most_bytes(config: &SearchConfig, n_nodes: u32, n_moves: usize) -> u64 {
        u64::from(n_nodes) * Graph::most_bytes_per_node(config.transpositions, n_moves) as u64
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The path to the root.
    pub(crate) fn root_path(&self) -> Path {
        self.root_path_state.path
    }

    fn next(&mut self) -> Next {
        if self.full {
            return if self.pending.is_empty() { Next::Finish(Stop::Memory) } else { Next::Wait };
        }
        match self.config.method {
            Method::Puct => self.next_puct(),
            Method::Gumbel | Method::Auto => self.next_gumbel(),
        }
    }

    /// Whether the simulations of a round all see what was known before it, and are counted together at its end.
    /// Where paths may meet this makes the result independent of how many queries are gathered at a time.
    fn counts_by_rounds(&self) -> bool {
        self.graph.shares() && self.config.method == Method::Gumbel && self.config.leaves_in_flight == 1
    }

    /// Whether more simulations of the present round are to set out.
    fn round_goes_on(&self) -> bool {
        !self.full && !self.root.is_idle()
    }

    /// Whether simulations mark the edges of their path as in flight, for others to see.
    fn marks_in_flight(&self) -> bool {
        self.config.leaves_in_flight > 1 || self.graph.shares()
    }

    /// Ends the search if it has nothing more to do.
    fn finish_if_over(&mut self) {
        match self.next() {
            Next::Finish(stop) => self.stage = Stage::Done(stop),
            Next::Simulate(_) => self.root.put_back(),
            Next::Wait => {}
        }
    }
}
