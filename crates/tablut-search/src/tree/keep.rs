//! Keeps a part of a tree when a move is played.

use super::{NONE, NodeId, Tree};

impl Tree {
    /// Keeps only the subtree below `id`, which becomes the root. `spare` provides memory. Edges keep their order.
    pub fn keep(&mut self, id: NodeId, spare: &mut Tree) {
        spare.clear();
        spare.draw = self.draw;
        spare.nodes.push(*self.node(id));
        let mut at = 0;
        while at < spare.nodes.len() {
            // So far the copy still points into the old arenas.
            let node = spare.nodes[at];
            let start = spare.moves.len() as u32;
            spare.moves.extend_from_slice(&self.moves[node.first_move as usize..][..usize::from(node.n_moves)]);
            spare.nodes[at].first_move = start;
            let first = spare.edges.len() as u32;
            let mut old = node.first_edge;
            while old != NONE {
                let mut edge = *self.edge(old);
                old = edge.next;
                edge.next = if old == NONE { NONE } else { spare.edges.len() as u32 + 1 };
                let child = spare.nodes.len() as NodeId;
                spare.nodes.push(*self.node(edge.child));
                edge.child = child;
                spare.edges.push(edge);
            }
            if node.first_edge != NONE {
                (spare.nodes[at].first_edge, spare.nodes[at].last_edge) = (first, spare.edges.len() as u32 - 1);
            }
            at += 1;
        }
        std::mem::swap(self, spare);
    }
}
