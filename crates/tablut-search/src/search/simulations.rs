//! The simulations of a search. Each descends from the root to a leaf, waits for the leaf's evaluation, and is backed
//! up. A node's value is the mean over the simulations through it.

use tablut_rules::{Side, Situation};

use super::root::Root;
use super::selection::{Choice, Selection};
use super::walk::Walk;
use crate::config::{Repeats, SearchConfig};
use crate::evaluator::Evaluation;
use crate::tree::{Edge, EdgeId, NONE, NodeId, ROOT, State, Tree};

pub(super) enum Descended {
    /// At a leaf that needs an evaluation.
    Ask(Situation),
    /// At a leaf whose value is known.
    Known,
    /// At a leaf that already waits for its evaluation. The simulation does not count.
    Collision,
    /// At a move for which there is no node left. The simulation does not count.
    Full,
}

/// A simulation between its descent and its backup, or the request for the root's own evaluation.
#[derive(Clone, Copy, Debug)]
struct Pending {
    leaf: NodeId,
    /// The side to move at the leaf.
    side: Side,
    /// Whether the leaf waits for its evaluation. Otherwise the leaf's value is known.
    asked: bool,
    /// The start of its steps. They end where those of the next simulation start.
    first_step: usize,
    /// Whether it made its leaf and the edge to it.
    is_new: bool,
}

/// The simulations in flight, and the number of simulations that are backed up.
#[derive(Debug, Default)]
pub(super) struct Simulations {
    pending: Vec<Pending>,
    /// The edges that the pending simulations took, one simulation after another.
    steps: Vec<EdgeId>,
    pub selection: Selection,
    /// Simulations that are backed up.
    pub n_done: u32,
    /// Evaluations of leaves and of the root.
    pub n_evaluations: u32,
    /// Whether a simulation found no node left.
    pub is_full: bool,
}

impl Simulations {
    /// Resets the counts. No simulation may be in flight.
    pub fn reset(&mut self) {
        (self.n_done, self.n_evaluations, self.is_full) = (0, 0, false);
    }

    pub fn n_in_flight(&self) -> usize {
        self.pending.len()
    }

    /// Whether evaluations were requested that have not arrived yet.
    pub fn awaits_evaluations(&self) -> bool {
        self.pending.iter().any(|simulation| simulation.asked)
    }

    pub fn ask_root(&mut self, tree: &mut Tree, walk: &mut Walk, side: Side) -> Situation {
        tree.await_evaluation(ROOT, walk.list_moves(), &[]);
        self.pending.push(Pending { leaf: ROOT, side, asked: true, first_step: 0, is_new: false });
        walk.situation()
    }

    /// Simulates through a root move down to a leaf. The game is back at the root afterwards.
    pub fn descend(
        &mut self,
        entry: usize,
        root: &mut Root,
        tree: &mut Tree,
        walk: &mut Walk,
        config: &SearchConfig,
    ) -> Descended {
        let first_step = self.steps.len();
        let mut edge = root.entries[entry].edge;
        let mut is_new = edge == NONE;
        if is_new {
            if is_full(tree, config) {
                self.is_full = true;
                return Descended::Full;
            }
            edge = tree.add_edge_of(ROOT, root.entries[entry].mv);
            root.entries[entry].edge = edge;
        }
        let mut leaf;
        let mut side = root.side;
        let descended = loop {
            side = side.opponent();
            self.steps.push(edge);
            let Edge { mv, child, .. } = *tree.edge(edge);
            if child != NONE && tree.node(child).proof.is_some() {
                // The result is proven, so the move is not played.
                leaf = child;
                break Descended::Known;
            }
            walk.play(mv);
            leaf = if child == NONE { tree.add_child(edge) } else { child };
            match tree.node(leaf).state {
                State::Fresh => {
                    let descended = resolve_or_ask(leaf, tree, walk, config);
                    tree.update_edge(edge);
                    break descended;
                }
                State::Pending => break Descended::Collision,
                State::Expanded => {}
            }
            match self.selection.choose_edge(tree, config, leaf, side) {
                Choice::Edge(next) => edge = next,
                Choice::New if is_full(tree, config) => break Descended::Full,
                Choice::New => {
                    edge = tree.add_edge(leaf);
                    is_new = true;
                }
                Choice::Closed => break Descended::Known,
            }
        };
        walk.return_to_root();
        let asked = matches!(descended, Descended::Ask(_));
        if asked || matches!(descended, Descended::Known) {
            self.pending.push(Pending { leaf, side, asked, first_step, is_new });
            if marks_in_flight(config) {
                self.steps[first_step..].iter().for_each(|edge| tree.edge_mut(*edge).in_flight += 1);
            }
        } else {
            self.is_full |= matches!(descended, Descended::Full);
            self.steps.truncate(first_step);
        }
        descended
    }

    /// Applies the requested evaluations, and backs up every simulation in flight, in the order in which they started.
    pub fn take_evaluations(&mut self, evaluations: &[Evaluation], tree: &mut Tree, config: &SearchConfig) {
        let mut answers = evaluations.iter();
        for simulation in self.pending.iter().filter(|simulation| simulation.asked) {
            let answer = answers.next().expect("an evaluation for each situation");
            tree.expand(simulation.leaf, answer, config.prior_temperature());
            self.n_evaluations += 1;
        }
        assert!(answers.next().is_none(), "more evaluations than situations");
        for (index, simulation) in self.pending.iter().enumerate() {
            self.n_done += u32::from(simulation.leaf != ROOT);
            let end = self.pending.get(index + 1).map_or(self.steps.len(), |next| next.first_step);
            back_up(simulation, &self.steps[simulation.first_step..end], tree, config);
        }
        self.pending.clear();
        self.steps.clear();
    }

    /// Undoes the simulations in flight, newest first, as if they had never started.
    pub fn withdraw(&mut self, root: &mut Root, tree: &mut Tree, config: &SearchConfig) {
        while let Some(simulation) = self.pending.pop() {
            let Some((last, before)) = self.steps[simulation.first_step..].split_last() else {
                // The root's own evaluation.
                tree.reset();
                continue;
            };
            if marks_in_flight(config) {
                for step in &self.steps[simulation.first_step..] {
                    let edge = tree.edge_mut(*step);
                    edge.in_flight = edge.in_flight.saturating_sub(1);
                }
            }
            if simulation.is_new {
                let parent = before.last().map_or(ROOT, |step| tree.edge(*step).child);
                root.forget(*last);
                tree.remove_newest_child(parent);
            } else if simulation.asked {
                tree.forget_request(simulation.leaf);
            }
            self.steps.truncate(simulation.first_step);
        }
    }
}

fn is_full(tree: &Tree, config: &SearchConfig) -> bool {
    tree.nodes.len() >= config.max_nodes.max(1) as usize
}

/// Whether simulations mark the edges of their path as in flight, so that other simulations avoid them.
fn marks_in_flight(config: &SearchConfig) -> bool {
    config.leaves_in_flight > 1
}

/// Checks whether the result of a new node is known, and otherwise requests its evaluation. The game is at the node.
fn resolve_or_ask(id: NodeId, tree: &mut Tree, walk: &mut Walk, config: &SearchConfig) -> Descended {
    if let Some(proof) = walk.leaf_proof(config.solver) {
        tree.prove(id, proof);
        return Descended::Known;
    }
    if config.repeats == Repeats::Drawn && walk.repeats_below_root() {
        // It stays a leaf.
        let (q, draws) = tree.value_and_draw(None);
        let leaf = tree.node_mut(id);
        (leaf.q, leaf.draws) = (q, draws);
        return Descended::Known;
    }
    tree.await_evaluation(id, walk.moves(), walk.lost());
    Descended::Ask(walk.situation())
}

/// Counts a simulation in every node of its path, and backs up proofs.
fn back_up(simulation: &Pending, steps: &[EdgeId], tree: &mut Tree, config: &SearchConfig) {
    let leaf = tree.node(simulation.leaf);
    let mut worth = if simulation.asked { (leaf.raw_value, leaf.raw_draws) } else { (leaf.q, leaf.draws) };
    let plies_left = || leaf.proof.map_or(leaf.moves_left, |proof| f32::from(proof.plies));
    let mut moves_left = (config.moves_left > 0.0).then(plies_left);
    let (mut side, marked, solves) = (simulation.side, marks_in_flight(config), config.solver.is_on());
    for (at, step) in steps.iter().enumerate().rev() {
        let child = tree.edge(*step).child;
        let proof = tree.node(child).proof;
        if let Some(proof) = proof {
            worth = tree.value_and_draw(proof.winner);
        }
        tree.node_mut(child).add_visit(worth, moves_left);
        moves_left = moves_left.map(|plies| plies + 1.0);
        let edge = tree.update_edge(*step);
        edge.visits += 1;
        if marked {
            edge.in_flight = edge.in_flight.saturating_sub(1);
        }
        side = side.opponent();
        if let (true, Some(proof)) = (solves, proof) {
            let parent = at.checked_sub(1).map_or(ROOT, |before| tree.edge(steps[before]).child);
            tree.prove_parent(parent, side, proof);
        }
    }
    if let Some(proof) = tree.node(ROOT).proof {
        worth = tree.value_and_draw(proof.winner);
    }
    tree.node_mut(ROOT).add_visit(worth, moves_left);
}
