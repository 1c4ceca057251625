//! PUCT with first-play urgency (Silver et al. 2018, Wu 2019).

use super::{Unvisited, Visited};
use crate::config::PuctConfig;

/// The parts of one move's PUCT score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctScore {
    /// Q in the mover's view, or the first-play value of an unvisited move.
    pub q: f32,
    /// C(s) · P(a) · √N(s) / (1 + N(a)).
    pub exploration: f32,
}

impl PuctScore {
    /// Q + U.
    pub fn total(self) -> f32 {
        self.q + self.exploration
    }
}

/// Number of visits after which exploration has grown by ln 2 (`AlphaZero`).
const C_BASE: f32 = 19652.0;

/// C(s) = ln((1 + N(s) + `C_BASE`) / `C_BASE`) + `c_init` (`AlphaZero`, supplementary pseudocode).
pub fn exploration_rate(config: &PuctConfig, sum_visits: u32) -> f32 {
    libm::logf((1.0 + sum_visits as f32 + C_BASE) / C_BASE) + config.c_init
}

/// Q(s, a) + C(s) · P(s, a) · √N(s) / (1 + N(s, a)) for a move with value `q`, in a node whose moves have `sum_visits`
/// visits. N(s) includes the node's own evaluation, so the prior already counts in the first choice.
pub fn puct_score(rate: f32, sum_visits: u32, mv: Visited) -> PuctScore {
    let root = (1.0 + sum_visits as f32).sqrt();
    PuctScore { q: mv.q, exploration: rate * mv.prior * root / (1.0 + mv.visits as f32) }
}

/// First-play urgency (`KataGo`, `fpuReductionMax`): V(s) − `fpu_reduction` · √(Σ P(b) over the visited moves).
pub fn first_play_value(config: &PuctConfig, parent_value: f32, visited_prior: f32) -> f32 {
    (parent_value - config.fpu_reduction * visited_prior.max(0.0).sqrt()).max(-1.0)
}

/// The move chosen by PUCT, with the parts of its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctChoice {
    /// Index into the visited moves, or `None` for the unvisited move with the highest prior.
    pub index: Option<usize>,
    /// Its score.
    pub score: PuctScore,
}

/// arg max of [`puct_score`]. `parent_value` is the node's mean value in the mover's view. `visited` and `unvisited` do
/// not contain refuted moves. At least one of them must contain a move. If scores are equal, the first move wins, and a
/// visited move wins over an unvisited one.
pub fn puct_choice(
    config: &PuctConfig,
    parent_value: f32,
    visited: &[Visited],
    unvisited: Option<Unvisited>,
) -> PuctChoice {
    let sum_visits = visited.iter().map(|mv| mv.visits).sum();
    let rate = exploration_rate(config, sum_visits);
    let mut choice = PuctChoice { index: None, score: PuctScore { q: f32::NEG_INFINITY, exploration: 0.0 } };
    for (index, mv) in visited.iter().enumerate() {
        let score = puct_score(rate, sum_visits, *mv);
        if score.total() > choice.score.total() {
            choice = PuctChoice { index: Some(index), score };
        }
    }
    if let Some(moves) = unvisited {
        let visited_prior = visited.iter().map(|mv| mv.prior).sum();
        let q = first_play_value(config, parent_value, visited_prior);
        let score = puct_score(rate, sum_visits, Visited { prior: moves.prior, visits: 0, q });
        if score.total() > choice.score.total() {
            choice = PuctChoice { index: None, score };
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        let config = PuctConfig::default();
        // N(s) = 1 + 15, so √N = 4; C = 1.25 + ln(1 + 16 / 19652).
        let rate = exploration_rate(&config, 15);
        assert!((rate - (1.25 + (16.0_f32 / 19652.0).ln_1p())).abs() < 1e-5);
        let score = puct_score(rate, 15, Visited { prior: 0.3, visits: 5, q: 0.1 });
        assert_eq!(score.q, 0.1);
        assert!((score.exploration - rate * 0.3 * 4.0 / 6.0).abs() < 1e-7);
        assert!((score.total() - (0.1 + rate * 0.2)).abs() < 1e-6);
    }

    #[test]
    fn first_play_urgency_falls_with_what_was_seen_already() {
        let config = PuctConfig { fpu_reduction: 0.2, ..PuctConfig::default() };
        let table = [(0.3, 0.0, 0.3), (0.3, 0.25, 0.2), (0.3, 1.0, 0.1), (-0.95, 1.0, -1.0)];
        for (parent, visited, expected) in table {
            assert!((first_play_value(&config, parent, visited) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn the_first_choice_is_the_prior_and_a_bad_move_is_left() {
        let config = PuctConfig::default();
        let rest = Some(Unvisited { prior: 0.4, sum_prior: 0.6 });
        assert_eq!(puct_choice(&config, 0.0, &[], rest).index, None);
        let good = Visited { prior: 0.4, visits: 1, q: 0.9 };
        let bad = Visited { q: -0.9, ..good };
        let rest = Some(Unvisited { prior: 0.3, sum_prior: 0.6 });
        assert_eq!(puct_choice(&config, 0.0, &[good], rest).index, Some(0));
        assert_eq!(puct_choice(&config, 0.0, &[bad], rest).index, None);
        assert_eq!(puct_choice(&config, 0.0, &[bad, good], None).index, Some(1));
    }
}
