//! Backup: evaluations enter the tree, and values and proofs go up to the root.
//!
//! A node's value is the mean over the simulations through it. If other paths have visited a child too, an edge's
//! visits count in its node's mean with the child's current value. For an edge with v visits, the sum of the mean
//! changes by (v + 1) · q − v · q'. Here q is the child's current value, and q' is the value with which the edge's
//! visits counted before. If no other path visited the child, this is the simulation's own value, which is then counted
//! as in any tree. (`KataGo`'s docs/GraphSearch.md; Czech, Korus and Kersting 2021, "Monte-Carlo Graph Search for
//! `AlphaZero`".)

use tablut_rules::Side;

use super::Search;
use super::simulation::{LeafKind, Pending, Step};
use crate::evaluator::Evaluation;
use crate::graph::{NodeId, Path, Paths, ROOT};
use crate::proof::{Proof, backed_up};

impl Search {
    /// Takes the requested evaluations. Unless the round continues, it backs up every simulation in flight, in the
    /// order in which they started.
    pub(super) fn take_evaluations(&mut self, evaluations: &[Evaluation]) {
        self.expand_leaves(evaluations);
        if !(self.counts_by_rounds() && self.round_goes_on()) {
            self.count_pending();
        }
    }

    /// Gives the leaves of the last gathering their evaluations.
    fn expand_leaves(&mut self, evaluations: &[Evaluation]) {
        let mut answers = evaluations.iter();
        for of in &self.pending[self.n_answered..] {
            if of.end != LeafKind::Asked {
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
            let n_moves = usize::from(self.graph.node(of.leaf).n_moves);
            assert_eq!(logits.len(), n_moves, "a logit for each move of the query");
            self.graph.expand(of.leaf, self.graph.value_of_evaluation(answer), logits);
            // Until the leaf has its first visit, this is the net's own value.
            let leaf = self.graph.node_mut(of.leaf);
            if leaf.visits == 0 {
                leaf.moves_left = answer.plies_left();
            }
            self.evaluations += 1;
        }
        assert!(answers.next().is_none(), "more evaluations than queries");
        (self.n_answered, self.n_asked) = (self.pending.len(), 0);
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
        self.n_answered = 0;
        self.first_new = self.graph.nodes.len() as NodeId;
    }

    /// Counts a simulation in every node of its path, and carries proofs up.
    fn back_up(&mut self, of: &Pending, steps: &[Step]) {
        let leaf = self.graph.node(of.leaf);
        let mut value = match of.end {
            LeafKind::Asked => leaf.raw_value,
            LeafKind::Known | LeafKind::CaughtUp => leaf.q,
        };
        let plies_left = || leaf.proof.map_or(leaf.moves_left, |proof| f32::from(proof.plies));
        let mut moves_left = self.config.moves_left.is_on().then(plies_left);
        let mut side = of.side;
        for (at, step) in steps.iter().enumerate().rev() {
            let caught_up = of.end == LeafKind::CaughtUp && at + 1 == steps.len();
            let proof = self.graph.proof_on(step.node, step.path);
            if let Some(proof) = proof {
                value = self.graph.value_of(proof.winner);
            }
            if !caught_up {
                self.graph.node_mut(step.node).add_visit(value, moves_left);
            }
            moves_left = moves_left.map(|plies| plies + 1.0);
            let (parent, path) = match at.checked_sub(1) {
                Some(before) => (steps[before].node, steps[before].path),
                None => (ROOT, self.root_path_state.path),
            };
            value = self.count_edge(step, parent, value, proof, caught_up);
            side = side.opponent();
            if let (true, Some(proof)) = (self.config.solver.is_on(), proof) {
                self.prove_parent(parent, path, side, proof);
            }
        }
        if let Some(proof) = self.graph.node(ROOT).proof {
            value = self.graph.value_of(proof.winner);
        }
        self.graph.node_mut(ROOT).add_visit(value, moves_left);
    }

    /// Counts a simulation with the given value in an edge, and returns its value for the edge's node.
    fn count_edge(&mut self, step: &Step, parent: NodeId, value: f32, proof: Option<Proof>, caught_up: bool) -> f32 {
        let child = *self.graph.node(step.node);
        let one_path = self.graph.node(parent).paths == Paths::One;
        let marked = self.marks_in_flight();
        let edge = self.graph.edge_mut(step.edge);
        if marked {
            edge.in_flight = edge.in_flight.saturating_sub(1);
        }
        if step.detour {
            return value;
        }
        edge.visits += 1;
        edge.proof = proof.filter(|proof| one_path || !proof.from_history).or(edge.proof);
        let here_alone = proof.is_some_and(|proof| child.is_proven_on_one_path(proof));
        if here_alone {
            // The child's own value comes from other paths.
            edge.q += (value - edge.q) / edge.visits as f32;
            return value;
        }
        let before = std::mem::replace(&mut edge.q, child.q);
        if edge.visits == child.visits && !caught_up {
            return value;
        }
        edge.visits as f32 * child.q - (edge.visits - 1) as f32 * before
    }

    /// Backs up a child's proof to its parent. `path` led to the parent, and `mover` is to move there.
    fn prove_parent(&mut self, parent: NodeId, path: Path, mover: Side, child: Proof) {
        let node = *self.graph.node(parent);
        let is_open = child.winner != Some(mover) && node.n_edges < node.n_open;
        if is_open || self.graph.proof_on(parent, path).is_some() {
            return;
        }
        let lost = (node.n_open..node.n_moves).map(|_| Proof::win_at_once(mover.opponent()));
        let edges = self.graph.edges_of(parent);
        let proofs = edges.filter_map(|(_, edge)| self.graph.seen(&node, edge, path).proof).chain(lost);
        if let Some(proof) = backed_up(mover, usize::from(node.n_moves), proofs) {
            self.graph.prove(parent, proof, path);
        }
    }

    /// Undoes the simulations in flight, newest first, as if they had never started. Those that have their evaluations
    /// and wait for the end of their round are counted instead.
    pub(super) fn withdraw(&mut self) {
        let keep = if self.n_asked == 0 { self.pending.len() } else { self.n_answered };
        while self.pending.len() > keep
            && let Some(of) = self.pending.pop()
        {
            self.withdraw_one(&of);
        }
        self.n_asked = 0;
        if !self.pending.is_empty() {
            self.count_pending();
        }
        self.n_answered = 0;
    }

    fn withdraw_one(&mut self, of: &Pending) {
        if of.entry.is_none() {
            self.graph.reset(self.graph.shares());
            return;
        }
        let marked = self.marks_in_flight();
        for step in &self.steps[of.first_step..] {
            let edge = self.graph.edge_mut(step.edge);
            if marked {
                edge.in_flight = edge.in_flight.saturating_sub(1);
            }
        }
        let last = self.steps[self.steps.len() - 1];
        let parent = match self.steps.len() - 1 {
            at if at > of.first_step => self.steps[at - 1].node,
            _ => ROOT,
        };
        if of.new_node {
            self.graph.remove_newest_node();
            let edge = self.graph.edge_mut(last.edge);
            if edge.child == of.leaf {
                edge.child = crate::graph::NONE;
            }
        } else if of.end == LeafKind::Asked {
            self.graph.forget_request(of.leaf);
        }
        if of.new_edge {
            self.root.forget(last.edge);
            self.graph.remove_newest_edge(parent);
        }
        self.steps.truncate(of.first_step);
    }
}
