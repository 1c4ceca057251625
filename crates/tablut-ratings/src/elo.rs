//! The Elo scale: expected scores and differences of rating.

/// Natural-logarithm units per Elo point: 400 points are a factor of ten in odds.
pub const LOGIT_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// The expected score, between 0 and 1, of a player who is `elo` points stronger.
///
/// ```
/// assert_eq!(tablut_ratings::elo::expected_score(0.0), 0.5);
/// assert!((tablut_ratings::elo::expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
/// ```
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * LOGIT_PER_ELO).exp())
}

/// The difference in Elo points that gives the expected score `score` (between 0 and 1). It is minus infinity at 0 and
/// plus infinity at 1.
///
/// ```
/// assert!((tablut_ratings::elo::difference(0.75) - 190.85).abs() < 0.01);
/// assert_eq!(tablut_ratings::elo::difference(1.0), f64::INFINITY);
/// ```
pub fn difference(score: f64) -> f64 {
    (score / (1.0 - score)).ln() / LOGIT_PER_ELO
}

#[cfg(test)]
mod tests {
    use super::{difference, expected_score};

    #[test]
    fn difference_inverts_expected_score() {
        for elo in [-900.0, -35.5, 0.0, 1.0, 250.0, 1235.0] {
            assert!((difference(expected_score(elo)) - elo).abs() < 1e-6, "{elo}");
        }
    }

    #[test]
    fn certain_results_are_infinitely_far() {
        assert_eq!(difference(0.0), f64::NEG_INFINITY);
        assert_eq!(difference(1.0), f64::INFINITY);
    }
}
