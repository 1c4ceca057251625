//! The position of a simulation in the game, and the node that belongs to it.
//!
//! # When paths meet
//!
//! A path is *fresh* if no position has repeated on it since its last capture, including the game's own history. (No
//! position from before a capture can occur again.) Fresh paths that lead to the same state of the game meet in one
//! node. The state is the position, plus the plies since the last capture and the ply if rules end games by them. After
//! a path that is not fresh, results depend on how often each of its positions occurred. So such a path has its own
//! nodes: there the graph is a tree until a capture makes the path fresh again.
//!
//! No path visits a node twice, because it would not be fresh the second time. Edges may form cycles, but no descent
//! follows one. A move may lead to a fresh node on most paths, but repeat a position on this path. Then the simulation
//! takes a *detour*: it skips the move's edge and goes to a node of this path alone, which it finds by the path.

use tablut_rules::Move;

use super::Search;
use super::simulation::PathState;
use crate::config::Repeats;
use crate::graph::{EdgeId, Key, NONE, NodeId, Paths, ROOT};

/// A node that a move led to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub node: NodeId,
    pub is_new: bool,
    pub detour: bool,
}

impl Search {
    /// Plays a move and updates the state of the path.
    pub(super) fn play_on(&mut self, mv: Move, path_state: &mut PathState) {
        if self.follows_line() {
            self.line.push(self.game.position().hash());
        }
        self.game.play_trusted(mv);
        if !self.graph.shares() {
            return;
        }
        path_state.path = path_state.path.after(mv);
        path_state.recurred = match self.game.plies_since_capture() {
            0 => false,
            plies => path_state.recurred || self.recurs(plies as usize),
        };
    }

    /// Takes back a move of [`Search::play_on`].
    pub(super) fn take_back(&mut self) {
        self.game.undo();
        if self.follows_line() {
            self.line.pop();
        }
    }

    /// Whether a descent stores the positions of its path.
    fn follows_line(&self) -> bool {
        self.graph.shares() || self.config.repeats == Repeats::Drawn
    }

    /// Whether the current position was on the path before, including the root.
    pub(super) fn repeats_below_root(&self) -> bool {
        let hash = self.game.position().hash();
        let below = self.line.get(self.n_line_before_root..).unwrap_or_default();
        below.iter().rev().skip(1).step_by(2).any(|earlier| *earlier == hash)
    }

    /// Whether the current position occurred in the last plies. Only every second one has the same side to move. Two
    /// positions with the same hash count as one; then two paths do not meet although they could, which does no harm.
    fn recurs(&self, plies: usize) -> bool {
        let hash = self.game.position().hash();
        let reach = &self.line[self.line.len().saturating_sub(plies)..];
        reach.iter().rev().skip(1).step_by(2).any(|earlier| *earlier == hash)
    }

    /// Stores the game's history since the last capture.
    pub(super) fn follow_history(&mut self) {
        let mut game = self.game.clone();
        for _ in 0..self.game.plies_since_capture() {
            if game.undo().is_some() {
                self.line.push(game.position().hash());
            }
        }
        self.line.reverse();
        let all: Vec<u64> = self.line.iter().copied().chain([self.game.position().hash()]).collect();
        self.root_path_state.recurred = (0..all.len()).any(|at| all[..at].contains(&all[at]));
    }

    /// Makes a kept node the root. From now on only the game's own path leads to it.
    pub(super) fn root_the_graph(&mut self) {
        let (path_state, root) = (self.root_path_state, *self.graph.node(ROOT));
        if root.paths == Paths::One {
            return;
        }
        let proof = self.graph.proof_on(ROOT, path_state.path);
        let value = proof.map(|proof| self.graph.value_of(proof.winner));
        let node = self.graph.node_mut(ROOT);
        (node.paths, node.proof) = (Paths::One, proof);
        node.q = value.unwrap_or(node.q);
        let mut id = root.first_edge;
        while id != NONE {
            let edge = *self.graph.edge(id);
            let mut after = path_state;
            self.play_on(edge.mv, &mut after);
            let known = if edge.child == NONE || after.recurred { None } else { Some(edge.child) };
            self.take_back();
            let proof = known.and_then(|child| edge.proof.or_else(|| self.graph.proof_on(child, after.path)));
            let of = self.graph.edge_mut(id);
            of.proof = proof;
            if known.is_none() {
                // In this game the position is a repetition, so the old results do not count here.
                (of.child, of.visits, of.q) = (NONE, 0, 0.0);
            }
            id = edge.next;
        }
    }

    /// The node that an edge of `from` leads to. The game is after the edge's move. The node is made if there is none,
    /// unless that would exceed `max_nodes`.
    pub(super) fn arrive(
        &mut self,
        from: NodeId,
        edge: EdgeId,
        path_state: &PathState,
        max_nodes: u32,
    ) -> Option<Arrival> {
        let child = self.graph.edge(edge).child;
        let detour = path_state.recurred && self.graph.node(from).paths != Paths::One;
        if child != NONE && !detour {
            return Some(Arrival { node: child, is_new: false, detour });
        }
        let found = if !self.graph.shares() || (path_state.recurred && !detour) {
            None
        } else {
            self.graph.find(self.key(path_state))
        };
        if found.is_none() && self.graph.nodes.len() >= max_nodes as usize {
            return None;
        }
        let node = found.unwrap_or_else(|| self.make_node(path_state, detour));
        if detour {
            self.graph.node_mut(from).paths = Paths::ManyWithDetours;
        } else {
            self.graph.edge_mut(edge).child = node;
        }
        Some(Arrival { node, is_new: found.is_none(), detour })
    }

    fn make_node(&mut self, path_state: &PathState, detour: bool) -> NodeId {
        if !self.graph.shares() || (path_state.recurred && !detour) {
            // Its edge finds it.
            return self.graph.add_hidden();
        }
        let paths = if detour { Paths::One } else { Paths::Many };
        self.graph.add_listed(paths, self.key(path_state))
    }

    /// The key of the current position's node.
    fn key(&self, path_state: &PathState) -> Key {
        if path_state.recurred { Key::of_path(path_state.path) } else { Key::of_state(&self.game) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
    use tablut_rules::{Game, MoveList, RULE_SET_NAMES, RepetitionResult, Rules, Side};

    use super::*;
    use crate::config::{Method, SearchConfig, Solver};
    use crate::evaluator::{EvaluateError, Evaluation, Evaluator, Query};
    use crate::graph::State;

    /// Prefers a few moves, the same ones everywhere, so that pieces move back and forth.
    struct Habits;

    impl Evaluator for Habits {
        fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
            let evaluate = |query: &Query| {
                let attackers = (query.position.hash() % 101) as f32 / 100.0;
                let liking = |mv: &Move| f32::from((mv.from.index() + mv.to.index()).is_multiple_of(5)) * 8.0;
                let logits = query.moves.iter().map(liking).collect();
                Evaluation { logits, wdl: [attackers, 0.0, 1.0 - attackers], moves_left: 0.0 }
            };
            Ok(queries.iter().map(evaluate).collect())
        }
    }

    /// The nodes of a simulation's path, the root first.
    fn nodes_of_path(search: &Search, first: usize, end: usize) -> Vec<NodeId> {
        std::iter::once(ROOT).chain(search.steps[first..end].iter().map(|step| step.node)).collect()
    }

    /// A few pieces that move back and forth, without a proof that stops them.
    fn sparse(rules: &Arc<Rules>, seed: u64) -> Game {
        let positions = ["9/9/9/3K5/9/9/9/9/t8 d", "9/9/9/3K5/9/9/2T6/9/t7t a", "9/2t6/9/3K5/9/6t2/9/9/t8 a"];
        let position = positions[seed as usize % positions.len()].parse().expect("a position");
        let mut game = Game::from_position(rules.clone(), position).expect("a king");
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let mut moves = MoveList::new();
        for _ in 0..dice.next_u32() % 6 {
            game.legal_moves(&mut moves);
            game.play(moves[dice.next_u32() as usize % moves.len()]).expect("a legal move");
            if game.outcome().is_some() {
                game.undo();
                break;
            }
        }
        game
    }

    fn run(search: &mut Search) {
        let mut queries = Vec::new();
        while !search.is_done() {
            search.gather(&mut queries);
            search.apply(&Habits.evaluate(&queries).expect("a fake"));
            queries.clear();
        }
    }

    fn rules_of_all_kinds() -> Vec<Arc<Rules>> {
        let named = RULE_SET_NAMES.iter().map(|name| Rules::named(name).expect("a built-in rule set"));
        let mut ignored = Rules::named("kvasir").expect("a built-in rule set").set().clone();
        ignored.repetition.result = RepetitionResult::Ignored;
        named.chain([Rules::new(ignored).expect("a sound rule set")]).map(Arc::new).collect()
    }

    #[test]
    fn no_path_comes_to_a_node_twice_and_shared_nodes_stand_for_one_state() {
        let (mut n_paths, mut deepest, mut n_detours, mut n_shared) = (0, 0, 0, 0);
        for rules in rules_of_all_kinds() {
            for seed in 0..6 {
                let config = SearchConfig {
                    simulations: 1500,
                    method: if seed % 2 == 0 { Method::Puct } else { Method::Gumbel },
                    solver: Solver::Off,
                    transpositions: true,
                    leaves_in_flight: if seed < 4 { 1 } else { 4 },
                    stop_early: false,
                    ..SearchConfig::default()
                };
                let mut search = Search::new(sparse(&rules, seed), &config, ChaCha8Rng::seed_from_u64(seed));
                let mut states = std::collections::HashMap::new();
                let mut queries = Vec::new();
                while !search.is_done() {
                    search.gather(&mut queries);
                    for (at, of) in search.pending.iter().enumerate().filter(|(_, of)| of.entry.is_some()) {
                        let end = search.pending.get(at + 1).map_or(search.steps.len(), |next| next.first_step);
                        let nodes = nodes_of_path(&search, of.first_step, end);
                        let mut different = nodes.clone();
                        different.sort_unstable();
                        different.dedup();
                        assert_eq!(different.len(), nodes.len(), "{} seed {seed}: {nodes:?}", rules.name());
                        (n_paths, deepest) = (n_paths + 1, deepest.max(nodes.len()));
                        // The state at a node is the same for every path to it.
                        let mut game = search.game.clone();
                        for step in &search.steps[of.first_step..end] {
                            game.play(search.graph.edge(step.edge).mv).expect("a legal path");
                            n_detours += usize::from(step.detour);
                            n_shared += usize::from(search.graph.node(step.node).paths != Paths::One);
                            let state = *states.entry(step.node).or_insert(Key::of_state(&game));
                            assert_eq!(state, Key::of_state(&game), "{} seed {seed}", rules.name());
                        }
                    }
                    search.apply(&Habits.evaluate(&queries).expect("a fake"));
                    queries.clear();
                }
                assert_eq!(search.game().position().side_to_move(), search.root.side);
                assert!(search.graph.edges.iter().all(|edge| edge.in_flight == 0), "a mark was left");
            }
        }
        assert!(n_paths > 50_000 && deepest > 6, "{n_paths} paths, the deepest of {deepest} nodes");
        assert!(n_detours > 100 && n_shared > 10_000, "{n_detours} detours, {n_shared} steps to shared nodes");
    }

    /// If there was no detour, a node's mean is the mean of its own evaluation and of its edges' visits, each with the
    /// value that it counted with.
    #[test]
    fn means_are_made_of_what_the_edges_count() {
        let (mut n_checked, mut n_shared) = (0, 0);
        for (index, rules) in rules_of_all_kinds().iter().enumerate() {
            let method = if index % 2 == 0 { Method::Puct } else { Method::Gumbel };
            let config = SearchConfig {
                simulations: 1200,
                method,
                solver: Solver::Off,
                transpositions: true,
                stop_early: false,
                ..SearchConfig::default()
            };
            let mut search =
                Search::new(Game::new(rules.clone(), Side::Attackers), &config, ChaCha8Rng::seed_from_u64(3));
            run(&mut search);
            for (id, node) in (0..).zip(&search.graph.nodes) {
                if node.state != State::Expanded || node.paths == Paths::ManyWithDetours {
                    continue;
                }
                let edges = || search.graph.edges_of(id).map(|(_, edge)| edge);
                let visits: u32 = edges().map(|edge| edge.visits).sum();
                assert_eq!(node.visits, visits + 1, "{}", rules.name());
                let sum: f32 = edges().map(|edge| edge.visits as f32 * edge.q).sum();
                let mean = (node.raw_value + sum) / node.visits as f32;
                assert!((node.q - mean).abs() < 1e-3, "{}: {} is not {mean}", rules.name(), node.q);
                n_checked += 1;
                n_shared += edges().filter(|edge| search.graph.node(edge.child).visits > edge.visits).count();
            }
            let root: u32 = search.graph.edges_of(ROOT).map(|(_, edge)| edge.visits).sum();
            assert_eq!(root, 1200, "{}", rules.name());
        }
        assert!(
            n_checked > 5_000 && n_shared > 300,
            "{n_checked} means, {n_shared} edges to nodes that others visited"
        );
    }
}
