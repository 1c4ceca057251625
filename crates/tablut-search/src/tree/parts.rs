//! The parts of a tree.

use tablut_rules::Move;

use crate::proof::Proof;

/// Index of a node, or [`NONE`].
pub(crate) type NodeId = u32;
/// Index of an edge, or [`NONE`].
pub(crate) type EdgeId = u32;
pub(crate) const NONE: u32 = u32::MAX;
pub(crate) const ROOT: NodeId = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Created, but its result is not checked and it has no evaluation.
    Fresh,
    /// Waiting for its evaluation.
    Pending,
    /// Its moves have their priors.
    Expanded,
}

/// The state of the game after a line of moves from the root.
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
    /// Total policy probability of the open moves.
    pub open_prior: f32,
    /// The net's value of the node, absolute.
    pub raw_value: f32,
    /// The net's chance of a draw.
    pub raw_draws: f32,
    /// The mean value or the proven value, absolute.
    pub q: f32,
    /// The mean chance of a draw, or 0 or 1 if the result is proven.
    pub draws: f32,
    /// The mean of the expected remaining plies.
    pub moves_left: f32,
    pub proof: Option<Proof>,
}

/// A visited move, from its node to the next.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Edge {
    /// The node that the move leads to. It is [`NONE`] while the edge is being made.
    pub child: NodeId,
    pub next: EdgeId,
    /// Simulations through the edge.
    pub visits: u32,
    /// Policy probability of the move.
    pub prior: f32,
    /// The child's value, absolute.
    pub q: f32,
    pub proof: Option<Proof>,
    pub mv: Move,
    /// Simulations in flight through the edge.
    pub in_flight: u16,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub log_prior: f32,
    pub mv: Move,
}

/// The size of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Nodes: the root and every visited move.
    pub nodes: usize,
    /// Legal moves of the evaluated nodes, visited or not.
    pub edges: usize,
    /// Total bytes.
    pub bytes: usize,
}

// The documentation states these sizes.
const _: () = assert!(size_of::<Node>() == 52 && size_of::<Edge>() == 32 && size_of::<Candidate>() == 8);

impl Default for Node {
    fn default() -> Self {
        Self {
            visits: 0,
            first_edge: NONE,
            last_edge: NONE,
            first_move: 0,
            n_moves: 0,
            n_open: 0,
            n_edges: 0,
            state: State::Fresh,
            open_prior: 1.0,
            raw_value: 0.0,
            raw_draws: 0.0,
            q: 0.0,
            draws: 0.0,
            moves_left: 0.0,
            proof: None,
        }
    }
}

impl Node {
    /// Counts one simulation with the given absolute value and chance of a draw. `moves_left` is the expected number of
    /// remaining plies from here, or `None` if the search does not use it.
    pub fn add_visit(&mut self, (value, draws): (f32, f32), moves_left: Option<f32>) {
        self.visits += 1;
        if let Some(moves_left) = moves_left {
            self.moves_left += (moves_left - self.moves_left) / self.visits as f32;
        }
        if self.proof.is_none() {
            let visits = self.visits as f32;
            self.q = (self.q + (value - self.q) / visits).clamp(-1.0, 1.0);
            self.draws = (self.draws + (draws - self.draws) / visits).clamp(0.0, 1.0);
        }
    }
}
