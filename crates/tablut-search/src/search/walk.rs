//! One simulation's way down: from the root through a chosen move to a leaf.

use tablut_rules::Side;

use super::{Pending, Search};
use crate::config::Method;
use crate::evaluator::Query;
use crate::formulas::interior::interior_choice;
use crate::formulas::puct::puct_choice;
use crate::formulas::softmax::exp;
use crate::formulas::{Unvisited, Visited};
use crate::perspective::turned;
use crate::tree::{NONE, Node, NodeId, ROOT, State};

/// How a simulation's way down ended.
pub(super) enum Walk {
    /// At a leaf that needs an evaluation.
    Ask(Query),
    /// At a leaf whose result is known.
    Known,
    /// At a leaf that waits for its evaluation already; the simulation did not take place.
    Collision,
    /// At a move for which there is no node left; the simulation did not take place.
    Full,
}

/// The next step inside the tree.
enum Step {
    Child(NodeId),
    /// The best unvisited move.
    New,
    /// Every move is refuted: nothing is open here.
    Closed,
}

impl Search {
    /// Simulates through a root move down to a leaf. The game is back at the root afterwards.
    pub(super) fn walk(&mut self, entry: usize) -> Walk {
        let mut node = self.root.entries[entry].node;
        let mut created = false;
        if node == NONE {
            if self.is_full() {
                return Walk::Full;
            }
            node = self.tree.add_child_of(ROOT, self.root.entries[entry].mv);
            self.root.entries[entry].node = node;
            created = true;
        }
        // The side to move at the leaf is counted apart, since the move to a proven leaf is not played.
        let (mut side, mut plies) = (self.root.side, 0);
        let walk = loop {
            let of = self.tree.node(node);
            side = side.opponent();
            if of.proof.is_some() {
                break Walk::Known;
            }
            self.game.play_trusted(of.mv);
            plies += 1;
            match of.state {
                State::Pending => break Walk::Collision,
                State::Fresh => break self.judge(node),
                State::Expanded => {}
            }
            match self.step(node, side) {
                Step::Child(child) => node = child,
                Step::New if self.is_full() => break Walk::Full,
                Step::New => {
                    node = self.tree.add_child(node);
                    created = true;
                }
                Step::Closed => break Walk::Known,
            }
        };
        for _ in 0..plies {
            self.game.undo();
        }
        if matches!(walk, Walk::Ask(_) | Walk::Known) {
            let queried = matches!(walk, Walk::Ask(_));
            self.pending.push(Pending { leaf: node, entry: Some(entry), side, queried, created });
            if self.config.leaves_in_flight > 1 {
                self.mark_in_flight(node);
            }
        }
        walk
    }

    fn is_full(&self) -> bool {
        self.tree.nodes.len() >= self.config.max_nodes.max(1) as usize
    }

    fn mark_in_flight(&mut self, leaf: NodeId) {
        let mut id = leaf;
        while id != NONE {
            let node = self.tree.node_mut(id);
            node.in_flight += 1;
            id = node.parent;
        }
    }

    /// A node as its parent's mover sees it, simulations on their way counted.
    ///
    /// With PUCT each of those counts as lost (virtual loss); with Gumbel as a visit alone, since the interior rule
    /// spreads visits by itself and its σ would make too much of a false loss.
    pub(super) fn virtual_loss(&self, node: &Node, mover: Side) -> Visited {
        let (n, in_flight) = (node.visits, u32::from(node.in_flight));
        let mut q = turned(node.q, mover);
        if in_flight > 0 && node.proof.is_none() {
            if n == 0 {
                q = turned(self.tree.node(node.parent).q, mover);
            }
            if self.config.method == Method::Puct {
                q = (q * n as f32 - in_flight as f32) / (n + in_flight) as f32;
            }
        }
        Visited { prior: node.prior, visits: n + in_flight, q }
    }

    /// Chooses the next step in an expanded node below the root, where `mover` is to move.
    fn step(&mut self, id: NodeId, mover: Side) -> Step {
        let mut visited = std::mem::take(&mut self.scratch.visited);
        let mut ids = std::mem::take(&mut self.scratch.ids);
        visited.clear();
        ids.clear();
        let mut visited_prior = 0.0;
        let lost = Some(mover.opponent());
        for (child, node) in self.tree.children(id) {
            visited_prior += node.prior;
            let refuted = self.config.solver.is_on() && node.proof.is_some_and(|proof| proof.winner == lost);
            if !refuted {
                visited.push(self.virtual_loss(node, mover));
                ids.push(child);
            }
        }
        let node = self.tree.node(id);
        let unvisited = self.tree.best_unvisited(id).map(|best| {
            let prior = exp(best.log_prior);
            Unvisited { prior, sum_prior: (node.open_prior - visited_prior).max(prior) }
        });
        let step = if visited.is_empty() {
            if unvisited.is_some() { Step::New } else { Step::Closed }
        } else {
            let index = match self.config.method {
                Method::Gumbel => {
                    let sigma = &self.config.gumbel.sigma;
                    let raw_value = turned(node.raw_value, mover);
                    interior_choice(raw_value, &visited, unvisited, sigma, &mut self.scratch.weights).index
                }
                Method::Puct => puct_choice(&self.config.puct, turned(node.q, mover), &visited, unvisited).index,
            };
            index.map_or(Step::New, |index| Step::Child(ids[index]))
        };
        self.scratch.visited = visited;
        self.scratch.ids = ids;
        step
    }
}
