//! What a graph is made of.

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

/// By how many paths a node may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// By one: it stands for the moves from the root to it, after the game's history. So do all nodes of a tree.
    One,
    /// By any on which no position has recurred since the last capture: it stands for a state of the game.
    Many,
    /// As `Many`, and on some path a move from here leads to a position that recurs there: to a node of that path alone,
    /// not to the child of the move's edge.
    ManyWithDetours,
}

/// A state of the game, or one path to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Simulations through the node, its own evaluation included.
    pub visits: u32,
    pub first_edge: EdgeId,
    pub last_edge: EdgeId,
    /// Start of the node's moves.
    pub first_move: u32,
    pub n_moves: u16,
    /// Moves that are not seen to lose at once: the first ones of its slice.
    pub n_open: u16,
    /// Moves with an edge: the first ones of its slice.
    pub n_edges: u16,
    pub state: State,
    pub paths: Paths,
    /// Policy probability of the open moves together.
    pub open_prior: f32,
    /// The absolute value that the net gave the node.
    pub raw_value: f32,
    /// The mean value, or the one proven for all paths; absolute.
    pub q: f32,
    /// The mean of the plies that the game is expected to go on for.
    pub moves_left: f32,
    /// A proof that rests on history holds for one path, [`Graph::proof_on`] tells.
    pub proof: Option<Proof>,
}

/// A move that was visited, from its node to the next.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Edge {
    /// Where the move leads; [`NONE`] as long as only detours were made.
    pub child: NodeId,
    pub next: EdgeId,
    /// Simulations through the edge.
    pub visits: u32,
    /// Policy probability of the move.
    pub prior: f32,
    /// The mean value, or the proven one, with which the edge's visits count in its node's mean; absolute. In a tree it
    /// is the child's.
    pub q: f32,
    /// The child's proof, as far as it holds for all paths to the edge's node.
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

/// What a node is known by where paths may meet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Name {
    /// The key in the table.
    pub key: Key,
    /// The path for which the node's proof holds if it rests on history and the node is reached by many.
    pub proven_on: Path,
}

// The sizes that the documentation states.
const _: () = assert!(size_of::<Node>() == 44 && size_of::<Edge>() == 32 && size_of::<Candidate>() == 8);
const _: () = assert!(size_of::<Name>() == 32);

/// Where an edge leads on a path, and what is known of it there.
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

    /// Whether a proof of the node holds on one path of many.
    pub fn is_proven_on_one_path(&self, proof: Proof) -> bool {
        proof.from_history && self.paths != Paths::One
    }

    /// Counts one simulation of the given absolute value. After it the game is expected to go on for `moves_left` plies; none
    /// where the search has no use for that.
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
