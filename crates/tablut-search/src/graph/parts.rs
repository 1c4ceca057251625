//! The parts of a graph.

use tablut_rules::Move;

use super::key::{Key, Path};
use crate::proof::Proof;

/// Index of a node; [`NONE`] for no node.
pub(crate) type NodeId = u32;
/// Index of an edge; [`NONE`] for no edge.
pub(crate) type EdgeId = u32;
/// No node, or no edge.
pub(crate) const NONE: u32 = u32::MAX;
/// The root.
pub(crate) const ROOT: NodeId = 0;

/// The state of a node in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Created, but its result is not checked and it has no evaluation.
    Fresh,
    /// Waiting for its evaluation.
    Pending,
    /// Its moves have their priors.
    Expanded,
}

/// How many paths may lead to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// One. The node stands for the moves from the root to it, after the game's history. All nodes of a tree are like
    /// this.
    One,
    /// All paths on which no position has repeated since the last capture. The node stands for a state of the game.
    Many,
    /// Like `Many`, and on some path a move from here repeats a position. On that path the move leads to a separate
    /// node, not to the child of the move's edge.
    ManyWithDetours,
}

/// A state of the game, or one path to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Simulations through the node, including its own evaluation.
    pub visits: u32,
    pub first_edge: EdgeId,
    pub last_edge: EdgeId,
    /// The start of the node's moves.
    pub first_move: u32,
    pub n_moves: u16,
    /// Moves that are not known to lose at once. They are the first ones of its slice.
    pub n_open: u16,
    /// Moves with an edge. They are the first ones of its slice.
    pub n_edges: u16,
    pub state: State,
    pub paths: Paths,
    /// Total policy probability of the open moves.
    pub open_prior: f32,
    /// The net's value of the node, absolute.
    pub raw_value: f32,
    /// The mean value, or the value that is proven for all paths; absolute.
    pub q: f32,
    /// The mean of the expected remaining plies.
    pub moves_left: f32,
    /// A proof that depends on history holds on one path only; see [`Graph::proof_on`].
    pub proof: Option<Proof>,
}

/// A visited move, from its node to the next.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Edge {
    /// The node that the move leads to. It is [`NONE`] while all visits took detours.
    pub child: NodeId,
    pub next: EdgeId,
    /// Simulations through the edge.
    pub visits: u32,
    /// Policy probability of the move.
    pub prior: f32,
    /// The value with which the edge's visits count in its node's mean: a mean or a proven value, absolute. In a tree
    /// it is the child's value.
    pub q: f32,
    /// The child's proof, if it holds on all paths to the edge's node.
    pub proof: Option<Proof>,
    pub mv: Move,
    /// Simulations in flight through the edge.
    pub in_flight: u16,
}

/// A legal move with its prior.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub log_prior: f32,
    pub mv: Move,
}

/// Identifies a node if paths may meet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Name {
    /// Its key in the table.
    pub key: Key,
    /// The path for which the node's proof holds, if the proof depends on history and several paths lead to the node.
    pub proven_on: Path,
}

// The sizes in the documentation.
const _: () = assert!(size_of::<Node>() == 44 && size_of::<Edge>() == 32 && size_of::<Candidate>() == 8);
const _: () = assert!(size_of::<Name>() == 32);

/// Where an edge leads on a path, and what is known there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub child: NodeId,
    pub visits: u32,
    pub q: f32,
    pub proof: Option<Proof>,
}

impl Node {
    pub fn new(paths: Paths) -> Self {
        Self {
            visits: 0,
            first_edge: NONE,
            last_edge: NONE,
            first_move: 0,
            n_moves: 0,
            n_open: 0,
            n_edges: 0,
            state: State::Fresh,
            paths,
            open_prior: 1.0,
            raw_value: 0.0,
            q: 0.0,
            moves_left: 0.0,
            proof: None,
        }
    }

    /// Whether a proof of the node holds only on one of several paths.
    pub fn is_proven_on_one_path(&self, proof: Proof) -> bool {
        proof.from_history && self.paths != Paths::One
    }

    /// Counts one simulation with the given absolute value. `moves_left` is the expected number of remaining plies from
    /// here, or `None` if the search does not use it.
    pub fn add_visit(&mut self, value: f32, moves_left: Option<f32>) {
        self.visits += 1;
        if let Some(moves_left) = moves_left {
            self.moves_left += (moves_left - self.moves_left) / self.visits as f32;
        }
        if self.proof.is_none_or(|proof| self.is_proven_on_one_path(proof)) {
            self.q = (self.q + (value - self.q) / self.visits as f32).clamp(-1.0, 1.0);
        }
    }
}
