//! The choice of a move by the method's formula: in a node below the root, and by PUCT at the root.

use tablut_rules::Side;

use super::root::RootView;
use crate::config::{Method, SearchConfig};
use crate::formulas::interior::interior_choice;
use crate::formulas::puct::puct_choice;
use crate::formulas::softmax::exp;
use crate::formulas::{Unvisited, Visited};
use crate::perspective::turned;
use crate::tree::{Edge, EdgeId, Node, NodeId, ROOT, Tree};

pub(super) enum Choice {
    Edge(EdgeId),
    /// The best unvisited move.
    New,
    /// Every move is refuted, so none can be chosen.
    Closed,
}

#[derive(Debug, Default)]
pub(super) struct Selection {
    visited: Vec<Visited>,
    ids: Vec<u32>,
    weights: Vec<f32>,
}

impl Selection {
    /// Chooses the next step in an expanded node below the root. `mover` is to move there.
    pub fn choose_edge(&mut self, tree: &Tree, config: &SearchConfig, id: NodeId, mover: Side) -> Choice {
        let Self { visited, ids, weights } = self;
        visited.clear();
        ids.clear();
        let mut visited_prior = 0.0;
        let lost = Some(mover.opponent());
        let (solves, counts_moves_left) = (config.solver.is_on(), config.moves_left > 0.0);
        let node = tree.node(id);
        for (edge_id, edge) in tree.edges_of(id) {
            visited_prior += edge.prior;
            let refuted = solves && edge.proof.is_some_and(|proof| proof.winner == lost);
            if !refuted {
                let mut mv = with_virtual_loss(config.method, node, edge, mover);
                if counts_moves_left {
                    mv.q += tree.moves_left_bonus(config.moves_left, node, edge, mv.q);
                }
                visited.push(mv);
                ids.push(edge_id);
            }
        }
        let unvisited = tree.best_unvisited(id).map(|best| {
            let prior = exp(best.log_prior);
            Unvisited { prior, sum_prior: (node.open_prior - visited_prior).max(prior) }
        });
        if visited.is_empty() {
            return if unvisited.is_some() { Choice::New } else { Choice::Closed };
        }
        let index = if config.method == Method::Puct {
            puct_choice(&config.puct, turned(node.q, mover), visited, unvisited).index
        } else {
            let raw_value = turned(node.raw_value, mover);
            interior_choice(raw_value, visited, unvisited, &config.gumbel.sigma, weights).index
        };
        match index {
            Some(index) => Choice::Edge(ids[index]),
            None if unvisited.is_none() => Choice::Edge(ids[0]),
            None => Choice::New,
        }
    }

    pub fn choose_root_move(&mut self, at: RootView<'_>) -> usize {
        let Self { visited, ids, .. } = self;
        visited.clear();
        ids.clear();
        let RootView { root, tree, config } = at;
        let mut best: Option<usize> = None;
        let mut sum_prior = 0.0;
        let node = tree.node(ROOT);
        let (solves, lost) = (config.solver.is_on(), Some(root.side.opponent()));
        for (index, entry) in root.entries.iter().enumerate() {
            match at.edge(entry) {
                Some(edge) if solves && edge.proof.is_some_and(|proof| proof.winner == lost) => {}
                Some(edge) if edge.visits + u32::from(edge.in_flight) > 0 => {
                    ids.push(index as u32);
                    let mv = with_virtual_loss(config.method, node, edge, root.side);
                    let q = mv.q + tree.moves_left_bonus(config.moves_left, node, edge, mv.q);
                    visited.push(Visited { prior: entry.prior, q, ..mv });
                }
                _ => {
                    sum_prior += entry.prior;
                    if best.is_none_or(|best| entry.prior > root.entries[best].prior) {
                        best = Some(index);
                    }
                }
            }
        }
        let unvisited = best.map(|best| Unvisited { prior: root.entries[best].prior, sum_prior });
        let choice = puct_choice(&config.puct, turned(node.q, root.side), visited, unvisited);
        // If no move can be chosen, the root is proven lost, and any move will do.
        choice.index.map(|index| ids[index] as usize).or(best).unwrap_or(0)
    }
}

/// The data of an edge of `node` in the view of `mover`, with simulations in flight.
///
/// With PUCT each simulation in flight counts as a loss (virtual loss). With the improved policy it counts only as a
/// visit: that rule already spreads visits, and its σ would give a false loss too much weight.
#[inline]
fn with_virtual_loss(method: Method, node: &Node, edge: &Edge, mover: Side) -> Visited {
    let (n, in_flight) = (edge.visits, u32::from(edge.in_flight));
    let mut q = turned(edge.q, mover);
    if (n == 0 || in_flight > 0) && edge.proof.is_none() {
        if n == 0 {
            q = turned(node.q, mover);
        }
        if in_flight > 0 && method == Method::Puct {
            q = (q * n as f32 - in_flight as f32) / (n + in_flight) as f32;
        }
    }
    Visited { prior: edge.prior, visits: n + in_flight, q }
}
