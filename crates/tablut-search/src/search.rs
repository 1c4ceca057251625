//! The search as a state machine: it gathers leaves, the caller evaluates them, and it applies the evaluations.

mod result;
mod root;
mod rounds;
mod selection;
mod simulations;
mod stages;
mod walk;

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, Move, MoveList, Side, Situation};

pub use self::result::{RootMove, SearchResult};
use self::root::Root;
use self::rounds::{Next, Rounds};
use self::simulations::{Descended, Simulations};
use self::walk::Walk;
use crate::config::SearchConfig;
use crate::evaluator::Evaluation;
use crate::limit::{Limit, Stop};
use crate::perspective::turned;
use crate::tree::{Memory, NONE, ROOT, State, Tree};

/// Rounds of simulations that end in known results before a gathering without situations returns. They take about a
/// millisecond.
const ROUNDS_WITHOUT_SITUATIONS: u32 = 1000;

/// The most simulations of a search. If all simulations end in known results, a search can run millions per second, and
/// visits must not overflow.
const MOST_SIMULATIONS: u32 = 1 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The root has no evaluation yet.
    AwaitRoot,
    Running,
    Done(Stop),
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
/// let mut search = Search::new(game, &SearchConfig::for_analysis(), 64, ChaCha8Rng::seed_from_u64(7));
/// let mut situations = Vec::new();
/// while !search.is_done() {
///     search.gather(&mut situations);
///     search.apply(&UniformEvaluator.evaluate(&situations)?);
///     situations.clear();
/// }
/// let result = search.result();
/// assert_eq!(result.simulations, 64);
/// search.advance(result.chosen);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Search {
    /// The settings. The method is never `auto`.
    config: SearchConfig,
    limit: Limit,
    rng: ChaCha8Rng,
    /// The side to move when the search was created. `draw_value` is from the view of this side.
    player: Side,
    walk: Walk,
    tree: Tree,
    /// Memory for the part of the tree that a move keeps.
    spare: Tree,
    root: Root,
    rounds: Rounds,
    simulations: Simulations,
    /// Visits below the root that the search started with.
    kept_visits: u32,
    stage: Stage,
}

impl Search {
    /// A search from the game's current position, with its whole history. `limit` is a number of simulations or a
    /// [`Limit`]. All randomness comes from `rng`. If the game is over, the search is already done.
    pub fn new(game: Game, config: &SearchConfig, limit: impl Into<Limit>, rng: ChaCha8Rng) -> Self {
        let limit = limit.into();
        let player = game.position().side_to_move();
        let mut search = Self {
            config: config.with_method_for(limit),
            limit,
            rng,
            player,
            walk: Walk::new(game),
            tree: Tree::default(),
            spare: Tree::default(),
            root: Root::new(player, &MoveList::default()),
            rounds: Rounds::default(),
            simulations: Simulations::default(),
            kept_visits: 0,
            stage: Stage::AwaitRoot,
        };
        search.set_draw_value();
        search.begin(Vec::new());
        search
    }

    /// A search like [`Search::new`]'s, with random numbers that depend on `seed` and on the game's ply. So the search of
    /// one ply does not influence another.
    pub fn seeded(game: Game, config: &SearchConfig, limit: impl Into<Limit>, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::from(game.ply()));
        Self::new(game, config, limit, rng)
    }

    /// Appends the positions that the search needs evaluated next, and returns their number. Call [`Search::apply`]
    /// with the evaluations before you call this again.
    ///
    /// The number is 0 if the search is done ([`Search::is_done`]). It is also 0 if many simulations in a row ended in
    /// known results, so that the caller can check the clock.
    ///
    /// With [`Method::Gumbel`](crate::Method::Gumbel) the positions are the leaves of one halving round. They are in
    /// different subtrees, so the result is the same as if they were gathered one by one.
    ///
    /// # Panics
    /// If the evaluations of the last gathering were not applied.
    pub fn gather(&mut self, situations: &mut Vec<Situation>) -> usize {
        self.gather_at_most(situations, usize::MAX)
    }

    /// Like [`Search::gather`], with a limit of at least 1 on the number of situations.
    ///
    /// # Panics
    /// If the evaluations of the last gathering were not applied.
    pub fn gather_at_most(&mut self, situations: &mut Vec<Situation>, limit: usize) -> usize {
        assert!(!self.simulations.awaits_evaluations(), "apply the last gathering's evaluations first");
        match self.stage {
            Stage::Done(_) => return 0,
            Stage::AwaitRoot => {
                situations.push(self.simulations.ask_root(&mut self.tree, &mut self.walk, self.root.side));
                return 1;
            }
            Stage::Running => {}
        }
        let (mut n_situations, mut n_rounds) = (0, 0);
        while n_situations < limit.max(1) && n_rounds < ROUNDS_WITHOUT_SITUATIONS {
            match self.next() {
                Next::Simulate(entry) => {
                    let Self { simulations, root, tree, walk, config, .. } = self;
                    match simulations.descend(entry, root, tree, walk, config) {
                        Descended::Ask(situation) => {
                            situations.push(situation);
                            n_situations += 1;
                        }
                        Descended::Collision => {
                            self.rounds.put_back();
                            break;
                        }
                        Descended::Known | Descended::Full => {}
                    }
                }
                Next::Wait if n_situations > 0 => break,
                // Every simulation of the round ended in a known result.
                Next::Wait => {
                    self.take_evaluations(&[]);
                    n_rounds += 1;
                }
                Next::Finish(stop) => {
                    self.stage = Stage::Done(stop);
                    break;
                }
            }
        }
        n_situations
    }

    /// Applies the evaluations of the last gathering, in the same order.
    ///
    /// # Panics
    /// If their number differs from the number of situations, or one does not have a logit for each move.
    pub fn apply(&mut self, evaluations: &[Evaluation]) {
        self.take_evaluations(evaluations);
        if self.stage == Stage::AwaitRoot && self.tree.node(ROOT).state == State::Expanded {
            self.start();
        } else if self.stage == Stage::Running && self.rounds.is_idle() {
            // `is_done` must be true now, without another call of `gather`.
            self.finish_if_over();
        }
    }

    /// Whether the search has ended, so that gathering returns nothing.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done(_))
    }

    /// Ends the search now, for example because time is up. Simulations in flight are undone.
    pub fn stop(&mut self) {
        self.withdraw();
        if !self.is_done() {
            self.stage = Stage::Done(Stop::Asked);
        }
    }

    /// Whether to gather again, `elapsed` after the start. If the limit's time is up, this stops the search, but not
    /// before its root is evaluated.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Instant;
    /// use rand::{SeedableRng, rngs::ChaCha8Rng};
    /// use tablut_rules::{Game, Rules, Side};
    /// use tablut_search::{Evaluator, Limit, Search, SearchConfig, UniformEvaluator};
    ///
    /// let game = Game::new(Arc::new(Rules::named("kvasir")?), Side::Attackers);
    /// let limit: Limit = "500/20ms".parse()?;
    /// let mut search = Search::new(game, &SearchConfig::for_play(), limit, ChaCha8Rng::seed_from_u64(7));
    /// let (begin, mut situations) = (Instant::now(), Vec::new());
    /// while search.goes_on(begin.elapsed()) {
    ///     search.gather(&mut situations);
    ///     search.apply(&UniformEvaluator.evaluate(&situations)?);
    ///     situations.clear();
    /// }
    /// println!("{}", search.result().chosen);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn goes_on(&mut self, elapsed: Duration) -> bool {
        if self.stage == Stage::Running && self.limit.time().is_some_and(|time| elapsed >= time) {
            self.stop();
        }
        !self.is_done()
    }

    /// Plays `mv`, keeps its subtree, and starts a new search with the same settings and limit.
    ///
    /// # Panics
    /// If the move is illegal.
    pub fn advance(&mut self, mv: Move) {
        self.withdraw();
        self.walk.game.play(mv).expect("the caller checked the move");
        let edge = self.tree.nodes.first().and_then(|_| self.tree.edges_of(ROOT).find(|(_, edge)| edge.mv == mv));
        match edge.map_or(NONE, |(_, edge)| edge.child) {
            NONE => self.tree.clear(),
            child => self.tree.keep(child, &mut self.spare),
        }
        self.begin(Vec::new());
    }

    /// Starts a new search from the same position with other settings or another limit. It keeps the tree, unless the
    /// temperature of its priors or the value of a draw changes.
    pub fn configure(&mut self, config: &SearchConfig, limit: impl Into<Limit>) {
        self.withdraw();
        let before = (self.config.prior_temperature(), self.config.draw_value);
        let solved = self.config.solver.is_on();
        self.limit = limit.into();
        self.config = config.with_method_for(self.limit);
        if (self.config.prior_temperature(), self.config.draw_value) != before {
            self.tree.clear();
            self.set_draw_value();
        }
        // The position is the same, so the results after its moves are, too.
        let known = self.root.entries.iter().map(|entry| entry.known_result);
        self.begin(if solved { known.collect() } else { Vec::new() });
    }

    /// Sets the value of a draw in the empty tree.
    fn set_draw_value(&mut self) {
        self.tree.set_draw_value(turned(self.config.draw_value.to(self.player), self.player));
    }

    /// The game at the root position.
    pub fn game(&self) -> &Game {
        &self.walk.game
    }

    /// Simulations of this search so far, without those of kept visits.
    pub fn simulations(&self) -> u32 {
        self.simulations.n_done
    }

    /// Why the search ended, or `None` while it runs.
    pub fn stopped(&self) -> Option<Stop> {
        match self.stage {
            Stage::Done(stop) => Some(stop),
            Stage::AwaitRoot | Stage::Running => None,
        }
    }

    /// The simulations that the limit allows, kept visits included.
    fn budget(&self) -> u32 {
        self.limit.simulations().unwrap_or(u32::MAX).min(MOST_SIMULATIONS)
    }

    /// The memory that the tree takes.
    pub fn memory(&self) -> Memory {
        self.tree.memory()
    }

    /// The maximum number of bytes of a tree with `n_nodes` nodes, whose positions have at most `n_moves` legal moves
    /// each.
    pub fn most_bytes(n_nodes: u32, n_moves: usize) -> u64 {
        u64::from(n_nodes) * Tree::most_bytes_per_node(n_moves) as u64
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}
