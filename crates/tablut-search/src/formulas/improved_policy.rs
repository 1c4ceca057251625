//! The improved policy (Danihelka et al. 2022, equation 11). It is the policy target of a Gumbel search.

use super::completed_q::{MixedValue, Sigma, mixed_value};
use super::softmax::exp;
use super::{Visited, first_max};
use crate::config::SigmaConfig;

/// One move of a node, as the improved policy needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyMove {
    /// The policy's log-probability of the move.
    pub log_prior: f32,
    /// N, or 0 for an unvisited move.
    pub visits: u32,
    /// Q in [−1, 1] in the mover's view. It is used only for a visited move.
    pub q: f32,
    /// Whether the move is proven to lose while another move is not. Such a move is treated like an illegal one.
    pub refuted: bool,
}

/// The improved policy with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct ImprovedPolicy {
    /// `v_mix` and its parts.
    pub mixed: MixedValue,
    /// The σ that was used.
    pub sigma: Sigma,
    /// Q of the visited moves, and `v_mix` for the others (equation 10), in the mover's view.
    pub completed_q: Vec<f32>,
    /// ln π(a) + σ(completedQ(a)), −∞ for a refuted move.
    pub logits: Vec<f32>,
    /// Softmax of the logits. It sums to 1.
    pub probabilities: Vec<f32>,
    /// Σ π'(a) completedQ(a): the node's value under the improved policy, mover's view.
    pub value: f32,
}

/// π' = softmax(logits + σ(completedQ)) over the moves of a node with the net's value `raw_value`. At least one of the
/// `moves` must not be refuted.
pub fn improved_policy(raw_value: f32, moves: &[PolicyMove], config: &SigmaConfig) -> ImprovedPolicy {
    let visited: Vec<Visited> = moves
        .iter()
        .filter(|mv| mv.visits > 0 && !mv.refuted)
        .map(|mv| Visited { prior: exp(mv.log_prior), visits: mv.visits, q: mv.q })
        .collect();
    let mixed = mixed_value(raw_value, &visited);
    let completed_q: Vec<f32> = moves.iter().map(|mv| if mv.visits > 0 { mv.q } else { mixed.value }).collect();
    let open = || moves.iter().zip(&completed_q).filter(|(mv, _)| !mv.refuted).map(|(_, q)| *q);
    let (lowest, highest) = (open().fold(f32::INFINITY, f32::min), open().fold(f32::NEG_INFINITY, f32::max));
    let sigma = Sigma::new(config, mixed.max_visits, lowest, highest);
    let logits: Vec<f32> = moves
        .iter()
        .zip(&completed_q)
        .map(|(mv, q)| if mv.refuted { f32::NEG_INFINITY } else { mv.log_prior + sigma.of(*q) })
        .collect();
    let best = first_max(logits.iter().copied()).map_or(0.0, |index| logits[index]);
    let weights: Vec<f32> = logits.iter().map(|l| if l.is_finite() { exp(l - best) } else { 0.0 }).collect();
    let sum: f32 = weights.iter().sum();
    let probabilities: Vec<f32> = weights.iter().map(|weight| weight / sum).collect();
    // Rounding can make the probabilities sum to slightly more than 1. The value must stay in its range.
    let value: f32 = probabilities.iter().zip(&completed_q).map(|(p, q)| p * q).sum();
    let value = value.clamp(-1.0, 1.0);
    ImprovedPolicy { mixed, sigma, completed_q, logits, probabilities, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(prior: f32, visits: u32, q: f32) -> PolicyMove {
        PolicyMove { log_prior: prior.ln(), visits, q, refuted: false }
    }

    #[test]
    fn unvisited_moves_share_the_mixed_value() {
        let config = SigmaConfig::default();
        let moves = [open(0.5, 3, 0.2), open(0.25, 0, 9.0), open(0.25, 0, 9.0)];
        let policy = improved_policy(-0.2, &moves, &config);
        assert!((policy.mixed.value - 0.1).abs() < 1e-6);
        assert_eq!(policy.completed_q[0], 0.2);
        assert_eq!(policy.completed_q[1], policy.mixed.value);
        // σ(0.2) − σ(0.1) = 53 · 0.05 = 2.65, so the ratio of probabilities is 2 e^2.65.
        let ratio = policy.probabilities[0] / policy.probabilities[1];
        assert!((ratio / (2.0 * 2.65_f32.exp()) - 1.0).abs() < 1e-4, "{ratio}");
        assert!((policy.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn without_visits_it_is_the_policy_itself() {
        let moves = [open(0.6, 0, 0.0), open(0.3, 0, 0.0), open(0.1, 0, 0.0)];
        let policy = improved_policy(0.7, &moves, &SigmaConfig::default());
        for (mv, p) in moves.iter().zip(&policy.probabilities) {
            assert!((mv.log_prior.exp() - p).abs() < 1e-6);
        }
        assert!((policy.value - 0.7).abs() < 1e-6);
    }

    #[test]
    fn a_refuted_move_has_no_weight_and_no_say() {
        let mut moves = [open(0.5, 4, -1.0), open(0.3, 1, 0.5), open(0.2, 0, 0.0)];
        moves[0].refuted = true;
        let policy = improved_policy(0.1, &moves, &SigmaConfig::default());
        assert_eq!(policy.probabilities[0], 0.0);
        assert_eq!(policy.mixed.sum_visits, 1);
        assert!((policy.mixed.value - 0.3).abs() < 1e-6, "{:?}", policy.mixed);
    }

    /// The paper's claim (section 3.1): π' is at least as good as π under the Q-values that it was computed from.
    #[test]
    fn it_improves_on_the_policy() {
        let q = [0.3, -0.9, 0.1, 0.8];
        let priors = [0.4, 0.3, 0.2, 0.1];
        let moves: Vec<_> = priors.iter().zip(q).map(|(p, q)| open(*p, 2, q)).collect();
        let before: f32 = priors.iter().zip(q).map(|(p, q)| p * q).sum();
        assert!(improved_policy(0.0, &moves, &SigmaConfig::default()).value > before);
    }
}
