//! The descent of one simulation: from the root through a chosen move to a leaf.

use tablut_rules::Side;

use super::Search;
use super::simulation::{Descended, LeafKind, PathState, Pending, Step};
use crate::formulas::interior::interior_choice;
use crate::formulas::moves_left::moves_left_bonus;
use crate::formulas::puct::puct_choice;
use crate::formulas::softmax::exp;
use crate::formulas::{Unvisited, Visited};
use crate::graph::{Edge, EdgeId, NONE, Node, NodeId, Path, ROOT, Seen, State};
use crate::perspective::turned;

/// The next step inside the tree.
enum Choice {
    Edge(EdgeId),
    /// The best unvisited move.
    New,
    /// Every move is refuted, so none can be chosen.
    Closed,
}

/// The state of a descent.
struct Descent {
    path_state: PathState,
    /// The last node, and the edge taken from it.
    from: NodeId,
    edge: EdgeId,
    new_edge: bool,
    new_node: bool,
    /// The node reached.
    leaf: NodeId,
    /// The side to move there. It is tracked separately because the move to a proven leaf is not played.
    side: Side,
    plies: u32,
}

/// What a descent does at a node.
enum AtNode {
    GoOn,
    Leaf(Descended, LeafKind),
}

impl Search {
    /// Simulates through a root move down to a leaf. The game is back at the root afterwards.
    pub(super) fn descend(&mut self, entry: usize) -> Descended {
        let first_step = self.steps.len();
        let mut descent = Descent {
            path_state: self.root_path_state,
            from: ROOT,
            edge: self.root.entries[entry].edge,
            new_edge: false,
            new_node: false,
            leaf: ROOT,
            side: self.root.side,
            plies: 0,
        };
        if descent.edge == NONE {
            if self.is_full() {
                return Descended::Full;
            }
            descent.edge = self.graph.add_edge_of(ROOT, self.root.entries[entry].mv);
            descent.new_edge = true;
            self.root.entries[entry].edge = descent.edge;
        }
        let (descended, end) = loop {
            match self.take_edge(&mut descent) {
                AtNode::GoOn => {}
                AtNode::Leaf(descended, end) => break (descended, end),
            }
            let shares = self.graph.shares();
            let choose = if shares { Self::choose_edge::<true> } else { Self::choose_edge::<false> };
            match choose(self, descent.leaf, descent.path_state.path, descent.side) {
                Choice::Edge(edge) => (descent.edge, descent.new_edge) = (edge, false),
                Choice::New if self.is_full() => break (Descended::Full, LeafKind::Known),
                Choice::New => {
                    descent.edge = self.graph.add_edge(descent.leaf);
                    descent.new_edge = true;
                }
                Choice::Closed => break (Descended::Known, LeafKind::Known),
            }
            descent.from = descent.leaf;
        };
        for _ in 0..descent.plies {
            self.take_back();
        }
        if matches!(descended, Descended::Ask(_) | Descended::Known) {
            let Descent { leaf, side, new_edge, new_node, .. } = descent;
            self.pending.push(Pending { leaf, entry: Some(entry), side, end, first_step, new_edge, new_node });
            if self.marks_in_flight() {
                self.steps[first_step..].iter().for_each(|step| self.graph.edge_mut(step.edge).in_flight += 1);
            }
        } else {
            self.steps.truncate(first_step);
            if descent.new_edge {
                self.root.forget(descent.edge);
                self.graph.remove_newest_edge(descent.from);
            }
        }
        descended
    }

    /// Takes the descent's edge to the next node, and checks whether that is the leaf.
    #[inline]
    fn take_edge(&mut self, descent: &mut Descent) -> AtNode {
        descent.side = descent.side.opponent();
        let edge = self.graph.edge(descent.edge);
        let (mv, edge_visits) = (edge.mv, edge.visits + u32::from(edge.in_flight));
        if edge.child != NONE {
            // A move to a proven child need not be played. (On this path a shared child's position may be a repetition,
            // but a proof for all paths holds there too.)
            let path = if self.graph.shares() { descent.path_state.path.after(mv) } else { descent.path_state.path };
            if self.graph.proof_on(edge.child, path).is_some() {
                descent.leaf = edge.child;
                self.steps.push(Step { edge: descent.edge, node: descent.leaf, detour: false, path });
                return AtNode::Leaf(Descended::Known, LeafKind::Known);
            }
        }
        self.play_on(mv, &mut descent.path_state);
        descent.plies += 1;
        let Some(arrival) = self.arrive(descent.from, descent.edge, &descent.path_state, self.config.max_nodes.max(1))
        else {
            return AtNode::Leaf(Descended::Full, LeafKind::Known);
        };
        (descent.leaf, descent.new_node) = (arrival.node, arrival.is_new);
        let path = descent.path_state.path;
        self.steps.push(Step { edge: descent.edge, node: descent.leaf, detour: arrival.detour, path });
        let (state, visits) = (self.graph.node(descent.leaf).state, self.graph.node(descent.leaf).visits);
        if arrival.detour && self.graph.proof_on(descent.leaf, path).is_some() {
            return AtNode::Leaf(Descended::Known, LeafKind::Known);
        }
        match state {
            State::Fresh => {
                let descended = self.resolve_or_ask(descent.leaf, path);
                let end = if matches!(descended, Descended::Ask(_)) { LeafKind::Asked } else { LeafKind::Known };
                if end == LeafKind::Known {
                    self.learn(descent.edge, descent.leaf, arrival.detour);
                }
                AtNode::Leaf(descended, end)
            }
            // Made in this round, so the simulation that made it has requested its evaluation.
            _ if descent.leaf >= self.first_new && self.counts_by_rounds() => {
                AtNode::Leaf(Descended::Known, LeafKind::CaughtUp)
            }
            State::Pending => AtNode::Leaf(Descended::Collision, LeafKind::Known),
            State::Expanded if !arrival.detour && visits > edge_visits => {
                AtNode::Leaf(Descended::Known, LeafKind::CaughtUp)
            }
            State::Expanded => AtNode::GoOn,
        }
    }

    /// In a tree an edge always has its child's current value.
    fn learn(&mut self, edge: EdgeId, child: NodeId, detour: bool) {
        if !self.graph.shares() && !detour {
            let child = *self.graph.node(child);
            let edge = self.graph.edge_mut(edge);
            (edge.q, edge.proof) = (child.q, child.proof);
        }
    }

    fn is_full(&self) -> bool {
        self.graph.nodes.len() >= self.config.max_nodes.max(1) as usize
    }

    /// The data of an edge of `node` in the view of `mover`, with simulations in flight.
    ///
    /// With PUCT each simulation in flight counts as a loss (virtual loss). With the improved policy it counts only as
    /// a visit: that rule already spreads visits, and its σ would give a false loss too much weight.
    #[inline]
    pub(super) fn with_virtual_loss(&self, node: &Node, edge: &Edge, seen: Seen, mover: Side) -> Visited {
        let (n, in_flight) = (seen.visits, u32::from(edge.in_flight));
        let mut q = turned(seen.q, mover);
        if (n == 0 || in_flight > 0) && seen.proof.is_none() {
            if n == 0 {
                q = turned(node.q, mover);
            }
            if in_flight > 0 && self.config.is_puct_inside() {
                q = (q * n as f32 - in_flight as f32) / (n + in_flight) as f32;
            }
        }
        Visited { prior: edge.prior, visits: n + in_flight, q }
    }

    /// The bonus for a short win or a long loss. It is 0 for unvisited moves and for moves with a proven result. `q` is
    /// in the mover's view.
    #[inline]
    pub(super) fn moves_left_bonus(&self, node: &Node, seen: Seen, q: f32) -> f32 {
        if !self.config.moves_left.is_on() || seen.child == NONE || seen.visits == 0 || seen.proof.is_some() {
            return 0.0;
        }
        moves_left_bonus(&self.config.moves_left, q, self.graph.node(seen.child).moves_left, node.moves_left)
    }

    /// Chooses the next step in an expanded node below the root. `path` led to the node, and `mover` is to move there.
    fn choose_edge<const SHARES: bool>(&mut self, id: NodeId, path: Path, mover: Side) -> Choice {
        let mut visited = std::mem::take(&mut self.scratch.visited);
        let mut ids = std::mem::take(&mut self.scratch.ids);
        visited.clear();
        ids.clear();
        let mut visited_prior = 0.0;
        let lost = Some(mover.opponent());
        let (solves, counts_moves_left) = (self.config.solver.is_on(), self.config.moves_left.is_on());
        let node = self.graph.node(id);
        for (edge_id, edge) in self.graph.edges_of(id) {
            visited_prior += edge.prior;
            let seen = self.graph.seen_where::<SHARES>(node, edge, path);
            let refuted = solves && seen.proof.is_some_and(|proof| proof.winner == lost);
            if !refuted {
                let mut of = self.with_virtual_loss(node, edge, seen, mover);
                if counts_moves_left {
                    of.q += self.moves_left_bonus(node, seen, of.q);
                }
                visited.push(of);
                ids.push(edge_id);
            }
        }
        let unvisited = self.graph.best_unvisited(id).map(|best| {
            let prior = exp(best.log_prior);
            Unvisited { prior, sum_prior: (node.open_prior - visited_prior).max(prior) }
        });
        let choice = if visited.is_empty() {
            if unvisited.is_some() { Choice::New } else { Choice::Closed }
        } else {
            let index = if self.config.is_puct_inside() {
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
