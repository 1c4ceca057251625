//! The random numbers of a search at its root. All come from the given generator.

use rand::Rng;
use rand_distr::{Distribution, Gamma};

/// A uniform number from the open interval (0, 1), with 53 bits. It is never 0 or 1.
pub fn open_unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}

/// A standard Gumbel variable, −ln(−ln u). The arg max of logits plus this noise is a sample from the softmax; the top
/// k are k samples without replacement (Danihelka et al. 2022, section 2).
pub fn gumbel(rng: &mut impl Rng) -> f32 {
    -(-open_unit(rng).ln()).ln() as f32
}

/// Dirichlet noise over `n` moves, with `concentration` divided equally among them. The numbers are at least 0 and sum
/// to 1. (`AlphaZero`'s α = 0.03 for Go's 361 points is a concentration of about 10, as in `KataGo`.)
pub fn dirichlet(rng: &mut impl Rng, n: usize, concentration: f64) -> Vec<f32> {
    let shape = (concentration / n as f64).max(f64::MIN_POSITIVE);
    let gamma = Gamma::new(shape, 1.0).expect("shape and scale are above 0");
    let mut parts: Vec<f64> = gamma.sample_iter(rng).take(n).collect();
    let sum: f64 = parts.iter().sum();
    if sum <= 0.0 {
        parts.fill(1.0);
    }
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| (part / sum) as f32).collect()
}

/// (1 − `fraction`) · prior + `fraction` · noise (`AlphaZero`'s root prior).
pub fn noisy_prior(prior: f32, noise: f32, fraction: f32) -> f32 {
    (1.0 - fraction) * prior + fraction * noise
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

    #[test]
    fn dirichlet_noise_is_a_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (n, concentration) in [(1, 10.0), (80, 10.0), (400, 0.001), (400, 0.0)] {
            let noise = dirichlet(&mut rng, n, concentration);
            assert_eq!(noise.len(), n);
            assert!(noise.iter().all(|part| (0.0..=1.0).contains(part)));
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
        // The first of n parts has the variance (1/n)(1 − 1/n)/(concentration + 1).
        let (mean, variance) = moments(|| f64::from(dirichlet(&mut rng, 20, 10.0)[0]));
        assert!((mean - 0.05).abs() < 0.003, "mean {mean}");
        assert!((variance / (0.05 * 0.95 / 11.0) - 1.0).abs() < 0.08, "variance {variance}");
        assert!((noisy_prior(0.8, 0.2, 0.25) - 0.65).abs() < 1e-6);
    }
}
