//! The random numbers of a search at its root. All come from the given generator.

use rand::Rng;

/// A uniform number from the open interval (0, 1), with 53 bits. It is never 0 or 1.
pub fn open_unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}

/// A standard Gumbel variable, −ln(−ln u). The arg max of logits plus this noise is a sample from the softmax; the top
/// k are k samples without replacement (Danihelka et al. 2022, section 2).
pub fn gumbel(rng: &mut impl Rng) -> f32 {
    -libm::log(-libm::log(open_unit(rng))) as f32
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::ChaCha8Rng};

    use super::*;

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
