//! The start of a search: with the kept tree or a fresh one, and with what is known without an evaluation.

use super::simulation::Pending;
use super::{Search, Stage, Stop};
use crate::evaluator::Query;
use crate::tree::{ROOT, State};

impl Search {
    /// Prepares a search of the current position, with the kept tree if there is one.
    pub(super) fn begin(&mut self) {
        (self.simulations, self.kept_visits, self.evaluations, self.full) = (0, 0, 0, false);
        let side = self.game.position().side_to_move();
        self.game.legal_moves(&mut self.scratch.moves);
        self.root.reset(side, &self.scratch.moves);
        if self.config.solver.is_on() {
            self.look_at_root_moves();
        }
        let Some(_) = self.scratch.moves.first() else {
            self.tree.clear();
            self.stage = Stage::Done(Stop::GameOver);
            return;
        };
        self.stage = Stage::AwaitRoot;
        if self.tree.nodes.first().is_some_and(|root| root.state == State::Expanded) {
            self.start();
            return;
        }
        self.tree.reset();
        if self.root.known_result().is_some() {
            // There is only one move, so no evaluation is needed.
            self.tree.await_evaluation(ROOT, &self.scratch.moves, &[]);
            self.start();
        }
    }

    /// Starts the simulations. The root's moves are known, and the root is evaluated unless its result is known.
    pub(super) fn start(&mut self) {
        self.root.link(&self.tree);
        self.prove_known_moves();
        self.kept_visits = self.tree.edges_of(ROOT).map(|(_, edge)| edge.visits).sum();
        let n_open = self.root.entries.iter().filter(|entry| !self.is_refuted(entry)).count();
        let budget = self.budget();
        self.root.draw(&self.config, budget, n_open, self.game.ply(), &mut self.rng);
        self.stage = Stage::Running;
        self.finish_if_over();
    }

    pub(super) fn ask_root(&mut self) -> Query {
        self.game.legal_moves(&mut self.scratch.moves);
        self.tree.await_evaluation(ROOT, &self.scratch.moves, &[]);
        let side = self.root.side;
        self.pending.push(Pending { leaf: ROOT, entry: None, side, asked: true, first_step: 0, is_new: false });
        self.query()
    }

    /// The query for the game's current position. Its legal moves are in `scratch`.
    pub(super) fn query(&self) -> Query {
        Query {
            rules: self.game.rules().clone(),
            position: *self.game.position(),
            occurrences: self.game.occurrences(),
            plies_since_capture: self.game.plies_since_capture(),
            moves: self.scratch.moves.to_vec(),
        }
    }
}
