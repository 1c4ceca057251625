//! The graph: nodes, edges and legal moves in three arenas.
//!
//! A node takes 44 bytes, an edge 32. A legal move takes 8 bytes, and another edge once it is visited. Below the root
//! the search always tries the unvisited move with the highest prior next. So the visited moves of a node are the first
//! ones of its slice in the move arena, in the order of its edges, and the best unvisited move comes right after them.
//! Moves that lose at once are at the end of the slice and are never visited.
//!
//! A tree is a graph without lookups: every edge leads to its own node. If paths may meet, a node also has a name (32
//! bytes) and an entry in a table under its key (5 to 10 bytes).

mod keep;
mod key;
mod parts;
mod values;

use hashbrown::HashTable;
use tablut_rules::{Move, MoveList};

pub(crate) use self::key::{Key, Path, paths_may_meet};
use self::parts::Name;
pub(crate) use self::parts::{Candidate, Edge, EdgeId, NONE, Node, NodeId, Paths, ROOT, Seen, State};
use crate::formulas::softmax::{exp, log_softmax};
use crate::proof::Proof;

/// The arenas, and the table of the nodes that several paths share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub moves: Vec<Candidate>,
    /// Whether paths may meet. If not, it is a tree, without names and without a table.
    shares: bool,
    /// The absolute value of a draw.
    draw: f32,
    /// One per node.
    names: Vec<Name>,
    table: HashTable<NodeId>,
}

impl Graph {
    /// Removes everything and adds a fresh root.
    pub fn reset(&mut self, shares: bool) {
        self.clear();
        self.shares = shares;
        self.add_node(Paths::One, Key::default());
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.moves.clear();
        self.names.clear();
        self.table.clear();
    }

    /// Whether paths may meet.
    pub fn shares(&self) -> bool {
        self.shares
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

    /// Where an edge of `node` leads if `path` led to the node.
    #[inline]
    pub fn seen(&self, node: &Node, edge: &Edge, path: Path) -> Seen {
        if self.shares { self.seen_where::<true>(node, edge, path) } else { self.seen_where::<false>(node, edge, path) }
    }

    /// [`Graph::seen`] for loops that are compiled separately for graphs and for trees.
    #[inline]
    pub fn seen_where<const SHARES: bool>(&self, node: &Node, edge: &Edge, path: Path) -> Seen {
        let seen = Seen { child: edge.child, visits: edge.visits, q: edge.q, proof: edge.proof };
        if !SHARES {
            return seen;
        }
        let path = path.after(edge.mv);
        if node.paths == Paths::ManyWithDetours
            && let Some(child) = self.find(Key::of_path(path))
        {
            let detour = self.node(child);
            return Seen { child, visits: detour.visits, q: detour.q, proof: detour.proof.or(edge.proof) };
        }
        if edge.child == NONE {
            return seen;
        }
        match edge.proof.or_else(|| self.proof_on(edge.child, path)) {
            Some(proof) => Seen { q: self.value_of(proof.winner), proof: Some(proof), ..seen },
            None => Seen { q: self.node(edge.child).q, ..seen },
        }
    }

    /// The proof of a node that `path` led to.
    #[inline]
    pub fn proof_on(&self, id: NodeId, path: Path) -> Option<Proof> {
        let node = self.node(id);
        node.proof.filter(|proof| !node.is_proven_on_one_path(*proof) || self.names[id as usize].proven_on == path)
    }

    /// Marks a node that `path` led to as proven.
    pub fn prove(&mut self, id: NodeId, proof: Proof, path: Path) {
        let value = self.value_of(proof.winner);
        let node = self.node_mut(id);
        node.proof = Some(proof);
        if node.is_proven_on_one_path(proof) {
            // On other paths the node still counts with its mean value.
            self.names[id as usize].proven_on = path;
        } else {
            node.q = value;
        }
    }

    /// The node with this key, if there is one.
    pub fn find(&self, key: Key) -> Option<NodeId> {
        self.table.find(key.hash(), |id| self.names[*id as usize].key == key).copied()
    }

    /// Adds a node that cannot be found by a key.
    pub fn add_hidden(&mut self) -> NodeId {
        self.add_node(Paths::One, Key::default())
    }

    /// Adds a node that can be found by its key.
    pub fn add_listed(&mut self, paths: Paths, key: Key) -> NodeId {
        let id = self.add_node(paths, key);
        self.list(id);
        id
    }

    fn add_node(&mut self, paths: Paths, key: Key) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node::new(paths));
        if self.shares {
            self.names.push(Name { key, ..Name::default() });
        }
        id
    }

    /// Adds a node to the table.
    fn list(&mut self, id: NodeId) {
        let names = &self.names;
        let hash = |id: &NodeId| names[*id as usize].key.hash();
        self.table.insert_unique(hash(&id), id, hash);
    }

    /// Removes the newest node, which must have no edges.
    pub fn remove_newest_node(&mut self) {
        let id = self.nodes.len() as NodeId - 1;
        let node = self.nodes.pop().expect("the caller made it");
        debug_assert_eq!(node.n_edges, 0);
        if node.n_moves > 0 {
            self.moves.truncate(node.first_move as usize);
        }
        if let Some(name) = self.names.pop()
            && let Ok(entry) = self.table.find_entry(name.key.hash(), |of| *of == id)
        {
            entry.remove();
        }
    }

    /// Sets the node's legal moves. It then waits for its evaluation. `lost` says which moves lose at once; it is empty
    /// if none does.
    pub fn await_evaluation(&mut self, id: NodeId, moves: &MoveList, lost: &[bool]) {
        let first_move = self.moves.len() as u32;
        // Until the evaluation arrives, all moves are equal and in the order of the query.
        let log_prior = -(moves.len() as f32).ln();
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

    /// Gives a waiting node its evaluation. `logits` contains the logits of its moves and is used as scratch space.
    pub fn expand(&mut self, id: NodeId, raw_value: f32, logits: &mut [f32]) {
        log_softmax(logits);
        let node = *self.node(id);
        let candidates = &mut self.moves[node.first_move as usize..][..usize::from(node.n_moves)];
        let mut open_prior = 1.0;
        if node.n_open == node.n_moves {
            for (candidate, logit) in candidates.iter_mut().zip(&*logits) {
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
        (node.raw_value, node.state, node.open_prior) = (raw_value, State::Expanded, open_prior);
        self.bring_best_forward(id);
    }

    /// Opens the moves that lose at once. At the root each of them has its own node with a proof.
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
        let of = self.node_mut(parent);
        of.n_edges += 1;
        let last = std::mem::replace(&mut of.last_edge, id);
        if last == NONE {
            of.first_edge = id;
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

    /// Removes the newest edge, which must be the last one of `parent`.
    pub fn remove_newest_edge(&mut self, parent: NodeId) {
        let id = self.edges.len() as EdgeId - 1;
        debug_assert_eq!(self.node(parent).last_edge, id);
        let before = self.edges_of(parent).map(|(id, _)| id).take_while(|edge| *edge != id).last();
        let of = self.node_mut(parent);
        of.n_edges -= 1;
        of.last_edge = before.unwrap_or(NONE);
        match before {
            Some(edge) => self.edge_mut(edge).next = NONE,
            None => of.first_edge = NONE,
        }
        self.edges.pop();
        self.bring_best_forward(parent);
    }

    /// The maximum number of bytes per node: the node, the edges to it and its legal moves. If paths may meet, its name
    /// and its share of the table are added (five bytes per slot; up to nine in sixteen slots are free).
    pub fn most_bytes_per_node(shares: bool, n_moves: usize) -> usize {
        let found_by_name = if shares { size_of::<Name>() + 12 } else { 0 };
        // In a tree one edge leads to each node. In a graph every legal move may have an edge.
        let n_edges = if shares { n_moves } else { 1 };
        size_of::<Node>() + n_edges * size_of::<Edge>() + n_moves * size_of::<Candidate>() + found_by_name
    }

    /// Total bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.edges.len() * size_of::<Edge>()
            + self.moves.len() * size_of::<Candidate>()
            + self.names.len() * size_of::<Name>()
            + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use tablut_rules::Side;

    use super::*;

    fn proof(winner: Option<Side>, from_history: bool) -> Proof {
        Proof { winner, plies: 4, from_history }
    }

    #[test]
    fn a_proof_that_rests_on_history_holds_on_its_own_path_alone() {
        let here = Path::default().after("d1-d3".parse().expect("a move"));
        let there = Path::default().after("f1-f3".parse().expect("a move"));
        let mut graph = Graph::default();
        graph.reset(true);
        let shared = graph.add_listed(Paths::Many, Key::of_path(here));
        graph.node_mut(shared).add_visit(0.25, Some(3.0));
        let (by_history, for_all) = (proof(None, true), proof(Some(Side::Attackers), false));
        graph.prove(shared, by_history, here);
        assert_eq!((graph.proof_on(shared, here), graph.proof_on(shared, there)), (Some(by_history), None));
        graph.node_mut(shared).add_visit(0.75, Some(5.0));
        assert_eq!(graph.node(shared).q, 0.5, "elsewhere it is a mean");
        assert_eq!(graph.node(shared).moves_left, 4.0);
        // A proof that needs only the state holds on every path.
        graph.prove(shared, for_all, there);
        assert_eq!((graph.proof_on(shared, here), graph.proof_on(shared, there)), (Some(for_all), Some(for_all)));
        assert_eq!(graph.node(shared).q, 1.0);
        // A node of one path can only be reached on that path.
        let own = graph.add_hidden();
        graph.prove(own, by_history, here);
        assert_eq!((graph.proof_on(own, here), graph.node(own).q), (Some(by_history), 0.0));
    }

    #[test]
    fn what_is_taken_back_is_not_found_any_more() {
        let key = |text: &str| Key::of_path(Path::default().after(text.parse().expect("a move")));
        let keys = ["d1-d3", "f1-f3", "e2-c2", "e2-d2"].map(key);
        let mut graph = Graph::default();
        graph.reset(true);
        let ids = keys.map(|key| graph.add_listed(Paths::Many, key));
        assert_eq!(keys.map(|key| graph.find(key)), ids.map(Some));
        graph.remove_newest_node();
        assert_eq!(keys.map(|key| graph.find(key)), [Some(ids[0]), Some(ids[1]), Some(ids[2]), None]);
        let bytes = graph.bytes();
        graph.clear();
        assert!(keys.iter().all(|key| graph.find(*key).is_none()) && graph.bytes() < bytes);
    }
}
