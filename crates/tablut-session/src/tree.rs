//! The tree of a game's variations.

use crate::report::MoveReport;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::iter::successors;
use tablut_rules::{Move, Side};
use tablut_search::{Chances, Proof};

/// The id of a node of a [`Tree`]. The id of a removed node is not used again.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NodeValue {
    /// The chances. They are certain if the result is proven.
    pub chances: Chances,
    pub proven: Option<Proof>,
    pub simulations: u32,
}

impl NodeValue {
    /// The attackers' chances minus the defenders', from −1 to 1.
    pub fn value(&self) -> f32 {
        self.chances.value()
    }
}

/// What a review found at a position. It is kept with the game.
#[derive(Clone, Debug, PartialEq)]
pub struct Reviewed {
    pub value: NodeValue,
    /// The best line. Empty where the game is over.
    pub best: Vec<Move>,
    /// All first moves that keep a proven result.
    pub solutions: Vec<Move>,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The position before. `None` at the root.
    pub parent: Option<NodeId>,
    /// The move that leads here. `None` at the root.
    pub report: Option<MoveReport>,
    /// The positions after this one. The first one continues the main line.
    pub children: Vec<NodeId>,
    /// The child that was visited last.
    next: Option<NodeId>,
    pub comment: String,
    pub resigned: Option<Side>,
    /// Both sides have agreed on a draw here.
    pub is_agreed_draw: bool,
    pub value: Option<NodeValue>,
    pub review: Option<Reviewed>,
    pub ply: u32,
}

impl Node {
    /// Whether the people have ended the game here: by a resignation, a clock, or a draw on which both agreed.
    pub fn was_ended(&self) -> bool {
        self.resigned.is_some() || self.is_agreed_draw
    }

    pub fn is_end(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.outcome.is_some())
    }
}

/// The indices of moves, each with its parent, in an order in which every line is played to its end before the lines that
/// leave it. So each move is played and taken back once. A parent has a smaller index than its children.
pub(crate) fn lines_first(parents: impl Iterator<Item = Option<usize>>) -> impl Iterator<Item = usize> {
    let (mut children, mut waiting) = (Vec::<Vec<usize>>::new(), Vec::new());
    for (index, parent) in parents.enumerate() {
        children.push(Vec::new());
        parent.map_or(&mut waiting, |parent| &mut children[parent]).push(index);
    }
    waiting.reverse();
    std::iter::from_fn(move || {
        let next = waiting.pop()?;
        waiting.extend(children[next].drain(..).rev());
        Some(next)
    })
}

#[derive(Clone, Debug)]
pub struct Tree {
    nodes: BTreeMap<NodeId, Node>,
    fresh: u32,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: BTreeMap::from([(Self::ROOT, Node::default())]), fresh: 1 }
    }
}

impl Tree {
    pub const ROOT: NodeId = NodeId(0);

    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    /// All nodes, each after its parent.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().map(|(id, node)| (*id, node))
    }

    /// The number of nodes, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    pub fn child(&self, parent: NodeId, mv: Move) -> Option<NodeId> {
        let children = self.node(parent).map_or(&[][..], |node| &node.children);
        children.iter().copied().find(|id| self.mv(*id) == Some(mv))
    }

    pub fn mv(&self, id: NodeId) -> Option<Move> {
        self.node(id).and_then(|node| node.report.as_ref()).map(|report| report.mv)
    }

    /// Adds a move after `parent`, which must exist.
    pub(crate) fn add(&mut self, parent: NodeId, report: MoveReport) -> NodeId {
        let id = NodeId(self.fresh);
        self.fresh += 1;
        let above = self.nodes.get_mut(&parent).expect("moves are added below nodes of the tree");
        above.children.push(id);
        let ply = above.ply + 1;
        self.nodes.insert(id, Node { parent: Some(parent), report: Some(report), ply, ..Node::default() });
        id
    }

    /// The nodes from the root to `id`, both included.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = successors(Some(id), |id| self.node(*id)?.parent).collect();
        path.reverse();
        path
    }

    /// The next position forward: the child that was visited last, or else the first child.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id)?;
        node.next.or_else(|| node.children.first().copied())
    }

    /// The whole line through `id`: the path from the root, and all positions forward.
    pub fn line(&self, id: NodeId) -> Vec<NodeId> {
        let mut line = self.path(id);
        line.extend(successors(self.next(id), |id| self.next(*id)));
        line
    }

    pub fn main_line(&self) -> Vec<NodeId> {
        successors(Some(Self::ROOT), |id| self.node(*id)?.children.first().copied()).collect()
    }

    pub(crate) fn walk(&mut self, id: NodeId) {
        let path = self.path(id);
        for pair in path.windows(2) {
            self.step(pair[0], pair[1]);
        }
    }

    /// Makes `child` the child of `parent` that was visited last.
    pub(crate) fn step(&mut self, parent: NodeId, child: NodeId) {
        if let Some(node) = self.nodes.get_mut(&parent) {
            node.next = Some(child);
        }
    }

    /// Takes away all resignations and agreed draws.
    pub(crate) fn reopen(&mut self) {
        for node in self.nodes.values_mut() {
            (node.resigned, node.is_agreed_draw) = (None, false);
        }
    }

    pub(crate) fn promote(&mut self, id: NodeId) {
        let path = self.path(id);
        for pair in path.windows(2) {
            if let Some(node) = self.nodes.get_mut(&pair[0]) {
                node.children.retain(|child| *child != pair[1]);
                node.children.insert(0, pair[1]);
            }
        }
    }

    /// Removes a node and everything after it. The root stays.
    pub(crate) fn remove(&mut self, id: NodeId) {
        let Some(parent) = self.node(id).and_then(|node| node.parent) else { return };
        if let Some(above) = self.nodes.get_mut(&parent) {
            above.children.retain(|child| *child != id);
            above.next = above.next.filter(|next| *next != id);
        }
        let mut doomed = vec![id];
        while let Some(id) = doomed.pop() {
            if let Some(node) = self.nodes.remove(&id) {
                doomed.extend(node.children);
            }
        }
    }
}
