//! The tree: nodes, edges and legal moves in three arenas.
//!
//! A node takes 52 bytes, an edge 32. A legal move takes 8 bytes, plus an edge once it is visited. Below the root the
//! search always tries the unvisited move with the highest prior next. So the visited moves of a node are the first in
//! its slice of the move arena, in the order of its edges, and the best unvisited move comes right after them. Moves
//! that lose at once are at the end of the slice and are never visited.

mod parts;

use tablut_rules::{Move, MoveList, Side};

pub use self::parts::Memory;
pub(crate) use self::parts::{Candidate, Edge, EdgeId, NONE, Node, NodeId, ROOT, State};
use crate::chances::Chances;
use crate::evaluator::Evaluation;
use crate::formulas::moves_left_bonus;
use crate::formulas::softmax::{exp, log_softmax};
use crate::perspective::turned;
use crate::proof::{Proof, backed_up};

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub moves: Vec<Candidate>,
    /// The absolute value of a draw.
    draw: f32,
    logits: Vec<f32>,
}

impl Tree {
    /// Removes everything and adds a new root.
    pub fn reset(&mut self) {
        self.clear();
        self.nodes.push(Node::default());
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.moves.clear();
    }

    pub fn has_expanded_root(&self) -> bool {
        self.nodes.first().is_some_and(|root| root.state == State::Expanded)
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id as usize]
    }

    pub fn edge_mut(&mut self, id: EdgeId) -> &mut Edge {
        &mut self.edges[id as usize]
    }

    /// The node's legal moves, starting with those that have edges. Empty until the node waits for its evaluation.
    pub fn moves_of(&self, id: NodeId) -> &[Candidate] {
        let node = self.node(id);
        &self.moves[node.first_move as usize..][..usize::from(node.n_moves)]
    }

    /// The node's legal moves that are known to lose at once.
    pub fn lost_moves(&self, id: NodeId) -> &[Candidate] {
        &self.moves_of(id)[usize::from(self.node(id).n_open)..]
    }

    /// The node's edges, in the order of their first visits.
    pub fn edges_of(&self, id: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let mut next = self.node(id).first_edge;
        std::iter::from_fn(move || {
            let id = next;
            (id != NONE).then(|| {
                let edge = self.edge(id);
                next = edge.next;
                (id, edge)
            })
        })
    }

    /// Sets the absolute value of a draw. The tree is empty if it changes.
    pub fn set_draw_value(&mut self, draw: f32) {
        debug_assert!(self.nodes.is_empty() || draw == self.draw, "values with another value of draws");
        self.draw = draw;
    }

    /// The absolute value of a finished game.
    #[inline]
    pub fn value_of(&self, winner: Option<Side>) -> f32 {
        winner.map_or(self.draw, |side| turned(1.0, side))
    }

    /// The absolute value of a finished game and its chance of a draw, 0 or 1.
    #[inline]
    pub fn value_and_draw(&self, winner: Option<Side>) -> (f32, f32) {
        (self.value_of(winner), if winner.is_none() { 1.0 } else { 0.0 })
    }

    /// The chances with this absolute value in this tree and this chance of a draw.
    pub fn chances(&self, value: f32, draws: f32) -> Chances {
        Chances::new(value - self.draw * draws, draws)
    }

    pub fn prove(&mut self, id: NodeId, proof: Proof) {
        let (q, draws) = self.value_and_draw(proof.winner);
        let node = self.node_mut(id);
        (node.proof, node.q, node.draws) = (Some(proof), q, draws);
    }

    /// Makes a node without a proof proven if the proofs of its moves decide it. `mover` is to move there. `child` is
    /// one of the proofs, and the only one that is new.
    pub fn prove_parent(&mut self, id: NodeId, mover: Side, child: Proof) {
        let node = self.node(id);
        let is_open = child.winner != Some(mover) && node.n_edges < node.n_open;
        if is_open || node.proof.is_some() {
            return;
        }
        let lost = (node.n_open..node.n_moves).map(|_| Proof::win_at_once(mover.opponent()));
        let proofs = self.edges_of(id).filter_map(|(_, edge)| edge.proof).chain(lost);
        if let Some(proof) = backed_up(mover, usize::from(node.n_moves), proofs) {
            self.prove(id, proof);
        }
    }

    /// The bonus for a short win or a long loss. It is 0 for unvisited moves and for moves with a proven result. `q` is
    /// the move's value in the mover's view.
    #[inline]
    pub fn moves_left_bonus(&self, max_effect: f32, node: &Node, edge: &Edge, q: f32) -> f32 {
        if max_effect == 0.0 || edge.visits == 0 || edge.proof.is_some() {
            return 0.0;
        }
        moves_left_bonus(max_effect, q, self.node(edge.child).moves_left, node.moves_left)
    }

    pub fn add_child(&mut self, edge: EdgeId) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node::default());
        self.edge_mut(edge).child = id;
        id
    }

    /// Copies the value and the proof of an edge's child to the edge.
    pub fn update_edge(&mut self, id: EdgeId) -> &mut Edge {
        let edge = &mut self.edges[id as usize];
        let child = &self.nodes[edge.child as usize];
        (edge.q, edge.proof) = (child.q, child.proof);
        edge
    }

    /// Removes the newest edge, which must be the last one of `parent`, and the node that it leads to, which must be
    /// the newest one and have no edges.
    pub fn remove_newest_child(&mut self, parent: NodeId) {
        let id = self.nodes.len() as NodeId - 1;
        let child = self.nodes.pop().expect("the caller made it");
        debug_assert_eq!((child.n_edges, self.edges.last().map(|edge| edge.child)), (0, Some(id)));
        if child.n_moves > 0 {
            self.moves.truncate(child.first_move as usize);
        }
        self.remove_newest_edge(parent);
    }

    /// Sets the node's legal moves. The node then waits for its evaluation. `lost` marks the moves that lose at once.
    /// It is empty if no move does.
    pub fn await_evaluation(&mut self, id: NodeId, moves: &MoveList, lost: &[bool]) {
        let first_move = self.moves.len() as u32;
        // Until the evaluation arrives, all moves are equal and in the order of the situation.
        let log_prior = -libm::logf(moves.len() as f32);
        self.moves.extend(moves.iter().map(|mv| Candidate { log_prior, mv: *mv }));
        for (candidate, _) in self.moves[first_move as usize..].iter_mut().zip(lost).filter(|(_, lost)| **lost) {
            candidate.log_prior = f32::NEG_INFINITY;
        }
        let n_lost = lost.iter().filter(|lost| **lost).count();
        let node = self.node_mut(id);
        (node.first_move, node.n_moves, node.state) = (first_move, moves.len() as u16, State::Pending);
        node.n_open = (moves.len() - n_lost) as u16;
    }

    /// Undoes `await_evaluation` of an older node.
    pub fn forget_request(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        (node.n_moves, node.n_open, node.state) = (0, 0, State::Fresh);
    }

    /// Gives a waiting node its evaluation. The logits are divided by `temperature`.
    ///
    /// # Panics
    /// If there is not one logit for each move.
    pub fn expand(&mut self, id: NodeId, evaluation: &Evaluation, temperature: f32) {
        let (raw_value, raw_draws) = (evaluation.value_with_draws_at(self.draw), evaluation.draw());
        let node = *self.node(id);
        assert_eq!(evaluation.logits.len(), usize::from(node.n_moves), "a logit for each move of the situation");
        let logits = &mut self.logits;
        logits.clear();
        logits.extend_from_slice(&evaluation.logits);
        if temperature != 1.0 {
            for logit in &mut *logits {
                *logit /= temperature;
            }
        }
        log_softmax(logits);
        let candidates = &mut self.moves[node.first_move as usize..][..usize::from(node.n_moves)];
        let mut open_prior = 1.0;
        if node.n_open == node.n_moves {
            for (candidate, logit) in candidates.iter_mut().zip(logits) {
                candidate.log_prior = *logit;
            }
        } else {
            // Lost moves go to the end. The others keep their order.
            open_prior = 0.0;
            let mut n_open = 0;
            for (index, logit) in logits.iter().enumerate() {
                let open = candidates[index].log_prior > f32::NEG_INFINITY;
                candidates[index].log_prior = *logit;
                if open {
                    open_prior += exp(*logit);
                    candidates[n_open..=index].rotate_right(1);
                    n_open += 1;
                }
            }
        }
        let node = self.node_mut(id);
        (node.raw_value, node.raw_draws) = (raw_value, raw_draws);
        (node.state, node.open_prior) = (State::Expanded, open_prior);
        if node.visits == 0 {
            // Until the first visit, this is the net's own value.
            node.moves_left = evaluation.plies_left();
        }
        self.bring_best_forward(id);
    }

    /// Counts the moves that lose at once as open, too. At the root each of them has its own node with a proof.
    pub fn open_all(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        (node.n_open, node.open_prior) = (node.n_moves, 1.0);
    }

    /// Moves the best unvisited move right after the visited ones. The others keep their order.
    fn bring_best_forward(&mut self, id: NodeId) {
        let node = *self.node(id);
        let start = node.first_move as usize;
        let unvisited = &mut self.moves[start + usize::from(node.n_edges)..start + usize::from(node.n_open)];
        let mut best = 0;
        for (index, candidate) in unvisited.iter().enumerate() {
            if candidate.log_prior > unvisited[best].log_prior {
                best = index;
            }
        }
        if best > 0 {
            unvisited[..=best].rotate_right(1);
        }
    }

    /// The best unvisited move of an expanded node that is not known to lose.
    pub fn best_unvisited(&self, id: NodeId) -> Option<Candidate> {
        let node = self.node(id);
        let at = node.first_move as usize + usize::from(node.n_edges);
        (node.n_edges < node.n_open).then(|| self.moves[at])
    }

    /// Adds the edge of the best unvisited move.
    pub fn add_edge(&mut self, parent: NodeId) -> EdgeId {
        let id = self.edges.len() as EdgeId;
        let Candidate { log_prior, mv } = self.best_unvisited(parent).expect("the caller saw an unvisited move");
        let prior = exp(log_prior);
        self.edges.push(Edge { child: NONE, next: NONE, visits: 0, prior, q: 0.0, proof: None, mv, in_flight: 0 });
        let node = self.node_mut(parent);
        node.n_edges += 1;
        let last = std::mem::replace(&mut node.last_edge, id);
        if last == NONE {
            node.first_edge = id;
        } else {
            self.edge_mut(last).next = id;
        }
        self.bring_best_forward(parent);
        id
    }

    /// Adds the edge of a given unvisited move, in a node with known moves.
    pub fn add_edge_of(&mut self, parent: NodeId, mv: Move) -> EdgeId {
        let (first, n) = (self.node(parent).first_move as usize, usize::from(self.node(parent).n_edges));
        let at = self.moves_of(parent)[n..].iter().position(|candidate| candidate.mv == mv);
        let at = at.expect("an unvisited legal move");
        self.moves[first + n..=first + n + at].rotate_right(1);
        self.add_edge(parent)
    }

    fn remove_newest_edge(&mut self, parent: NodeId) {
        let id = self.edges.len() as EdgeId - 1;
        debug_assert_eq!(self.node(parent).last_edge, id);
        let before = self.edges_of(parent).map(|(id, _)| id).take_while(|edge| *edge != id).last();
        let node = self.node_mut(parent);
        node.n_edges -= 1;
        node.last_edge = before.unwrap_or(NONE);
        match before {
            Some(edge) => self.edge_mut(edge).next = NONE,
            None => node.first_edge = NONE,
        }
        self.edges.pop();
        self.bring_best_forward(parent);
    }

    /// Keeps only the subtree below `id`, which becomes the root. `kept` provides memory. Edges keep their order.
    pub fn keep(&mut self, id: NodeId, kept: &mut Tree) {
        kept.clear();
        kept.draw = self.draw;
        kept.nodes.push(*self.node(id));
        let mut at = 0;
        while at < kept.nodes.len() {
            // So far the copy still points into the old arenas.
            let node = kept.nodes[at];
            let start = kept.moves.len() as u32;
            kept.moves.extend_from_slice(&self.moves[node.first_move as usize..][..usize::from(node.n_moves)]);
            kept.nodes[at].first_move = start;
            let first = kept.edges.len() as u32;
            let mut old = node.first_edge;
            while old != NONE {
                let mut edge = *self.edge(old);
                old = edge.next;
                edge.next = if old == NONE { NONE } else { kept.edges.len() as u32 + 1 };
                let child = kept.nodes.len() as NodeId;
                kept.nodes.push(*self.node(edge.child));
                edge.child = child;
                kept.edges.push(edge);
            }
            if node.first_edge != NONE {
                (kept.nodes[at].first_edge, kept.nodes[at].last_edge) = (first, kept.edges.len() as u32 - 1);
            }
            at += 1;
        }
        std::mem::swap(self, kept);
    }

    /// The maximum number of bytes per node: the node, the edge to it and its legal moves.
    pub fn most_bytes_per_node(n_moves: usize) -> usize {
        size_of::<Node>() + size_of::<Edge>() + n_moves * size_of::<Candidate>()
    }

    pub fn memory(&self) -> Memory {
        let bytes = self.nodes.len() * size_of::<Node>()
            + self.edges.len() * size_of::<Edge>()
            + self.moves.len() * size_of::<Candidate>();
        Memory { nodes: self.nodes.len(), edges: self.moves.len(), bytes }
    }
}

#[cfg(test)]
mod tests {
    use tablut_rules::Side;

    use super::*;

    #[test]
    fn a_node_counts_means_until_it_is_proven() {
        let mut tree = Tree::default();
        tree.reset();
        tree.node_mut(ROOT).add_visit((0.25, 0.5), Some(3.0));
        tree.node_mut(ROOT).add_visit((0.75, 0.0), Some(5.0));
        let root = tree.node(ROOT);
        assert_eq!((root.q, root.draws, root.moves_left), (0.5, 0.25, 4.0));
        tree.prove(ROOT, Proof { winner: Some(Side::Defenders), plies: 4, from_history: true });
        tree.node_mut(ROOT).add_visit((0.75, 0.25), None);
        let root = tree.node(ROOT);
        assert_eq!((root.q, root.draws, root.visits), (-1.0, 0.0, 3));
    }
}
