//! Random numbers that a search draws at its root, all from the generator handed in.

use rand::Rng;

/// A number drawn evenly from the open interval (0, 1): 53 bits, never an end.
pub fn open_unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}

/// A standard Gumbel variable, −ln(−ln u): the arg max of logits plus such noise is a draw from the softmax, the
/// top k are k draws without replacement (Danihelka et al. 2022, section 2).
pub fn gumbel(rng: &mut impl Rng) -> f32 {
    -(-open_unit(rng).ln()).ln() as f32
}

/// A standard normal variable (Box and Muller).
fn normal(rng: &mut impl Rng) -> f64 {
    let (u, v) = (open_unit(rng), open_unit(rng));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// A gamma variable of the given shape and scale 1 (Marsaglia and Tsang 2000).
fn gamma(rng: &mut impl Rng, shape: f64) -> f64 {
    if shape < 1.0 {
        // Γ(a) = Γ(a + 1) · u^(1/a).
        let boost = open_unit(rng).powf(1.0 / shape);
        return gamma(rng, shape + 1.0) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && open_unit(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Dirichlet noise over `n` moves with `concentration` spread evenly over them; at least 0, sums to 1.
/// (`AlphaZero`'s α = 0.03 for Go's 361 points is a concentration of about 10, as `KataGo` writes it.)
pub fn dirichlet(rng: &mut impl Rng, n: usize, concentration: f64) -> Vec<f32> {
    let mut parts: Vec<f64> = (0..n).map(|_| gamma(rng, concentration / n as f64)).collect();
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
    fn gamma_variables_have_mean_and_variance_of_their_shape() {
        for shape in [0.1, 0.5, 1.0, 3.5] {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let (mean, variance) = moments(|| gamma(&mut rng, shape));
            assert!((mean / shape - 1.0).abs() < 0.06, "shape {shape}: mean {mean}");
            assert!((variance / shape - 1.0).abs() < 0.12, "shape {shape}: variance {variance}");
        }
    }

    #[test]
    fn dirichlet_noise_is_a_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (n, concentration) in [(1, 10.0), (80, 10.0), (400, 0.001)] {
            let noise = dirichlet(&mut rng, n, concentration);
            assert_eq!(noise.len(), n);
            assert!(noise.iter().all(|part| (0.0..=1.0).contains(part)));
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
        assert!((noisy_prior(0.8, 0.2, 0.25) - 0.65).abs() < 1e-6);
    }
}
