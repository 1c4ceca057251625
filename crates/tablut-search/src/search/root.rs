//! The root: its moves, and their statistics in the tree.

use rand::rngs::ChaCha8Rng;
use tablut_rules::{Move, MoveList, Side};

use crate::config::{Method, SearchConfig};
use crate::formulas::Visited;
use crate::formulas::completed_q::mixed_value;
use crate::formulas::improved_policy::{ImprovedPolicy, PolicyMove, improved_policy};
use crate::formulas::sampling::{gumbel, open_unit};
use crate::formulas::softmax::exp;
use crate::limit::Stop;
use crate::perspective::turned;
use crate::proof::{Proof, backed_up};
use crate::tree::{Edge, EdgeId, NONE, ROOT, Tree};

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub mv: Move,
    pub log_prior: f32,
    pub prior: f32,
    pub gumbel: f32,
    pub edge: EdgeId,
    /// The result after the move, if it is known before the search. It does not count the move itself.
    pub known_result: Option<Proof>,
}

/// The root's moves in the order of `Rules::legal_moves`, with the search's random numbers.
#[derive(Debug)]
pub(super) struct Root {
    pub side: Side,
    pub entries: Vec<Entry>,
    /// The number in (0, 1) that selects the move in a PUCT search with a temperature.
    pub unit: f64,
}

impl Root {
    /// The legal moves of `side`, all equal and without edges.
    pub fn new(side: Side, moves: &MoveList) -> Self {
        let log_prior = -libm::logf(moves.len().max(1) as f32);
        let entry = |mv: &Move| Entry {
            mv: *mv,
            log_prior,
            prior: exp(log_prior),
            gumbel: 0.0,
            edge: NONE,
            known_result: None,
        };
        Self { side, entries: moves.iter().map(entry).collect(), unit: 0.5 }
    }

    /// The root's result, if it is known before the search.
    pub fn known_result(&self) -> Option<Proof> {
        backed_up(self.side, self.entries.len(), self.entries.iter().filter_map(|entry| entry.known_result))
    }

    pub fn link(&mut self, tree: &Tree) {
        for entry in &mut self.entries {
            if let Some(candidate) = tree.moves_of(ROOT).iter().find(|candidate| candidate.mv == entry.mv) {
                entry.log_prior = candidate.log_prior;
                entry.prior = exp(candidate.log_prior);
            }
        }
        for (id, edge) in tree.edges_of(ROOT) {
            if let Some(entry) = self.entries.iter_mut().find(|entry| entry.mv == edge.mv) {
                entry.edge = id;
            }
        }
    }

    /// Gives every move with a known result a node with its proof. If the search `solves`, it also proves the root if
    /// the proofs of its moves decide it, including proofs from a kept tree.
    pub fn prove_known_moves(&mut self, tree: &mut Tree, solves: bool) {
        tree.open_all(ROOT);
        for entry in &mut self.entries {
            let Some(proof) = entry.known_result else { continue };
            if entry.edge == NONE {
                entry.edge = tree.add_edge_of(ROOT, entry.mv);
            }
            let child = match tree.edge(entry.edge).child {
                NONE => tree.add_child(entry.edge),
                child => child,
            };
            tree.prove(child, proof);
            tree.update_edge(entry.edge);
        }
        let proofs = tree.edges_of(ROOT).filter_map(|(_, edge)| edge.proof);
        if let (true, Some(proof)) = (solves, backed_up(self.side, self.entries.len(), proofs)) {
            tree.prove(ROOT, proof);
        }
    }

    /// Draws the search's random numbers, in the order of the moves.
    pub fn draw(&mut self, config: &SearchConfig, ply: u32, rng: &mut ChaCha8Rng) {
        match config.method {
            Method::Gumbel | Method::Auto if config.gumbel.noise => {
                for entry in &mut self.entries {
                    entry.gumbel = gumbel(rng);
                }
            }
            Method::Puct if config.puct.temperature_at(ply) > 0.0 => self.unit = open_unit(rng),
            Method::Gumbel | Method::Auto | Method::Puct => {}
        }
    }

    pub fn forget(&mut self, id: EdgeId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.edge == id) {
            entry.edge = NONE;
        }
    }
}

/// The root's moves with their statistics in the tree so far.
#[derive(Clone, Copy)]
pub(super) struct RootView<'a> {
    pub root: &'a Root,
    pub tree: &'a Tree,
    pub config: &'a SearchConfig,
}

impl<'a> RootView<'a> {
    pub fn edge(&self, entry: &Entry) -> Option<&'a Edge> {
        (entry.edge != NONE).then(|| self.tree.edge(entry.edge))
    }

    /// Simulations through the root move, including kept ones.
    pub fn visits(&self, entry: &Entry) -> u32 {
        self.edge(entry).map_or(0, |edge| edge.visits)
    }

    /// The proof of a root move, in plies from the root.
    pub fn proof(&self, entry: &Entry) -> Option<Proof> {
        self.edge(entry)?.proof.map(Proof::one_ply_earlier)
    }

    /// The proof of the root itself, if the search solves.
    pub fn root_proof(&self) -> Option<Proof> {
        self.tree.node(ROOT).proof.filter(|_| self.config.solver.is_on())
    }

    /// Whether the move is proven to lose for the side to move at the root.
    pub fn is_refuted(&self, entry: &Entry) -> bool {
        self.config.solver.is_on()
            && self
                .edge(entry)
                .and_then(|edge| edge.proof)
                .is_some_and(|proof| proof.winner == Some(self.root.side.opponent()))
    }

    pub fn open_entries(self) -> impl Iterator<Item = &'a Entry> {
        self.root.entries.iter().filter(move |entry| !self.is_refuted(entry))
    }

    /// The improved policy over all root moves. Refuted moves count only if no other move is left.
    pub fn policy(&self) -> ImprovedPolicy {
        let side = self.root.side;
        let all_refuted = self.open_entries().next().is_none();
        let of_entry = |entry: &Entry| {
            let edge = self.edge(entry);
            PolicyMove {
                log_prior: entry.log_prior,
                // A proven move counts as visited.
                visits: edge.map_or(0, |edge| edge.visits.max(u32::from(edge.proof.is_some()))),
                q: edge.map_or(0.0, |edge| turned(edge.q, side)),
                refuted: !all_refuted && self.is_refuted(entry),
            }
        };
        let moves: Vec<PolicyMove> = self.root.entries.iter().map(of_entry).collect();
        let raw_value = self.tree.nodes.first().map_or(0.0, |root| turned(root.raw_value, side));
        improved_policy(raw_value, &moves, &self.config.gumbel.sigma)
    }

    /// The chance of a draw after each root move: that of a visited or proven move, and for the others one that is
    /// mixed like `v_mix`.
    pub fn completed_draws(&self) -> Vec<f32> {
        let draws = |entry: &Entry| {
            let edge = self.edge(entry).filter(|edge| edge.visits > 0 || edge.proof.is_some())?;
            Some((edge.visits.max(1), self.tree.node(edge.child).draws))
        };
        let all_refuted = self.open_entries().next().is_none();
        let entries = self.root.entries.iter().filter(|entry| all_refuted || !self.is_refuted(entry));
        let visited: Vec<Visited> = entries
            .filter_map(|entry| {
                draws(entry).map(|(visits, draws)| Visited { prior: exp(entry.log_prior), visits, q: draws })
            })
            .collect();
        let raw_draws = self.tree.nodes.first().map_or(0.0, |root| root.raw_draws);
        let mixed = mixed_value(raw_draws, &visited).value;
        self.root.entries.iter().map(|entry| draws(entry).map_or(mixed, |(_, draws)| draws)).collect()
    }

    /// g(a) + ln π(a) + σ(completedQ(a)) of every root move, −∞ for refuted moves. Q includes the bonus for short wins.
    pub fn scores(&self, policy: &ImprovedPolicy) -> Vec<f32> {
        let score = |(index, entry): (usize, &Entry)| {
            if self.is_refuted(entry) {
                return f32::NEG_INFINITY;
            }
            let bonus = policy.sigma.of(self.moves_left_bonus(entry)) - policy.sigma.of(0.0);
            entry.gumbel + policy.logits[index] + bonus
        };
        self.root.entries.iter().enumerate().map(score).collect()
    }

    /// The moves-left bonus of a root move, in units of Q.
    fn moves_left_bonus(&self, entry: &Entry) -> f32 {
        let most = self.config.moves_left;
        let Some(edge) = self.edge(entry).filter(|_| most > 0.0) else { return 0.0 };
        self.tree.moves_left_bonus(most, self.tree.node(ROOT), edge, turned(edge.q, self.root.side))
    }

    /// The reason to stop that the root's proofs give, if any.
    pub fn early_stop(&self) -> Option<Stop> {
        if self.root_proof().is_some() {
            return Some(Stop::Proven);
        }
        let n_open = self.open_entries().take(2).count();
        (n_open == 1 && self.config.stop_when_decided).then_some(Stop::Decided)
    }

    /// Without a temperature PUCT plays the most visited open move. So stop if the next one can no longer overtake it
    /// with the simulations that are `left`.
    pub fn leader_stop(&self, left: u32) -> Option<Stop> {
        // The leading move has at most the root's visits.
        let may_lead = self.tree.node(ROOT).visits > left;
        if !self.config.stop_when_decided || !may_lead {
            return None;
        }
        let (mut first, mut second) = (0, 0);
        for visits in self.open_entries().map(|entry| self.visits(entry)) {
            if visits > first {
                (first, second) = (visits, first);
            } else {
                second = second.max(visits);
            }
        }
        // The leading move may still be refuted. This check ignores that.
        (first > second + left).then_some(Stop::Decided)
    }
}
