//! The way back up: evaluations enter the tree, values and proofs go to the root.

use tablut_rules::Side;

use super::{Pending, Search};
use crate::evaluator::Evaluation;
use crate::perspective::value_of;
use crate::proof::{Proof, backed_up};
use crate::tree::{NONE, NodeId, ROOT};

impl Search {
    /// Brings every simulation on its way to its end, in the order in which they set out.
    pub(super) fn settle(&mut self, evaluations: &[Evaluation]) {
        let mut answers = evaluations.iter();
        let pending = std::mem::take(&mut self.pending);
        for of in &pending {
            let value = if of.queried {
                let answer = answers.next().expect("an evaluation for each query");
                let logits = &mut self.scratch.logits;
                logits.clear();
                logits.extend_from_slice(&answer.logits);
                let n_moves = usize::from(self.tree.node(of.leaf).n_moves);
                assert_eq!(logits.len(), n_moves, "a logit for each move of the query");
                self.tree.expand(of.leaf, answer.value(), logits);
                self.evaluations += 1;
                answer.value()
            } else {
                self.tree.node(of.leaf).q
            };
            if let Some(entry) = of.entry {
                self.root.entries[entry].new_visits += 1;
                self.simulations += 1;
            }
            self.back_up(of, value);
        }
        assert!(answers.next().is_none(), "more evaluations than queries");
        self.pending = pending;
        self.pending.clear();
    }

    /// Counts a simulation in every node on its way, and carries proofs upwards.
    fn back_up(&mut self, of: &Pending, value: f32) {
        let (mut id, mut side, mut value) = (of.leaf, of.side, value);
        let marked = self.config.leaves_in_flight > 1;
        loop {
            let node = self.tree.node_mut(id);
            if let Some(proof) = node.proof {
                value = value_of(proof.winner);
            }
            node.add_visit(value);
            if marked {
                node.in_flight = node.in_flight.saturating_sub(1);
            }
            if id == ROOT {
                return;
            }
            let (parent, proof) = (node.parent, node.proof);
            (id, side) = (parent, side.opponent());
            if let (true, Some(proof)) = (self.config.solver.is_on(), proof) {
                self.prove_parent(parent, side, proof);
            }
        }
    }

    /// Backs up a child's proof to its parent, where `mover` is to move.
    fn prove_parent(&mut self, parent: NodeId, mover: Side, child: Proof) {
        let node = self.tree.node(parent);
        if node.proof.is_some() || (child.winner != Some(mover) && node.n_children < node.n_open) {
            return;
        }
        let lost = (node.n_open..node.n_moves).map(|_| Proof::win_at_once(mover.opponent()));
        let proofs = self.tree.children(parent).filter_map(|(_, child)| child.proof).chain(lost);
        if let Some(proof) = backed_up(mover, usize::from(node.n_moves), proofs) {
            self.tree.node_mut(parent).prove(proof);
        }
    }

    /// Undoes the simulations on their way, newest first, as if they had never set out.
    pub(super) fn withdraw(&mut self) {
        while let Some(of) = self.pending.pop() {
            let Some(_) = of.entry else {
                self.tree.reset(self.root.entries[0].mv);
                continue;
            };
            if self.config.leaves_in_flight > 1 {
                let mut id = of.leaf;
                while id != NONE {
                    let node = self.tree.node_mut(id);
                    node.in_flight = node.in_flight.saturating_sub(1);
                    id = node.parent;
                }
            }
            if of.created {
                self.root.forget(of.leaf);
                self.tree.remove_newest();
            }
        }
    }
}
