//! The tree: nodes and unvisited moves in two arenas.
//!
//! A node is 64 bytes, one cache line. A legal move costs 8 bytes until it is visited and becomes a node of its own.
//! Since inside the tree the next unvisited move to be tried is always the one with the highest prior, the visited
//! moves of a node are a prefix of its slice of the moves' arena, in the order of their children; the best unvisited
//! move stands right behind it. Moves that were seen to lose at once stand at the slice's end and are never visited.

use tablut_rules::{Move, MoveList};

use crate::formulas::softmax::{exp, log_softmax};
use crate::perspective::value_of;
use crate::proof::Proof;

/// Index of a node; [`NONE`] for no node.
pub(crate) type NodeId = u32;
/// No node.
pub(crate) const NONE: NodeId = u32::MAX;
/// The root.
pub(crate) const ROOT: NodeId = 0;

/// How far a node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Made, but neither judged nor evaluated.
    Fresh,
    /// Waits for its evaluation.
    Pending,
    /// Its moves have their priors.
    Expanded,
}

/// A state of the game: the moves from the root to it, after the game's history.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Node {
    /// Simulations through the node, its own evaluation included.
    pub visits: u32,
    pub parent: NodeId,
    pub first_child: NodeId,
    pub last_child: NodeId,
    pub next_sibling: NodeId,
    /// Start of the node's moves.
    pub first_move: u32,
    pub n_moves: u16,
    /// Moves that are not seen to lose at once: the first ones of its slice.
    pub n_open: u16,
    /// Moves visited so far: the first ones of its slice.
    pub n_children: u16,
    /// Simulations on their way through the node.
    pub in_flight: u16,
    pub state: State,
    /// Policy probability of the open moves together.
    pub open_prior: f32,
    /// The absolute value that the net gave the node.
    pub raw_value: f32,
    /// The mean value, or the proven one; absolute.
    pub q: f32,
    /// Policy probability of the move that leads here.
    pub prior: f32,
    /// The move that leads here; the root's is meaningless.
    pub mv: Move,
    pub proof: Option<Proof>,
}

/// A legal move with its prior.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub log_prior: f32,
    pub mv: Move,
}

// The sizes that the documentation states.
const _: () = assert!(size_of::<Node>() == 64 && size_of::<Candidate>() == 8);

impl Node {
    fn new(parent: NodeId, mv: Move, prior: f32) -> Self {
        Self {
            visits: 0,
            parent,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            first_move: 0,
            n_moves: 0,
            n_open: 0,
            n_children: 0,
            in_flight: 0,
            state: State::Fresh,
            open_prior: 1.0,
            raw_value: 0.0,
            q: 0.0,
            prior,
            mv,
            proof: None,
        }
    }

    /// Counts one simulation of the given absolute value.
    pub fn add_visit(&mut self, value: f32) {
        self.visits += 1;
        if self.proof.is_none() {
            self.q = (self.q + (value - self.q) / self.visits as f32).clamp(-1.0, 1.0);
        }
    }

    /// Marks the node proven.
    pub fn prove(&mut self, proof: Proof) {
        self.proof = Some(proof);
        self.q = value_of(proof.winner);
    }
}

/// The two arenas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    pub moves: Vec<Candidate>,
}

impl Tree {
    /// Empties the tree but for a fresh root.
    pub fn reset(&mut self, any_move: Move) {
        self.nodes.clear();
        self.moves.clear();
        self.nodes.push(Node::new(NONE, any_move, 1.0));
    }

    /// Empties the tree.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.moves.clear();
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The node's legal moves, visited ones first; empty until it waits for its evaluation.
    pub fn moves_of(&self, id: NodeId) -> &[Candidate] {
        let node = self.node(id);
        &self.moves[node.first_move as usize..][..usize::from(node.n_moves)]
    }

    /// The node's children, in the order of their first visits.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let mut next = self.node(id).first_child;
        std::iter::from_fn(move || {
            let id = next;
            (id != NONE).then(|| {
                let node = self.node(id);
                next = node.next_sibling;
                (id, node)
            })
        })
    }

    /// Lets the node wait for its evaluation, its legal moves known. `lost` tells which of them lose at once; empty
    /// for none.
    pub fn await_evaluation(&mut self, id: NodeId, moves: &MoveList, lost: &[bool]) {
        let first_move = self.moves.len() as u32;
        // Until the evaluation comes, all moves are equal, and in the order of the query.
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

    /// Gives a waiting node its evaluation. `logits` is scratch space that holds the logits of its moves.
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
            // Lost moves go to the end, the others keep their order.
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

    /// Opens the moves that were seen to lose: at the root each has a node of its own, with its proof.
    pub fn open_all(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        (node.n_open, node.open_prior) = (node.n_moves, 1.0);
    }

    /// Puts the best unvisited move right behind the visited ones; the others keep their order.
    fn bring_best_forward(&mut self, id: NodeId) {
        let node = *self.node(id);
        let start = node.first_move as usize;
        let unvisited = &mut self.moves[start + usize::from(node.n_children)..start + usize::from(node.n_open)];
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

    /// The best unvisited move of an expanded node that is not seen to lose.
    pub fn best_unvisited(&self, id: NodeId) -> Option<Candidate> {
        let node = self.node(id);
        let at = node.first_move as usize + usize::from(node.n_children);
        (node.n_children < node.n_open).then(|| self.moves[at])
    }

    /// Makes the child of the best unvisited move.
    pub fn add_child(&mut self, parent: NodeId) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let candidate = self.best_unvisited(parent).expect("the caller saw an unvisited move");
        self.nodes.push(Node::new(parent, candidate.mv, exp(candidate.log_prior)));
        let of = self.node_mut(parent);
        of.n_children += 1;
        let last = std::mem::replace(&mut of.last_child, id);
        if last == NONE {
            of.first_child = id;
        } else {
            self.node_mut(last).next_sibling = id;
        }
        self.bring_best_forward(parent);
        id
    }

    /// Makes the child of a given unvisited move, in a node whose moves are known.
    pub fn add_child_of(&mut self, parent: NodeId, mv: Move) -> NodeId {
        let (first, n) = (self.node(parent).first_move as usize, usize::from(self.node(parent).n_children));
        let at = self.moves_of(parent)[n..].iter().position(|candidate| candidate.mv == mv);
        let at = at.expect("an unvisited legal move");
        self.moves[first + n..=first + n + at].rotate_right(1);
        self.add_child(parent)
    }

    /// Takes back the newest node, which must be its parent's last child and have no children.
    pub fn remove_newest(&mut self) {
        let id = self.nodes.len() as NodeId - 1;
        let node = *self.node(id);
        let before = self.children(node.parent).map(|(id, _)| id).take_while(|sibling| *sibling != id).last();
        let parent = self.node_mut(node.parent);
        parent.n_children -= 1;
        parent.last_child = before.unwrap_or(NONE);
        match before {
            Some(sibling) => self.node_mut(sibling).next_sibling = NONE,
            None => parent.first_child = NONE,
        }
        if node.n_moves > 0 {
            self.moves.truncate(node.first_move as usize);
        }
        self.nodes.pop();
        self.bring_best_forward(node.parent);
    }

    /// Keeps the subtree of `id` alone, which becomes the root; `spare` lends its memory. Children keep their order.
    pub fn keep(&mut self, id: NodeId, spare: &mut Tree) {
        spare.nodes.clear();
        spare.moves.clear();
        spare.nodes.push(Node { parent: NONE, next_sibling: NONE, ..*self.node(id) });
        let mut at = 0;
        while at < spare.nodes.len() {
            // Until now the copy points into the old arenas.
            let mut old_child = spare.nodes[at].first_child;
            let node = spare.nodes[at];
            let start = spare.moves.len() as u32;
            spare.moves.extend_from_slice(&self.moves[node.first_move as usize..][..usize::from(node.n_moves)]);
            spare.nodes[at].first_move = start;
            let first = spare.nodes.len() as NodeId;
            while old_child != NONE {
                let child = *self.node(old_child);
                old_child = child.next_sibling;
                let next = if old_child == NONE { NONE } else { spare.nodes.len() as NodeId + 1 };
                spare.nodes.push(Node { parent: at as NodeId, next_sibling: next, ..child });
            }
            if node.first_child != NONE {
                (spare.nodes[at].first_child, spare.nodes[at].last_child) = (first, spare.nodes.len() as NodeId - 1);
            }
            at += 1;
        }
        std::mem::swap(self, spare);
    }

    /// Bytes that the nodes and moves take.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.moves.len() * size_of::<Candidate>()
    }
}
