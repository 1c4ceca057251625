//! A simulation: its moves, its leaf, and how it ended.

use tablut_rules::Side;

use crate::evaluator::Query;
use crate::graph::{EdgeId, NodeId, Path};

/// The part of a path that distinguishes nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathState {
    pub path: Path,
    /// Whether a position has repeated since the last capture.
    pub recurred: bool,
}

/// One move of a simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub edge: EdgeId,
    /// The node that it led to.
    pub node: NodeId,
    /// The move skips the edge and leads to a node of this path alone.
    pub detour: bool,
    /// The path to the node.
    pub path: Path,
}

/// How a descent ended.
pub(super) enum Descended {
    /// At a leaf that needs an evaluation.
    Ask(Query),
    /// At a leaf whose value is known, or will be known at the end of the round.
    Known,
    /// At a leaf that already waits for its evaluation. The simulation does not count.
    Collision,
    /// At a move for which there is no node left. The simulation does not count.
    Full,
}

/// The kind of leaf at which a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafKind {
    /// A node that it made, or a proven or closed one. The node's own value counts.
    Known,
    /// A node that waits for its evaluation because of this simulation.
    Asked,
    /// A node with more visits than its edge has, or one that another simulation of this round visits first. The edge
    /// gets one visit, the node none.
    CaughtUp,
}

/// A simulation on its descent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub leaf: NodeId,
    /// Index of its root move, or `None` for the root's own evaluation.
    pub entry: Option<usize>,
    /// The side to move at the leaf.
    pub side: Side,
    pub end: LeafKind,
    /// The start of its steps. They end where those of the next simulation start.
    pub first_step: usize,
    /// Whether it made its last edge, or its leaf.
    pub new_edge: bool,
    pub new_node: bool,
}
