//! What a search finds without an evaluation: the end of the game and a win in one ply at every leaf, what
//! [`crate::LeafSolver`] sees there, and wins in three plies near the root.
//!
//! Around the root all moves are played on the game itself. So the search also notices if a repetition or a limit ends
//! the game before the threat is carried out. Such an ending never counts as lost here; the tree finds its value.

use tablut_rules::{Position, Reason, Side};

use super::Search;
use super::simulation::Descended;
use crate::config::{Repeats, Solver};
use crate::leaf::LeafDepth;
use crate::proof::{Proof, backed_up};
use crate::tree::{NONE, NodeId, ROOT};

impl Search {
    /// Checks whether the result of a new node is known, and otherwise requests its evaluation. The game is at the node.
    pub(super) fn resolve_or_ask(&mut self, id: NodeId) -> Descended {
        if let Some(outcome) = self.game.outcome() {
            self.tree.prove(id, Proof::of_outcome(outcome));
            return Descended::Known;
        }
        let mover = self.game.position().side_to_move();
        if self.config.solver.is_on() && self.game.rules().wins_at_once(self.game.position(), mover) {
            self.tree.prove(id, Proof::win_at_once(mover));
            return Descended::Known;
        }
        self.game.legal_moves(&mut self.scratch.moves);
        self.scratch.leaf.clear();
        let depth = match self.config.solver {
            Solver::Off => None,
            Solver::Threats => Some(LeafDepth::Threats),
            Solver::Deep => Some(LeafDepth::Deep),
        };
        let seen = depth.and_then(|depth| self.scratch.leaf.look(&mut self.game, &self.scratch.moves, depth));
        if let Some(proof) = seen {
            self.tree.prove(id, proof);
            return Descended::Known;
        }
        if self.config.repeats == Repeats::Drawn && self.repeats_below_root() {
            // It stays a leaf.
            let (q, draws) = self.tree.worth_of(None);
            let leaf = self.tree.node_mut(id);
            (leaf.q, leaf.draws) = (q, draws);
            return Descended::Known;
        }
        self.tree.await_evaluation(id, &self.scratch.moves, self.scratch.leaf.lost());
        Descended::Ask(self.query())
    }

    /// Whether the game continues and `side`, to move, wins at once.
    fn wins_now(&self, side: Side) -> bool {
        self.game.outcome().is_none() && self.game.rules().wins_at_once(self.game.position(), side)
    }

    /// Looks at the result of each root move. The legal moves are in `scratch`.
    pub(super) fn look_at_root_moves(&mut self) {
        let side = self.root.side;
        for index in 0..self.root.entries.len() {
            self.game.play_trusted(self.root.entries[index].mv);
            self.root.entries[index].known_result = match self.game.outcome() {
                Some(outcome) => Some(Proof::of_outcome(outcome)),
                None if self.wins_now(side.opponent()) => Some(Proof::win_at_once(side.opponent())),
                None if self.wins_later(side) => Some(Proof::win_at_once(side).one_ply_earlier()),
                None => None,
            };
            self.game.undo();
        }
    }

    /// `side` has just moved and wins with its next move whatever the opponent replies: by capture or escape, or
    /// because the opponent has no move left. It need not threaten anything; the opponent may be in zugzwang.
    fn wins_later(&mut self, side: Side) -> bool {
        let mut replies = std::mem::take(&mut self.scratch.replies);
        self.game.legal_moves(&mut replies);
        let wins = replies.iter().all(|reply| {
            // The first few replies usually refute it, so this costs little if there is nothing to find.
            let after = self.game.rules().apply(self.game.position(), *reply).position;
            if !self.game.rules().wins_at_once(&after, side) && !self.is_nearly_blocked(&after, side.opponent()) {
                return false;
            }
            self.game.play_trusted(*reply);
            let wins = self.wins_now(side) || self.blocks_now(side);
            self.game.undo();
            wins
        });
        self.scratch.replies = replies;
        wins
    }

    /// Whether one move could leave `side` without a move. A move takes the last step only from pieces next to the
    /// square that it lands on, and captures no others. These are at most three, because the fourth neighbour is on the
    /// side that the move came from.
    fn is_nearly_blocked(&self, position: &Position, side: Side) -> bool {
        let rules = self.game.rules();
        let open_to_all = !(rules.throne() | rules.corners() | rules.camps() | position.occupied());
        (position.pieces(side) & open_to_all.neighbours()).len() <= 3
    }

    /// Whether the game continues and a move of `side`, which is to move, leaves the opponent without a move.
    fn blocks_now(&mut self, side: Side) -> bool {
        if self.game.outcome().is_some() || !self.is_nearly_blocked(self.game.position(), side.opponent()) {
            return false;
        }
        let mut moves = std::mem::take(&mut self.scratch.blocking);
        self.game.legal_moves(&mut moves);
        let blocks = moves.iter().any(|mv| {
            let rules = self.game.rules();
            if rules.has_legal_move(&rules.apply(self.game.position(), *mv).position) {
                return false;
            }
            self.game.play_trusted(*mv);
            let outcome = self.game.outcome();
            self.game.undo();
            outcome.is_some_and(|outcome| outcome.winner == Some(side) && outcome.reason == Reason::NoMoves)
        });
        self.scratch.blocking = moves;
        blocks
    }

    /// Gives every root move with a known result a node with its proof.
    pub(super) fn prove_known_moves(&mut self) {
        self.tree.open_all(ROOT);
        for index in 0..self.root.entries.len() {
            let entry = self.root.entries[index];
            let Some(proof) = entry.known_result else { continue };
            let edge = if entry.edge == NONE { self.tree.add_edge_of(ROOT, entry.mv) } else { entry.edge };
            self.root.entries[index].edge = edge;
            let child = match self.tree.edge(edge).child {
                NONE => self.tree.add_child(edge),
                child => child,
            };
            self.tree.prove(child, proof);
            let value = self.tree.value_of(proof.winner);
            let edge = self.tree.edge_mut(edge);
            (edge.proof, edge.q) = (Some(proof), value);
        }
        // Moves that were proven in a kept tree count as well.
        let proofs = self.tree.edges_of(ROOT).filter_map(|(_, edge)| edge.proof);
        if let (true, Some(proof)) =
            (self.config.solver.is_on(), backed_up(self.root.side, self.root.entries.len(), proofs))
        {
            self.tree.prove(ROOT, proof);
        }
    }
}
