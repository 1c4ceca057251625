//! The stages of a search: it evaluates the root, runs simulations, and ends.

use super::root::{Root, RootView};
use super::rounds::{Next, Rounds};
use super::{Search, Stage};
use crate::config::{Method, Solver};
use crate::evaluator::Evaluation;
use crate::limit::Stop;
use crate::proof::Proof;
use crate::tree::ROOT;

impl Search {
    pub(super) fn at_root(&self) -> RootView<'_> {
        RootView { root: &self.root, tree: &self.tree, config: &self.config }
    }

    /// Prepares a search of the current position, with the kept tree if there is one. `known` has the solver's result after
    /// each move, or is empty.
    pub(super) fn begin(&mut self, known: Vec<Option<Proof>>) {
        self.simulations.reset();
        self.kept_visits = 0;
        let side = self.walk.game.position().side_to_move();
        self.root = Root::new(side, self.walk.list_moves());
        self.rounds = Rounds::default();
        if self.root.entries.is_empty() {
            self.tree.clear();
            self.stage = Stage::Done(Stop::GameOver);
            return;
        }
        if self.config.solver.is_on() {
            if known.len() == self.root.entries.len() {
                for (entry, known) in self.root.entries.iter_mut().zip(known) {
                    entry.known_result = known;
                }
            } else if !self.look_as_at_a_leaf() {
                self.walk.proofs_after(self.root.entries.iter_mut().map(|entry| (entry.mv, &mut entry.known_result)));
            }
        }
        self.stage = Stage::AwaitRoot;
        if self.tree.has_expanded_root() {
            self.start();
            return;
        }
        self.tree.reset();
        if self.root.known_result().is_some() {
            // No evaluation is needed.
            self.tree.await_evaluation(ROOT, self.walk.moves(), &[]);
            self.start();
        }
    }

    /// Marks the root moves that lose at once, as at a leaf. A root that was a leaf of the search before has them
    /// already. Returns false if the root needs a closer look, because it has a proven result, or the search is a large one:
    /// in a small search a closer look at every root takes an eighth of the time.
    fn look_as_at_a_leaf(&mut self) -> bool {
        let Self { config, walk, root, tree, .. } = self;
        if config.method == Method::Puct || config.solver != Solver::Deep {
            return false;
        }
        let lost = Some(Proof::win_at_once(root.side.opponent()));
        if tree.has_expanded_root() {
            for candidate in tree.lost_moves(ROOT) {
                for entry in root.entries.iter_mut().filter(|entry| entry.mv == candidate.mv) {
                    entry.known_result = lost;
                }
            }
            return true;
        }
        if walk.leaf_proof(Solver::Deep).is_some() {
            return false;
        }
        for (entry, _) in root.entries.iter_mut().zip(walk.lost()).filter(|(_, lost)| **lost) {
            entry.known_result = lost;
        }
        true
    }

    /// Starts the simulations. The root's moves are known, and the root is evaluated unless its result is known.
    pub(super) fn start(&mut self) {
        self.root.link(&self.tree);
        self.root.prove_known_moves(&mut self.tree, self.config.solver.is_on());
        self.kept_visits = self.tree.edges_of(ROOT).map(|(_, edge)| edge.visits).sum();
        self.root.draw(&self.config, self.walk.game.ply(), &mut self.rng);
        if self.config.method != Method::Puct {
            let n_open = self.at_root().open_entries().count();
            self.rounds = Rounds::new(&self.config, n_open, self.budget());
        }
        self.stage = Stage::Running;
        self.finish_if_over();
    }

    pub(super) fn take_evaluations(&mut self, evaluations: &[Evaluation]) {
        self.simulations.take_evaluations(evaluations, &mut self.tree, &self.config);
    }

    pub(super) fn withdraw(&mut self) {
        self.simulations.withdraw(&mut self.root, &mut self.tree, &self.config);
    }

    /// The next action. In a PUCT search the method's formula chooses each root move.
    pub(super) fn next(&mut self) -> Next {
        let n_in_flight = self.simulations.n_in_flight();
        if self.simulations.is_full {
            return if n_in_flight > 0 { Next::Wait } else { Next::Finish(Stop::Memory) };
        }
        let at = RootView { root: &self.root, tree: &self.tree, config: &self.config };
        if self.config.method != Method::Puct {
            return self.rounds.next(at, n_in_flight > 0);
        }
        let budget = self.budget().saturating_sub(self.kept_visits);
        let left = budget.saturating_sub(self.simulations.n_done + n_in_flight as u32);
        if n_in_flight == 0 {
            if left == 0 {
                return Next::Finish(Stop::Simulations);
            }
            let draws_move = self.config.puct.temperature_at(self.walk.game.ply()) > 0.0;
            if let Some(stop) = at.early_stop().or_else(|| if draws_move { None } else { at.leader_stop(left) }) {
                return Next::Finish(stop);
            }
        }
        // In a small tree virtual losses would dominate the choice, so few leaves are in flight.
        let n_allowed = self.config.leaves_in_flight.min(1 + self.tree.node(ROOT).visits / 16);
        if left == 0 || n_in_flight >= n_allowed as usize {
            return Next::Wait;
        }
        Next::Simulate(self.simulations.selection.choose_root_move(at))
    }

    /// Ends the search if it has nothing more to do.
    pub(super) fn finish_if_over(&mut self) {
        match self.next() {
            Next::Finish(stop) => self.stage = Stage::Done(stop),
            Next::Simulate(_) => self.rounds.put_back(),
            Next::Wait => {}
        }
    }
}
