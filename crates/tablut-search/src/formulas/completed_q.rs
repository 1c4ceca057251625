//! Completed Q-values and their transformation σ (Danihelka et al. 2022, section 4 and appendix D).

use super::Visited;
use crate::config::{QScale, SigmaConfig};

/// The parts of `v_mix`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedValue {
    /// Σ N(b), the total visits of all moves.
    pub sum_visits: u32,
    /// N of the most visited move.
    pub max_visits: u32,
    /// Σ π(b) over the visited moves.
    pub sum_prior: f32,
    /// Σ π(b) q(b) / Σ π(b) over the visited moves, or 0 if there are none.
    pub weighted_q: f32,
    /// `v_mix` in [−1, 1].
    pub value: f32,
}

/// `v_mix`, the value of the unvisited moves (equation 33 of the paper's appendix D, mctx's `_compute_mixed_value`):
/// (v̂ + ΣN(b) · Σ π(b) q(b) / Σ π(b)) / (1 + ΣN(b)). v̂ is the net's value of the node. The sums of π are over the
/// visited moves.
pub fn mixed_value(raw_value: f32, visited: &[Visited]) -> MixedValue {
    let (mut sum_visits, mut max_visits, mut sum_prior, mut sum_q) = (0, 0, 0.0, 0.0);
    for mv in visited.iter().filter(|mv| mv.visits > 0) {
        // A prior that underflowed to 0 would make the quotient NaN.
        let prior = mv.prior.max(f32::MIN_POSITIVE);
        sum_visits += mv.visits;
        max_visits = max_visits.max(mv.visits);
        sum_prior += prior;
        sum_q += prior * mv.q;
    }
    let weighted_q = if sum_visits > 0 { sum_q / sum_prior } else { 0.0 };
    let n = sum_visits as f32;
    let value = ((raw_value + n * weighted_q) / (n + 1.0)).clamp(-1.0, 1.0);
    MixedValue { sum_visits, max_visits, sum_prior, weighted_q, value }
}

/// σ, a linear function: σ(q) = (`c_visit` + max N) · `c_scale` · (q − `offset`) / `width` (equation 8).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigma {
    /// The Q that maps to 0.
    pub offset: f32,
    /// The difference of Q that maps to 1.
    pub width: f32,
    /// (`c_visit` + max N) · `c_scale`.
    pub factor: f32,
}

impl Sigma {
    /// σ for a node whose most visited move has `max_visits` visits and whose completed Q-values range from `lowest` to
    /// `highest`.
    pub fn new(config: &SigmaConfig, max_visits: u32, lowest: f32, highest: f32) -> Self {
        let (offset, width) = match config.q_scale {
            QScale::Fixed => (-1.0, 2.0),
            QScale::MinMax => (lowest, (highest - lowest).max(1e-8)),
        };
        Self { offset, width, factor: (config.c_visit + max_visits as f32) * config.c_scale }
    }

    /// σ(q), in logits.
    #[inline]
    pub fn of(&self, q: f32) -> f32 {
        self.factor * ((q - self.offset) / self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited(prior: f32, visits: u32, q: f32) -> Visited {
        Visited { prior, visits, q }
    }

    #[test]
    fn mixed_value_by_hand() {
        // Without visits it is the net's value.
        assert_eq!(mixed_value(-0.8, &[]).value, -0.8);
        // mctx's qtransforms_test: priors e^-1 and e^2 normalised, four visits each.
        let (a, b) = ((-1.0_f32).exp(), 2.0_f32.exp());
        let (p, q) = (a / (a + b), b / (a + b));
        let parts = mixed_value(-0.8, &[visited(p, 4, 30.0 / 54.0), visited(q, 4, -10.0 / 54.0)]);
        let expected = (-0.8 + 8.0 * (p * 30.0 / 54.0 - q * 10.0 / 54.0)) / 9.0;
        assert!((parts.value - expected).abs() < 1e-6, "{parts:?}");
        assert_eq!((parts.sum_visits, parts.max_visits), (8, 4));
        // Priors of the visited moves are renormalised: (0 + 1 · (0.1 · 1 + 0.3 · 0) / 0.4 · …).
        let parts = mixed_value(0.0, &[visited(0.1, 1, 1.0), visited(0.3, 2, 0.0)]);
        assert!((parts.weighted_q - 0.25).abs() < 1e-7 && (parts.value - 0.1875).abs() < 1e-7, "{parts:?}");
        // A visited move whose prior is zero must not give NaN.
        assert_eq!(mixed_value(0.0, &[visited(0.0, 1, 1.0)]).value, 0.5);
    }

    #[test]
    fn sigma_by_hand() {
        let config = SigmaConfig { c_visit: 50.0, c_scale: 1.0, q_scale: QScale::Fixed };
        let sigma = Sigma::new(&config, 10, -0.2, 0.6);
        assert_eq!((sigma.of(-1.0), sigma.of(0.0), sigma.of(1.0)), (0.0, 30.0, 60.0));
        let config = SigmaConfig { c_scale: 0.1, q_scale: QScale::MinMax, ..config };
        let sigma = Sigma::new(&config, 10, -0.25, 0.75);
        assert!((sigma.of(-0.25)).abs() < 1e-6 && (sigma.of(0.25) - 3.0).abs() < 1e-6);
        // All equal: the denominator is bounded, as in mctx.
        assert_eq!(Sigma::new(&config, 0, 0.5, 0.5).of(0.5), 0.0);
    }
}
