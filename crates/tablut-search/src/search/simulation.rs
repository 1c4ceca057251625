//! A simulation: its leaf, and how it ended.

use tablut_rules::Side;

use crate::evaluator::Query;
use crate::tree::NodeId;

/// How a descent ended.
pub(super) enum Descended {
    /// At a leaf that needs an evaluation.
    Ask(Query),
    /// At a leaf whose value is known.
    Known,
    /// At a leaf that already waits for its evaluation. The simulation does not count.
    Collision,
    /// At a move for which there is no node left. The simulation does not count.
    Full,
}

/// A simulation between its descent and its backup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub leaf: NodeId,
    /// Index of its root move, or `None` for the root's own evaluation.
    pub entry: Option<usize>,
    /// The side to move at the leaf.
    pub side: Side,
    /// Whether the leaf waits for its evaluation. Otherwise the leaf's value is known.
    pub asked: bool,
    /// The start of its steps. They end where those of the next simulation start.
    pub first_step: usize,
    /// Whether it made its leaf and the edge to it.
    pub is_new: bool,
}
