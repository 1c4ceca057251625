//! Keeps a part of a graph when a move is played.

use super::{Graph, NONE, NodeId, Paths};

impl Graph {
    /// Keeps only what can be reached from `id`, which becomes the root. `spare` provides memory. Edges keep their
    /// order. Detours belong to paths of the old root, and most of these paths no longer exist. So all detours are
    /// dropped, and the search makes them again when it needs them.
    pub fn keep(&mut self, id: NodeId, spare: &mut Graph) {
        spare.clear();
        (spare.shares, spare.draw) = (self.shares, self.draw);
        let mut copies: Vec<NodeId> = Vec::new();
        if self.shares {
            copies.resize(self.nodes.len(), NONE);
            copies[id as usize] = 0;
        }
        self.copy_node(id, spare);
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
                if edge.child != NONE {
                    edge.child = self.copy_of(edge.child, spare, &mut copies);
                }
                spare.edges.push(edge);
            }
            if node.first_edge != NONE {
                (spare.nodes[at].first_edge, spare.nodes[at].last_edge) = (first, spare.edges.len() as u32 - 1);
            }
            at += 1;
        }
        std::mem::swap(self, spare);
    }

    /// The copy of a node. It is made now unless another edge has already led to it.
    fn copy_of(&self, id: NodeId, spare: &mut Graph, copies: &mut [NodeId]) -> NodeId {
        if !self.shares {
            return self.copy_node(id, spare);
        }
        if copies[id as usize] == NONE {
            copies[id as usize] = self.copy_node(id, spare);
        }
        copies[id as usize]
    }

    fn copy_node(&self, id: NodeId, spare: &mut Graph) -> NodeId {
        let copy = spare.nodes.len() as NodeId;
        let mut node = *self.node(id);
        if self.shares {
            spare.names.push(self.names[id as usize]);
            if node.paths != Paths::One {
                node.paths = Paths::Many;
            }
        }
        spare.nodes.push(node);
        // A position equal to the root's is a repetition from now on.
        if node.paths != Paths::One && copy != super::ROOT {
            spare.list(copy);
        }
        copy
    }
}
