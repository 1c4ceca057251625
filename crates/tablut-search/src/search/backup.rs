//! Backup: evaluations enter the tree, and values and proofs go up to the root. A node's value is the mean over the
//! simulations through it.

use tablut_rules::Side;

use super::Search;
use super::simulation::Pending;
use crate::evaluator::Evaluation;
use crate::proof::{Proof, backed_up};
use crate::tree::{EdgeId, NodeId, ROOT};

impl Search {
    /// Takes the requested evaluations, and backs up every simulation in flight, in the order in which they started.
    pub(super) fn take_evaluations(&mut self, evaluations: &[Evaluation]) {
        self.expand_leaves(evaluations);
        self.count_pending();
    }

    /// Gives the leaves of the last gathering their evaluations.
    fn expand_leaves(&mut self, evaluations: &[Evaluation]) {
        let mut answers = evaluations.iter();
        for of in &self.pending {
            if !of.asked {
                continue;
            }
            let answer = answers.next().expect("an evaluation for each query");
            let logits = &mut self.scratch.logits;
            logits.clear();
            logits.extend_from_slice(&answer.logits);
            let temperature = self.config.prior_temperature();
            if temperature != 1.0 {
                for logit in logits.iter_mut() {
                    *logit /= temperature;
                }
            }
            let n_moves = usize::from(self.tree.node(of.leaf).n_moves);
            assert_eq!(logits.len(), n_moves, "a logit for each move of the query");
            self.tree.expand(of.leaf, self.tree.worth_of_evaluation(answer), logits);
            // Until the leaf has its first visit, this is the net's own value.
            let leaf = self.tree.node_mut(of.leaf);
            if leaf.visits == 0 {
                leaf.moves_left = answer.plies_left();
            }
            self.evaluations += 1;
        }
        assert!(answers.next().is_none(), "more evaluations than queries");
        self.n_asked = 0;
    }

    /// Backs up every simulation in flight.
    fn count_pending(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        let steps = std::mem::take(&mut self.steps);
        for (index, of) in pending.iter().enumerate() {
            if let Some(entry) = of.entry {
                self.root.entries[entry].new_visits += 1;
                self.simulations += 1;
            }
            let end = pending.get(index + 1).map_or(steps.len(), |next| next.first_step);
            self.back_up(of, &steps[of.first_step..end]);
        }
        pending.clear();
        (self.pending, self.steps) = (pending, steps);
        self.steps.clear();
    }

    /// Counts a simulation in every node of its path, and carries proofs up.
    fn back_up(&mut self, of: &Pending, steps: &[EdgeId]) {
        let leaf = self.tree.node(of.leaf);
        let mut worth = if of.asked { (leaf.raw_value, leaf.raw_draws) } else { (leaf.q, leaf.draws) };
        let plies_left = || leaf.proof.map_or(leaf.moves_left, |proof| f32::from(proof.plies));
        let mut moves_left = (self.config.moves_left > 0.0).then(plies_left);
        let (mut side, marked) = (of.side, self.marks_in_flight());
        for (at, step) in steps.iter().enumerate().rev() {
            let child = self.tree.edge(*step).child;
            let proof = self.tree.node(child).proof;
            if let Some(proof) = proof {
                worth = self.tree.worth_of(proof.winner);
            }
            self.tree.node_mut(child).add_visit(worth, moves_left);
            moves_left = moves_left.map(|plies| plies + 1.0);
            let edge = self.tree.update_edge(*step);
            edge.visits += 1;
            if marked {
                edge.in_flight = edge.in_flight.saturating_sub(1);
            }
            side = side.opponent();
            if let (true, Some(proof)) = (self.config.solver.is_on(), proof) {
                let parent = at.checked_sub(1).map_or(ROOT, |before| self.tree.edge(steps[before]).child);
                self.prove_parent(parent, side, proof);
            }
        }
        if let Some(proof) = self.tree.node(ROOT).proof {
            worth = self.tree.worth_of(proof.winner);
        }
        self.tree.node_mut(ROOT).add_visit(worth, moves_left);
    }

    /// Backs up a child's proof to its parent. `mover` is to move there.
    fn prove_parent(&mut self, parent: NodeId, mover: Side, child: Proof) {
        let node = self.tree.node(parent);
        let is_open = child.winner != Some(mover) && node.n_edges < node.n_open;
        if is_open || node.proof.is_some() {
            return;
        }
        let lost = (node.n_open..node.n_moves).map(|_| Proof::win_at_once(mover.opponent()));
        let proofs = self.tree.edges_of(parent).filter_map(|(_, edge)| edge.proof).chain(lost);
        if let Some(proof) = backed_up(mover, usize::from(node.n_moves), proofs) {
            self.tree.prove(parent, proof);
        }
    }

    /// Undoes the simulations in flight, newest first, as if they had never started.
    pub(super) fn withdraw(&mut self) {
        while let Some(of) = self.pending.pop() {
            self.withdraw_one(&of);
        }
        self.n_asked = 0;
    }

    fn withdraw_one(&mut self, of: &Pending) {
        if of.entry.is_none() {
            self.tree.reset();
            return;
        }
        if self.marks_in_flight() {
            for step in &self.steps[of.first_step..] {
                let edge = self.tree.edge_mut(*step);
                edge.in_flight = edge.in_flight.saturating_sub(1);
            }
        }
        let last = self.steps[self.steps.len() - 1];
        if of.is_new {
            let parent = match self.steps.len() - 1 {
                at if at > of.first_step => self.tree.edge(self.steps[at - 1]).child,
                _ => ROOT,
            };
            self.root.forget(last);
            self.tree.remove_newest_child(parent);
        } else if of.asked {
            self.tree.forget_request(of.leaf);
        }
        self.steps.truncate(of.first_step);
    }
}
