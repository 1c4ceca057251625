//! The result of a search: the move, its value, and all root moves.

use serde::{Deserialize, Serialize};
use tablut_rules::Move;

use super::Search;
use super::root::{Entry, RootView};
use crate::chances::Chances;
use crate::config::Method;
use crate::formulas::first_max;
use crate::formulas::improved_policy::ImprovedPolicy;
use crate::formulas::sampling::{draw, visit_weights};
use crate::formulas::softmax::{exp, log_softmax};
use crate::limit::Stop;
use crate::perspective::turned;
use crate::proof::Proof;
use crate::tree::ROOT;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct SearchResult {
    pub chosen: Move,
    /// The root's value in [−1, 1], absolute (+1 attackers win). It is exact if the root is proven. Otherwise it is the
    /// mean of Q under the improved policy (Gumbel) or over the simulations (PUCT). A draw has the value `draw_value`
    /// of the settings.
    pub value: f32,
    /// The root's chances of win, draw and loss: means over the evaluations and known results.
    pub chances: Chances,
    /// The net's value of the root, absolute. It is 0 if the root was proven without an evaluation.
    pub raw_value: f32,
    /// Every legal move, in the order of `Rules::legal_moves`.
    pub moves: Vec<RootMove>,
    pub simulations: u32,
    /// Visits below the root that were kept from the previous search.
    pub kept_visits: u32,
    /// Evaluations that this search requested, including the root's.
    pub evaluations: u32,
    pub proven: Option<Proof>,
    /// Why the search ended, or `None` while it runs.
    pub stop: Option<Stop>,
}

/// The result of a search for one root move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct RootMove {
    pub mv: Move,
    /// Simulations through the move, including kept ones.
    pub visits: u32,
    /// The net's probability, without noise and without PUCT's policy temperature. All are equal if the root was never
    /// evaluated.
    pub prior: f32,
    /// Q in [−1, 1], absolute: the proven value or the mean, and `v_mix` for an unvisited move.
    pub q: f32,
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
        let at = self.at_root();
        let RootView { root, tree, config } = at;
        assert!(!root.entries.is_empty(), "the game is over, there is no move to choose");
        let n_visits = self.kept_visits + self.simulations.n_done;
        let policy = at.policy();
        let proven = at.root_proof();
        let best = best_proven(at);
        let improved = target(at, &policy, &best);
        let draws = at.completed_draws();
        let (value, draw) = match proven {
            Some(proof) => tree.value_and_draw(proof.winner),
            None if config.method == Method::Puct && n_visits > 0 => {
                let node = tree.node(ROOT);
                (node.q, node.draws)
            }
            None => {
                let draw = policy.probabilities.iter().zip(&draws).map(|(p, draw)| p * draw).sum();
                (turned(policy.value, root.side), draw)
            }
        };
        let priors = priors(at);
        let moves = root.entries.iter().enumerate().map(|(index, entry)| {
            let proven = at.proof(entry);
            let (q, draw) = match proven {
                Some(proof) => tree.value_and_draw(proof.winner),
                None => (turned(policy.completed_q[index], root.side), draws[index]),
            };
            RootMove {
                mv: entry.mv,
                visits: at.visits(entry),
                prior: priors[index],
                q,
                chances: tree.chances(q, draw),
                improved: improved[index],
                proven,
            }
        });
        SearchResult {
            chosen: root.entries[self.choose(&policy, &best, &improved)].mv,
            value,
            chances: tree.chances(value, draw),
            raw_value: tree.node(ROOT).raw_value,
            moves: moves.collect(),
            simulations: self.simulations.n_done,
            kept_visits: self.kept_visits,
            evaluations: self.simulations.n_evaluations,
            proven,
            stop: self.stopped(),
        }
    }

    fn choose(&self, policy: &ImprovedPolicy, best_proven: &[usize], improved: &[f32]) -> usize {
        let of_best =
            |scores: &[f32], among: &[usize]| first_max(among.iter().map(|index| scores[*index])).map(|at| among[at]);
        if let Some(best) = of_best(improved, best_proven) {
            return best;
        }
        let at = self.at_root();
        let chosen = match self.config.method {
            Method::Gumbel | Method::Auto => {
                let scores = at.scores(policy);
                let open = |index: &usize| scores[*index] > f32::NEG_INFINITY;
                let considered: Vec<usize> = self.rounds.considered().iter().copied().filter(open).collect();
                of_best(&scores, &considered).or_else(|| first_max(scores.iter().copied()))
            }
            Method::Puct => {
                let temperature = self.config.puct.temperature_at(self.game().ply());
                draw(self.root.unit, &visit_weights(&open_visits(at), temperature))
                    .or_else(|| first_max(improved.iter().copied()))
            }
        };
        chosen.unwrap_or(0)
    }
}

fn priors(at: RootView<'_>) -> Vec<f32> {
    let mut priors: Vec<f32> = at.root.entries.iter().map(|entry| entry.log_prior).collect();
    let temperature = at.config.prior_temperature();
    if temperature != 1.0 {
        for log_prior in &mut priors {
            *log_prior *= temperature;
        }
        log_softmax(&mut priors);
    }
    priors.into_iter().map(exp).collect()
}

/// The moves that keep the root's proven result: the shortest wins, or the draws, or the longest losses. Empty if the
/// root is not proven.
fn best_proven(at: RootView<'_>) -> Vec<usize> {
    if at.root_proof().is_none() {
        return Vec::new();
    }
    let entries = &at.root.entries;
    let worth = |entry: &Entry| at.proof(entry).map(|proof| proof.rank_for(at.root.side).0);
    let best = entries.iter().filter_map(worth).max();
    (0..entries.len()).filter(|index| best.is_some() && worth(&entries[*index]) == best).collect()
}

fn target(at: RootView<'_>, policy: &ImprovedPolicy, best_proven: &[usize]) -> Vec<f32> {
    let entries = &at.root.entries;
    if !best_proven.is_empty() {
        let sum: f32 = best_proven.iter().map(|index| exp(entries[*index].log_prior)).sum();
        let share = |index| if best_proven.contains(&index) { exp(entries[index].log_prior) / sum } else { 0.0 };
        return (0..entries.len()).map(share).collect();
    }
    if at.config.method == Method::Puct {
        let weights = visit_weights(&open_visits(at), 1.0);
        if weights.iter().any(|weight| *weight > 0.0) {
            return weights;
        }
    }
    policy.probabilities.clone()
}

/// Visits of the root's moves, 0 for the refuted ones.
fn open_visits(at: RootView<'_>) -> Vec<u32> {
    let visits = |entry| if at.is_refuted(entry) { 0 } else { at.visits(entry) };
    at.root.entries.iter().map(visits).collect()
}
