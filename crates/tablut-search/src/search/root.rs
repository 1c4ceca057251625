//! The root: its moves, and the plan for the simulations through them.

use rand::rngs::ChaCha8Rng;
use tablut_rules::{Move, MoveList, Side};

use crate::config::{Method, SearchConfig};
use crate::formulas::halving::{HalvingGroup, schedule};
use crate::formulas::noise::{gumbel, open_unit};
use crate::formulas::softmax::exp;
use crate::proof::{Proof, backed_up};
use crate::tree::{EdgeId, NONE, ROOT, Tree};

/// A legal move of the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub mv: Move,
    pub log_prior: f32,
    pub prior: f32,
    pub gumbel: f32,
    /// The move's edge, if it has one.
    pub edge: EdgeId,
    /// The result after the move, if it is known before the search. It does not count the move itself.
    pub known_result: Option<Proof>,
    /// Simulations of this search through the move.
    pub new_visits: u32,
}

/// The root's moves in the order of `Rules::legal_moves`, and the state of the search's plan.
#[derive(Debug)]
pub(super) struct Root {
    pub side: Side,
    pub entries: Vec<Entry>,
    /// Gumbel: the moves that are still considered, best first.
    pub considered: Vec<usize>,
    /// PUCT: the number in (0, 1) that draws the move if a temperature is set.
    pub unit: f64,
    pub groups: Vec<HalvingGroup>,
    pub next_group: usize,
    /// The simulations of the current round, and how many have started.
    pub slots: Vec<usize>,
    pub next_slot: usize,
}

impl Root {
    pub fn new(side: Side) -> Self {
        Self {
            side,
            entries: Vec::new(),
            considered: Vec::new(),
            unit: 0.5,
            groups: Vec::new(),
            next_group: 0,
            slots: Vec::new(),
            next_slot: 0,
        }
    }

    /// Takes the legal moves, all equal and without edges.
    pub fn reset(&mut self, side: Side, moves: &MoveList) {
        *self = Self { entries: std::mem::take(&mut self.entries), ..Self::new(side) };
        let log_prior = -libm::logf(moves.len().max(1) as f32);
        self.entries.clear();
        self.entries.extend(moves.iter().map(|mv| Entry {
            mv: *mv,
            log_prior,
            prior: exp(log_prior),
            gumbel: 0.0,
            edge: NONE,
            known_result: None,
            new_visits: 0,
        }));
    }

    /// The root's result, if it is known before the search.
    pub fn known_result(&self) -> Option<Proof> {
        backed_up(self.side, self.entries.len(), self.entries.iter().filter_map(|entry| entry.known_result))
    }

    /// Looks up the priors and the edges of the moves.
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

    /// Draws the search's random numbers in the order of the moves, and plans `budget` simulations for the `n_open` moves
    /// that are not refuted yet.
    pub fn draw(&mut self, config: &SearchConfig, budget: u32, n_open: usize, ply: u32, rng: &mut ChaCha8Rng) {
        match config.method {
            Method::Gumbel | Method::Auto => {
                if config.gumbel.noise {
                    for entry in &mut self.entries {
                        entry.gumbel = gumbel(rng);
                    }
                }
                self.groups = schedule(config.gumbel.considered(n_open as u32, budget), budget);
            }
            Method::Puct => {
                let puct = &config.puct;
                if puct.temperature > 0.0 && ply < puct.temperature_plies {
                    self.unit = open_unit(rng);
                }
            }
        }
    }

    /// Undoes the last simulation that was handed out. It did not start.
    pub fn put_back(&mut self) {
        self.next_slot = self.next_slot.saturating_sub(1);
    }

    /// Whether all simulations of the current round have started.
    pub fn is_idle(&self) -> bool {
        self.next_slot >= self.slots.len()
    }

    /// Forgets an edge that will be removed.
    pub fn forget(&mut self, id: EdgeId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.edge == id) {
            entry.edge = NONE;
        }
    }
}
