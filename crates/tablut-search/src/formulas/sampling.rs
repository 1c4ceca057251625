//! Random choices at the root: Gumbel noise, and draws in proportion to the visits (`AlphaZero`'s exploration at the
//! start of a game). All random numbers come from the given generator.

use rand::Rng;

use super::first_max;

/// A uniform number from the open interval (0, 1), with 53 bits. It is never 0 or 1.
pub fn open_unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}

/// A standard Gumbel variable, −ln(−ln u). The arg max of logits plus this noise is a sample from the softmax. The k
/// highest are k samples without replacement (Danihelka et al. 2022, section 2).
pub fn gumbel(rng: &mut impl Rng) -> f32 {
    -libm::log(-libm::log(open_unit(rng))) as f32
}

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

    /// Mean and variance of 40,000 draws.
    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let draws: Vec<f64> = (0..40_000).map(|_| draw()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        (mean, draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64)
    }

    #[test]
    fn gumbel_noise_has_the_gumbel_distributions_moments() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mean, variance) = moments(|| f64::from(gumbel(&mut rng)));
        assert!((mean - 0.577_215_66).abs() < 0.03, "mean {mean}");
        assert!((variance - std::f64::consts::PI.powi(2) / 6.0).abs() < 0.06, "variance {variance}");
    }
}
