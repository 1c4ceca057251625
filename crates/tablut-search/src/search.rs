//! The search as a state machine: gather leaves, someone evaluates them, apply.

mod result;
mod root;
mod settle;
mod sight;
mod walk;

use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, IllegalMove, Move, MoveList, Side};

pub use self::result::{RootMove, SearchResult};
use self::root::Root;
use self::walk::Walk;
use crate::config::{Method, SearchConfig};
use crate::evaluator::{Evaluation, Query};
use crate::formulas::Visited;
use crate::tree::{NodeId, ROOT, State, Tree};

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// All simulations are spent.
    Simulations,
    /// The root's result is proven.
    Proven,
    /// No further simulation can change the move.
    Decided,
    /// The tree holds as many nodes as it may.
    Memory,
    /// [`Search::stop`] was called.
    Asked,
    /// The game is over: there is nothing to search.
    GameOver,
}

/// The size of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Nodes: the root and every move visited.
    pub nodes: usize,
    /// Legal moves of the nodes evaluated, visited or not.
    pub edges: usize,
    /// Bytes that both take together.
    pub bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The root has no evaluation yet.
    AwaitRoot,
    Running,
    Done(Stop),
}

/// A simulation on its way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    leaf: NodeId,
    /// Index of the root move that it went through; `None` for the root's own evaluation.
    entry: Option<usize>,
    /// The side to move at the leaf.
    side: Side,
    /// The leaf waits for an evaluation; otherwise its result is known.
    queried: bool,
    /// The simulation made the leaf.
    created: bool,
}

/// What to do next.
enum Next {
    /// Simulate through this root move.
    Simulate(usize),
    /// Simulations on their way must come back first.
    Wait,
    /// Nothing more to do.
    Finish(Stop),
}

/// Memory that simulations use again and again.
#[derive(Debug, Default)]
struct Scratch {
    moves: MoveList,
    visited: Vec<Visited>,
    ids: Vec<NodeId>,
    replies: MoveList,
    lost: Vec<bool>,
    weights: Vec<f32>,
    logits: Vec<f32>,
    spare: Tree,
}

/// One tree, searched from a game's current position.
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
    tree: Tree,
    root: Root,
    stage: Stage,
    pending: Vec<Pending>,
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
            config: config.clone(),
            rng,
            root: Root::new(game.position().side_to_move()),
            game,
            tree: Tree::default(),
            stage: Stage::AwaitRoot,
            pending: Vec::new(),
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
    /// halving round, which lie in different subtrees: the result is the same as when they are asked for one by one.
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
        assert!(self.pending.is_empty(), "apply the last gathering's evaluations first");
        match self.stage {
            Stage::Done(_) => return 0,
            Stage::AwaitRoot => {
                queries.push(self.ask_root());
                return 1;
            }
            Stage::Running => {}
        }
        let mut n_queries = 0;
        while n_queries < limit.max(1) {
            match self.next() {
                Next::Simulate(entry) => match self.walk(entry) {
                    Walk::Ask(query) => {
                        queries.push(query);
                        n_queries += 1;
                    }
                    Walk::Known => {}
                    Walk::Collision => {
                        self.root.put_back();
                        break;
                    }
                    Walk::Full => self.full = true,
                },
                Next::Wait if n_queries > 0 => break,
                // Every simulation of the round ended in a known result.
                Next::Wait => self.settle(&[]),
                Next::Finish(stop) => {
                    self.stage = Stage::Done(stop);
                    break;
                }
            }
        }
        n_queries
    }

    /// Takes the evaluations of the last gathering, in its order.
    ///
    /// # Panics
    /// If they are not as many as the queries, or one has not a logit for each move ([`crate::check_answers`] tells).
    pub fn apply(&mut self, evaluations: &[Evaluation]) {
        self.settle(evaluations);
        if self.stage == Stage::AwaitRoot && self.tree.node(ROOT).state == State::Expanded {
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

    /// Ends the search now, for instance because time is up. Simulations on their way are withdrawn.
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
        let child = self.tree.children(ROOT).find(|(_, node)| node.mv == mv).map(|(id, _)| id);
        match child {
            Some(id) => self.tree.keep(id, &mut self.scratch.spare),
            None => self.tree.clear(),
        }
        self.begin();
        Ok(())
    }

    /// Begins a new search from the same position with other settings, keeping the tree.
    pub fn configure(&mut self, config: &SearchConfig) {
        self.withdraw();
        self.config = config.clone();
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

    /// The settings in force.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// What the tree takes.
    pub fn memory(&self) -> Memory {
        Memory { nodes: self.tree.nodes.len(), edges: self.tree.moves.len(), bytes: self.tree.bytes() }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Prepares a search of the present position with whatever tree was kept.
    fn begin(&mut self) {
        (self.simulations, self.kept_visits, self.evaluations, self.full) = (0, 0, 0, false);
        let side = self.game.position().side_to_move();
        self.game.legal_moves(&mut self.scratch.moves);
        self.root.reset(side, &self.scratch.moves);
        if self.config.solver.is_on() {
            self.look_around();
        }
        let Some(first) = self.scratch.moves.first().copied() else {
            self.tree.clear();
            self.stage = Stage::Done(Stop::GameOver);
            return;
        };
        self.stage = Stage::AwaitRoot;
        if self.tree.nodes.first().is_some_and(|root| root.state == State::Expanded) {
            self.start();
            return;
        }
        self.tree.reset(first);
        if self.config.stop_early && self.root.proof_at_sight().is_some() {
            // The move is known without asking anyone.
            self.tree.await_evaluation(ROOT, &self.scratch.moves, &[]);
            self.start();
        }
    }

    /// Starts the simulations: the root's moves are known, and evaluated unless its result is seen.
    fn start(&mut self) {
        self.root.link(&self.tree);
        self.prove_at_sight();
        self.kept_visits = self.tree.children(ROOT).map(|(_, child)| child.visits).sum();
        let n_open = self.root.entries.iter().filter(|entry| !self.is_refuted(entry)).count();
        self.root.draw(&self.config, n_open, self.game.ply(), &mut self.rng);
        self.stage = Stage::Running;
        self.finish_if_over();
    }

    fn ask_root(&mut self) -> Query {
        self.game.legal_moves(&mut self.scratch.moves);
        self.tree.await_evaluation(ROOT, &self.scratch.moves, &[]);
        let side = self.root.side;
        self.pending.push(Pending { leaf: ROOT, entry: None, side, queried: true, created: false });
        self.query()
    }

    /// The query for the game's present position, whose legal moves are in `scratch`.
    fn query(&self) -> Query {
        Query {
            rules: self.game.rules().clone(),
            position: *self.game.position(),
            occurrences: self.game.occurrences(),
            plies_since_capture: self.game.plies_since_capture(),
            moves: self.scratch.moves.to_vec(),
        }
    }

    fn next(&mut self) -> Next {
        if self.full {
            return if self.pending.is_empty() { Next::Finish(Stop::Memory) } else { Next::Wait };
        }
        match self.config.method {
            Method::Gumbel => self.next_gumbel(),
            Method::Puct => self.next_puct(),
        }
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
