//! A simulation on its way: the moves it made, the leaf it reached, and how that ended.

use tablut_rules::Side;

use crate::evaluator::Query;
use crate::graph::{EdgeId, NodeId, Path};

/// What of a path tells nodes apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathState {
    pub path: Path,
    /// A position has recurred since the last capture.
    pub recurred: bool,
}

/// One move of a simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub edge: EdgeId,
    /// The node that it led to.
    pub node: NodeId,
    /// Past the edge, to a node of this path alone.
    pub detour: bool,
    /// The path to the node.
    pub path: Path,
}

/// How a descent ended.
pub(super) enum Descended {
    /// At a leaf that needs an evaluation.
    Ask(Query),
    /// At a leaf whose value is known, or will be when the round ends.
    Known,
    /// At a leaf that waits for its evaluation already; the simulation did not take place.
    Collision,
    /// At a move for which there is no node left; the simulation did not take place.
    Full,
}

/// The leaf at which a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafKind {
    /// At a node that it made, or at one that is proven or closed: the node's own value counts.
    Known,
    /// At a node that waits for its evaluation because of this simulation.
    Asked,
    /// At a node that more simulations have visited than came by its edge, or that one of the same round is about to
    /// visit first: the edge catches up by one visit, the node has none.
    CaughtUp,
}

/// A simulation on its descent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub leaf: NodeId,
    /// Index of the root move that it went through; `None` for the root's own evaluation.
    pub entry: Option<usize>,
    /// The side to move at the leaf.
    pub side: Side,
    pub end: LeafKind,
    /// Where its steps begin; they reach to the next simulation's.
    pub first_step: usize,
    /// It made its last edge, or its leaf.
    pub new_edge: bool,
    pub new_node: bool,
}
