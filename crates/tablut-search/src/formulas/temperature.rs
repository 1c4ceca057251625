//! Draws a move in proportion to the visits (`AlphaZero`'s exploration at the start of a game).

use super::first_max;

/// N(a)^(1/T) / Σ N(b)^(1/T). At temperature 0 the first of the most visited moves gets all the weight. Without any
/// visit every weight is 0.
pub fn visit_weights(visits: &[u32], temperature: f32) -> Vec<f32> {
    let most = visits.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return vec![0.0; visits.len()];
    }
    if temperature <= 0.0 {
        let best = first_max(visits.iter().map(|n| *n as f32));
        return (0..visits.len()).map(|index| f32::from(u8::from(Some(index) == best))).collect();
    }
    let exponent = 1.0 / f64::from(temperature);
    let weights: Vec<f64> = visits.iter().map(|n| libm::pow(f64::from(*n) / f64::from(most), exponent)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / sum) as f32).collect()
}

/// The index that `unit`, a uniform number from (0, 1), selects under the weights. The weights need not sum to 1.
/// `None` if all are 0.
pub fn draw(unit: f64, weights: &[f32]) -> Option<usize> {
    let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    let mut left = unit * sum;
    let mut last = None;
    for (index, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = Some(index);
        left -= f64::from(*weight);
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::ChaCha8Rng};

    use super::*;
    use crate::formulas::noise::open_unit;

    #[test]
    fn weights_by_hand() {
        assert_eq!(visit_weights(&[1, 3, 0], 1.0), [0.25, 0.75, 0.0]);
        assert_eq!(visit_weights(&[1, 3, 0], 0.5), [0.1, 0.9, 0.0]);
        assert_eq!(visit_weights(&[3, 3, 1], 0.0), [1.0, 0.0, 0.0]);
        assert_eq!(visit_weights(&[0, 0], 1.0), [0.0, 0.0]);
        // A low temperature does not overflow.
        assert_eq!(visit_weights(&[1000, 10], 0.01), [1.0, 0.0]);
    }

    #[test]
    fn draws_follow_the_weights() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[draw(open_unit(&mut rng), &[1.0, 0.0, 3.0]).expect("weights above 0")] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((2300..2700).contains(&counts[0]), "{counts:?}");
        assert_eq!(draw(0.5, &[0.0, 0.0]), None);
    }
}
