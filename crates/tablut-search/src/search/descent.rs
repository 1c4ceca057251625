//! The descent of one simulation: from the root through a chosen move to a leaf.

use tablut_rules::{Move, Side};

use super::Search;
use super::simulation::{Descended, Pending};
use crate::config::{Method, Repeats};
use crate::formulas::interior::interior_choice;
use crate::formulas::moves_left::moves_left_bonus;
use crate::formulas::puct::puct_choice;
use crate::formulas::softmax::exp;
use crate::formulas::{Unvisited, Visited};
use crate::perspective::turned;
use crate::tree::{Edge, EdgeId, NONE, Node, NodeId, ROOT, State};

/// The next step inside the tree.
enum Choice {
    Edge(EdgeId),
    /// The best unvisited move.
    New,
    /// Every move is refuted, so none can be chosen.
    Closed,
}

impl Search {
    /// Simulates through a root move down to a leaf. The game is back at the root afterwards.
    pub(super) fn descend(&mut self, entry: usize) -> Descended {
        let first_step = self.steps.len();
        let mut edge = self.root.entries[entry].edge;
        let mut is_new = edge == NONE;
        if is_new {
            if self.is_full() {
                return Descended::Full;
            }
            edge = self.tree.add_edge_of(ROOT, self.root.entries[entry].mv);
            self.root.entries[entry].edge = edge;
        }
        let mut leaf;
        let (mut side, mut plies) = (self.root.side, 0);
        let descended = loop {
            side = side.opponent();
            self.steps.push(edge);
            let Edge { mv, child, .. } = *self.tree.edge(edge);
            if child != NONE && self.tree.node(child).proof.is_some() {
                // The move need not be played.
                leaf = child;
                break Descended::Known;
            }
            self.play_on(mv);
            plies += 1;
            leaf = if child == NONE { self.tree.add_child(edge) } else { child };
            match self.tree.node(leaf).state {
                State::Fresh => {
                    let descended = self.resolve_or_ask(leaf);
                    self.tree.update_edge(edge);
                    break descended;
                }
                State::Pending => break Descended::Collision,
                State::Expanded => {}
            }
            match self.choose_edge(leaf, side) {
                Choice::Edge(next) => edge = next,
                Choice::New if self.is_full() => break Descended::Full,
                Choice::New => {
                    edge = self.tree.add_edge(leaf);
                    is_new = true;
                }
                Choice::Closed => break Descended::Known,
            }
        };
        for _ in 0..plies {
            self.take_back();
        }
        let asked = matches!(descended, Descended::Ask(_));
        if asked || matches!(descended, Descended::Known) {
            self.pending.push(Pending { leaf, entry: Some(entry), side, asked, first_step, is_new });
            if self.marks_in_flight() {
                self.steps[first_step..].iter().for_each(|edge| self.tree.edge_mut(*edge).in_flight += 1);
            }
        } else {
            self.steps.truncate(first_step);
        }
        descended
    }

    /// Plays a move of a simulation.
    fn play_on(&mut self, mv: Move) {
        if self.config.repeats == Repeats::Drawn {
            self.line.push(self.game.position().hash());
        }
        self.game.play_trusted(mv);
    }

    /// Takes back a move of [`Search::play_on`].
    fn take_back(&mut self) {
        self.game.undo();
        self.line.pop();
    }

    /// Whether the current position was on the path before, including the root. Only every second one has the same side
    /// to move.
    pub(super) fn repeats_below_root(&self) -> bool {
        let hash = self.game.position().hash();
        self.line.iter().rev().skip(1).step_by(2).any(|earlier| *earlier == hash)
    }

    fn is_full(&self) -> bool {
        self.tree.nodes.len() >= self.config.max_nodes.max(1) as usize
    }

    /// The data of an edge of `node` in the view of `mover`, with simulations in flight.
    ///
    /// With PUCT each simulation in flight counts as a loss (virtual loss). With the improved policy it counts only as
    /// a visit: that rule already spreads visits, and its σ would give a false loss too much weight.
    #[inline]
    pub(super) fn with_virtual_loss(&self, node: &Node, edge: &Edge, mover: Side) -> Visited {
        let (n, in_flight) = (edge.visits, u32::from(edge.in_flight));
        let mut q = turned(edge.q, mover);
        if (n == 0 || in_flight > 0) && edge.proof.is_none() {
            if n == 0 {
                q = turned(node.q, mover);
            }
            if in_flight > 0 && self.config.method == Method::Puct {
                q = (q * n as f32 - in_flight as f32) / (n + in_flight) as f32;
            }
        }
        Visited { prior: edge.prior, visits: n + in_flight, q }
    }

    /// The bonus for a short win or a long loss. It is 0 for unvisited moves and for moves with a proven result. `q` is
    /// in the mover's view.
    #[inline]
    pub(super) fn moves_left_bonus(&self, node: &Node, edge: &Edge, q: f32) -> f32 {
        if self.config.moves_left == 0.0 || edge.visits == 0 || edge.proof.is_some() {
            return 0.0;
        }
        moves_left_bonus(self.config.moves_left, q, self.tree.node(edge.child).moves_left, node.moves_left)
    }

    /// Chooses the next step in an expanded node below the root. `mover` is to move there.
    fn choose_edge(&mut self, id: NodeId, mover: Side) -> Choice {
        let mut visited = std::mem::take(&mut self.scratch.visited);
        let mut ids = std::mem::take(&mut self.scratch.ids);
        visited.clear();
        ids.clear();
        let mut visited_prior = 0.0;
        let lost = Some(mover.opponent());
        let (solves, counts_moves_left) = (self.config.solver.is_on(), self.config.moves_left > 0.0);
        let node = self.tree.node(id);
        for (edge_id, edge) in self.tree.edges_of(id) {
            visited_prior += edge.prior;
            let refuted = solves && edge.proof.is_some_and(|proof| proof.winner == lost);
            if !refuted {
                let mut of = self.with_virtual_loss(node, edge, mover);
                if counts_moves_left {
                    of.q += self.moves_left_bonus(node, edge, of.q);
                }
                visited.push(of);
                ids.push(edge_id);
            }
        }
        let unvisited = self.tree.best_unvisited(id).map(|best| {
            let prior = exp(best.log_prior);
            Unvisited { prior, sum_prior: (node.open_prior - visited_prior).max(prior) }
        });
        let choice = if visited.is_empty() {
            if unvisited.is_some() { Choice::New } else { Choice::Closed }
        } else {
            let index = if self.config.method == Method::Puct {
                puct_choice(&self.config.puct, turned(node.q, mover), &visited, unvisited).index
            } else {
                let sigma = &self.config.gumbel.sigma;
                let raw_value = turned(node.raw_value, mover);
                interior_choice(raw_value, &visited, unvisited, sigma, &mut self.scratch.weights).index
            };
            match index {
                Some(index) => Choice::Edge(ids[index]),
                None if unvisited.is_none() => Choice::Edge(ids[0]),
                None => Choice::New,
            }
        };
        self.scratch.visited = visited;
        self.scratch.ids = ids;
        choice
    }
}
