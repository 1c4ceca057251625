//! Policy surprise: how far a search moved the policy, and how often its position is drawn (`KataGo`'s policy surprise
//! weighting).

/// The unit of recorded surprises, in nats: 1/1024.
const UNITS_PER_NAT: f64 = 1024.0;
/// The weight of a position that is drawn as often as the average one.
pub(crate) const EVEN_WEIGHT: u64 = 1024;
/// The smallest prior that counts. It guards against priors that were rounded to 0.
const LEAST_PRIOR: f64 = 1e-6;

/// The Kullback-Leibler divergence of the net's policy from the search's, in units of 1/1024 nat, at most 65,535. The
/// pairs are the target and the prior of each move.
pub(crate) fn surprise(moves: impl Iterator<Item = (f32, f32)>) -> u16 {
    let of_move = |(target, prior): (f32, f32)| {
        let (target, prior) = (f64::from(target), f64::from(prior).max(LEAST_PRIOR));
        if target > 0.0 { target * (target / prior).ln() } else { 0.0 }
    };
    let nats: f64 = moves.map(of_move).sum();
    (nats * UNITS_PER_NAT).round().clamp(0.0, f64::from(u16::MAX)) as u16
}

/// How often each of a game's positions is drawn, relative to the others. `share` of the weight is in proportion to
/// their surprise, the rest is even; the mean is [`EVEN_WEIGHT`] but for rounding. All weights are even if the surprise
/// of a position is unknown.
pub(crate) fn draw_weights(surprises: &[Option<u16>], share: f32) -> Vec<u64> {
    let known: Option<Vec<f64>> = surprises.iter().map(|surprise| surprise.map(f64::from)).collect();
    let total = known.as_ref().map_or(0.0, |known| known.iter().sum());
    let (Some(known), true) = (known, total > 0.0) else { return vec![EVEN_WEIGHT; surprises.len()] };
    let share = f64::from(share);
    let mean = total / known.len() as f64;
    let weight = |surprise: f64| EVEN_WEIGHT as f64 * (1.0 - share + share * surprise / mean);
    known.into_iter().map(|surprise| (weight(surprise).round() as u64).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surprise_is_the_divergence_in_nats() {
        assert_eq!(surprise([(0.5, 0.5), (0.5, 0.5)].into_iter()), 0);
        // All of the target on a move with a prior of one half: ln 2.
        assert_eq!(surprise([(1.0, 0.5), (0.0, 0.5)].into_iter()), (2.0_f64.ln() * 1024.0).round() as u16);
        let expected = 0.75 * 3.0_f64.ln() + 0.25 * (1.0_f64 / 3.0).ln();
        assert_eq!(surprise([(0.75, 0.25), (0.25, 0.75)].into_iter()), (expected * 1024.0).round() as u16);
        assert_eq!(surprise([(1.0, 0.0)].into_iter()), (1e6_f64.ln() * 1024.0).round() as u16);
    }

    #[test]
    fn weights_are_even_in_part_and_by_surprise_in_part() {
        let surprises = [Some(0), Some(300), Some(900)];
        assert_eq!(draw_weights(&surprises, 0.0), [1024; 3]);
        assert_eq!(draw_weights(&surprises, 0.5), [512, 896, 1664]);
        assert_eq!(draw_weights(&surprises, 1.0), [1, 768, 2304]);
        assert_eq!(draw_weights(&[Some(0), Some(0)], 1.0), [1024; 2]);
        assert_eq!(draw_weights(&[Some(7), None], 1.0), [1024; 2]);
    }
}
