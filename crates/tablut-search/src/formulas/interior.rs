//! The deterministic choice inside a Gumbel tree (Danihelka et al. 2022, section 5).

use super::completed_q::{MixedValue, Sigma, mixed_value};
use super::softmax::exp;
use super::{Unvisited, Visited};
use crate::config::SigmaConfig;

/// The move chosen inside the tree, with the parts of its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorChoice {
    /// Index into the visited moves, or `None` for the best unvisited move.
    pub index: Option<usize>,
    /// π'(a) of the chosen move.
    pub improved: f32,
    /// π'(a) − N(a) / (1 + ΣN(b)) of the chosen move.
    pub score: f32,
    /// `v_mix` and its parts.
    pub mixed: MixedValue,
    /// The σ that was used.
    pub sigma: Sigma,
}

/// arg max π'(a) − N(a) / (1 + ΣN(b)) (equation 14). With this choice the visits follow the improved policy π'.
///
/// `visited` and `unvisited` do not contain refuted moves. At least one of them must contain a move. If scores are
/// equal, the first move wins, and a visited move wins over an unvisited one. `weights` is scratch space.
pub fn interior_choice(
    raw_value: f32,
    visited: &[Visited],
    unvisited: Option<Unvisited>,
    config: &SigmaConfig,
    weights: &mut Vec<f32>,
) -> InteriorChoice {
    let mixed = mixed_value(raw_value, visited);
    let start = if unvisited.is_some() { (mixed.value, mixed.value) } else { (f32::INFINITY, f32::NEG_INFINITY) };
    let (lowest, highest) = visited.iter().fold(start, |(low, high), mv| (low.min(mv.q), high.max(mv.q)));
    let sigma = Sigma::new(config, mixed.max_visits, lowest, highest);
    // π(a) e^σ(q) is relative to the highest Q. The common factor cancels.
    let slope = sigma.factor / sigma.width;
    weights.clear();
    weights.extend(visited.iter().map(|mv| mv.prior * exp(slope * (mv.q - highest))));
    let unvisited_factor = exp(slope * (mixed.value - highest));
    let rest = unvisited.map_or(0.0, |moves| moves.sum_prior * unvisited_factor);
    let per_weight = 1.0 / (weights.iter().sum::<f32>() + rest).max(f32::MIN_POSITIVE);
    let per_visit = 1.0 / (1.0 + mixed.sum_visits as f32);
    let mut choice = InteriorChoice { index: None, improved: 0.0, score: f32::NEG_INFINITY, mixed, sigma };
    for (index, (mv, weight)) in visited.iter().zip(&*weights).enumerate() {
        let improved = weight * per_weight;
        let score = improved - mv.visits as f32 * per_visit;
        if score > choice.score {
            (choice.index, choice.improved, choice.score) = (Some(index), improved, score);
        }
    }
    if let Some(moves) = unvisited {
        let improved = moves.prior * unvisited_factor * per_weight;
        if improved > choice.score {
            (choice.index, choice.improved, choice.score) = (None, improved, improved);
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::improved_policy::{PolicyMove, improved_policy};

    fn choose(raw: f32, visited: &[Visited], unvisited: Option<Unvisited>) -> InteriorChoice {
        interior_choice(raw, visited, unvisited, &SigmaConfig::default(), &mut Vec::new())
    }

    #[test]
    fn an_equal_policy_visits_every_move_in_turn() {
        let one = Visited { prior: 0.25, visits: 1, q: 0.0 };
        let rest = |n: f32| Some(Unvisited { prior: 0.25, sum_prior: 0.25 * n });
        assert_eq!(choose(0.0, &[one], rest(3.0)).index, None);
        assert_eq!(choose(0.0, &[one; 3], rest(1.0)).index, None);
        assert_eq!(choose(0.0, &[one; 4], None).index, Some(0));
    }

    #[test]
    fn its_probabilities_are_those_of_the_improved_policy() {
        let table = [(0.4, 3, 0.1), (0.3, 1, -0.2), (0.2, 0, 0.0), (0.1, 0, 0.0)];
        let moves: Vec<_> = table
            .iter()
            .map(|&(prior, visits, q): &(f32, u32, f32)| PolicyMove {
                log_prior: prior.ln(),
                visits,
                q,
                refuted: false,
            })
            .collect();
        let whole = improved_policy(0.05, &moves, &SigmaConfig::default());
        let visited: Vec<_> = table[..2].iter().map(|&(prior, visits, q)| Visited { prior, visits, q }).collect();
        let choice = choose(0.05, &visited, Some(Unvisited { prior: 0.2, sum_prior: 0.3 }));
        let scores: Vec<_> =
            table.iter().zip(&whole.probabilities).map(|(&(_, visits, _), p)| p - visits as f32 / 5.0).collect();
        let best = crate::formulas::first_max(scores.iter().copied()).expect("four moves");
        assert_eq!(choice.index.unwrap_or(2), best);
        assert!((choice.score - scores[best]).abs() < 1e-6);
        assert!((choice.improved - whole.probabilities[best]).abs() < 1e-6);
    }

    #[test]
    fn visits_follow_the_improved_policy() {
        // Fixed Q: after many choices N(a) / ΣN tends to π'(a).
        let config = SigmaConfig { c_visit: 100_000.0, c_scale: 1e-5, ..SigmaConfig::default() };
        let mut visited = [(0.5, 0.0), (0.3, 0.9), (0.2, -0.9)].map(|(prior, q)| Visited { prior, visits: 1, q });
        for _ in 0..997 {
            let choice = interior_choice(0.0, &visited, None, &config, &mut Vec::new());
            visited[choice.index.expect("nothing is unvisited")].visits += 1;
        }
        let choice = interior_choice(0.0, &visited, None, &config, &mut Vec::new());
        let slope = choice.sigma.factor / choice.sigma.width;
        let weights = visited.map(|mv| mv.prior * (slope * mv.q).exp());
        for (mv, weight) in visited.iter().zip(weights) {
            let share = weight / weights.iter().sum::<f32>();
            assert!((mv.visits as f32 / 1000.0 - share).abs() < 0.05, "{visited:?}");
        }
    }
}
