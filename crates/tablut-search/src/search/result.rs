//! The result of a search: the move, its value, and all root moves.

use tablut_rules::Move;

use super::root::Entry;
use super::{Search, Stop};
use crate::chances::Chances;
use crate::config::Method;
use crate::formulas::first_max;
use crate::formulas::improved_policy::ImprovedPolicy;
use crate::formulas::softmax::{exp, log_softmax};
use crate::formulas::temperature::{draw, visit_weights};
use crate::perspective::turned;
use crate::proof::Proof;
use crate::tree::ROOT;

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play.
    pub chosen: Move,
    /// The root's value in [−1, 1], absolute (+1 attackers win). It is exact if the root is proven. Otherwise it is the
    /// mean of Q under the improved policy (Gumbel) or over the simulations (PUCT). A draw counts as the search's
    /// `draw_value` says.
    pub value: f32,
    /// The chances of the root behind that value: means of the evaluations' and results' chances.
    pub chances: Chances,
    /// The net's value of the root, absolute. It is 0 if the root was proven without an evaluation.
    pub raw_value: f32,
    /// Every legal move, in the order of `Rules::legal_moves`.
    pub moves: Vec<RootMove>,
    /// Simulations of this search.
    pub simulations: u32,
    /// Visits below the root that were kept from the previous search.
    pub kept_visits: u32,
    /// Evaluations that this search requested, including the root's.
    pub evaluations: u32,
    /// The root's proven result, if there is one.
    pub proven: Option<Proof>,
    /// Why the search ended, or `None` while it runs.
    pub stop: Option<Stop>,
}

/// The result of a search for one root move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Simulations through the move, including kept ones.
    pub visits: u32,
    /// The net's probability, without noise and without PUCT's temperature of the policy. All are equal if the root
    /// was never evaluated.
    pub prior: f32,
    /// Q in [−1, 1], absolute: the proven value or the mean, and `v_mix` for an unvisited move.
    pub q: f32,
    /// The chances behind Q.
    pub chances: Chances,
    /// The policy target. It sums to 1 over the moves. For Gumbel it is the improved policy, for PUCT the share of
    /// visits. If the root is proven, all of it is on the best proven moves, in proportion to their priors.
    pub improved: f32,
    /// The move's proven result in plies from the root, if there is one.
    pub proven: Option<Proof>,
}

impl Search {
    /// The results so far. They are final once the search is done.
    ///
    /// # Panics
    /// If the game is over, because there is no move then.
    pub fn result(&self) -> SearchResult {
        assert!(!self.root.entries.is_empty(), "the game is over, there is no move to choose");
        let side = self.root.side;
        let policy = self.root_policy();
        let proven = self.proven_root();
        let best = self.best_proven();
        let improved = self.target(&policy, &best);
        let draws = self.completed_draws();
        let (value, draw) = match proven {
            Some(proof) => self.tree.worth_of(proof.winner),
            None if self.config.method == Method::Puct && self.kept_visits + self.simulations > 0 => {
                let root = self.tree.node(ROOT);
                (root.q, root.draws)
            }
            None => {
                let draw = policy.probabilities.iter().zip(&draws).map(|(p, draw)| p * draw).sum();
                (turned(policy.value, side), draw)
            }
        };
        let priors = self.priors();
        let moves = self.root.entries.iter().enumerate().map(|(index, entry)| {
            let proven = self.entry_proof(entry);
            let (q, draw) = match proven {
                Some(proof) => self.tree.worth_of(proof.winner),
                None => (turned(policy.completed_q[index], side), draws[index]),
            };
            RootMove {
                mv: entry.mv,
                visits: self.entry_visits(entry),
                prior: priors[index],
                q,
                chances: self.tree.chances(q, draw),
                improved: improved[index],
                proven,
            }
        });
        SearchResult {
            chosen: self.root.entries[self.choose(&policy, &best, &improved)].mv,
            value,
            chances: self.tree.chances(value, draw),
            raw_value: self.tree.node(ROOT).raw_value,
            moves: moves.collect(),
            simulations: self.simulations,
            kept_visits: self.kept_visits,
            evaluations: self.evaluations,
            proven,
            stop: self.stopped(),
        }
    }

    /// The net's probabilities of the root's moves.
    fn priors(&self) -> Vec<f32> {
        let mut priors: Vec<f32> = self.root.entries.iter().map(|entry| entry.log_prior).collect();
        let temperature = self.config.prior_temperature();
        if temperature != 1.0 {
            for log_prior in &mut priors {
                *log_prior *= temperature;
            }
            log_softmax(&mut priors);
        }
        priors.into_iter().map(exp).collect()
    }

    fn proven_root(&self) -> Option<Proof> {
        self.tree.node(ROOT).proof.filter(|_| self.config.solver.is_on())
    }

    /// The moves that keep the root's proven result: the shortest wins, or the draws, or the longest losses. Empty if
    /// the root is not proven.
    fn best_proven(&self) -> Vec<usize> {
        if self.proven_root().is_none() {
            return Vec::new();
        }
        let worth = |entry: &Entry| self.entry_proof(entry).map(|proof| proof.rank_for(self.root.side).0);
        let best = self.root.entries.iter().filter_map(worth).max();
        (0..self.root.entries.len())
            .filter(|index| best.is_some() && worth(&self.root.entries[*index]) == best)
            .collect()
    }

    fn target(&self, policy: &ImprovedPolicy, best_proven: &[usize]) -> Vec<f32> {
        let entries = &self.root.entries;
        if !best_proven.is_empty() {
            let sum: f32 = best_proven.iter().map(|index| exp(entries[*index].log_prior)).sum();
            let share = |index| if best_proven.contains(&index) { exp(entries[index].log_prior) / sum } else { 0.0 };
            return (0..entries.len()).map(share).collect();
        }
        if self.config.method == Method::Puct {
            let weights = visit_weights(&self.open_visits(), 1.0);
            if weights.iter().any(|weight| *weight > 0.0) {
                return weights;
            }
        }
        policy.probabilities.clone()
    }

    /// Visits of the root's moves, 0 for the refuted ones.
    fn open_visits(&self) -> Vec<u32> {
        let entries = self.root.entries.iter();
        let visits = |entry| if self.is_refuted(entry) { 0 } else { self.entry_visits(entry) };
        entries.map(visits).collect()
    }

    /// The temperature at which PUCT draws the move to play; 0 for the most visited one.
    pub(super) fn move_temperature(&self) -> f32 {
        let puct = &self.config.puct;
        if self.game.ply() < puct.temperature_plies { puct.temperature } else { 0.0 }
    }

    fn choose(&self, policy: &ImprovedPolicy, best_proven: &[usize], improved: &[f32]) -> usize {
        let of_best = |scores: &dyn Fn(usize) -> f32, among: &[usize]| {
            first_max(among.iter().map(|index| scores(*index))).map(|at| among[at])
        };
        if let Some(best) = of_best(&|index| improved[index], best_proven) {
            return best;
        }
        let chosen = match self.config.method {
            Method::Gumbel | Method::Auto => {
                let scores = self.root_scores(policy);
                let considered: Vec<usize> =
                    self.root.considered.iter().copied().filter(|index| scores[*index] > f32::NEG_INFINITY).collect();
                of_best(&|index| scores[index], &considered).or_else(|| first_max(scores.iter().copied()))
            }
            Method::Puct => draw(self.root.unit, &visit_weights(&self.open_visits(), self.move_temperature()))
                .or_else(|| first_max(improved.iter().copied())),
        };
        chosen.unwrap_or(0)
    }
}
