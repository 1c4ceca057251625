//! The entropy of a policy.

/// The entropy, in nats, of a distribution proportional to `weights`. It is 0 if there are none.
pub(super) fn entropy(weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let total: f64 = weights.clone().sum();
    weights.filter(|&weight| weight > 0.0).map(|weight| weight / total).map(|p| -p * p.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::entropy;

    #[test]
    fn entropy_is_that_of_the_normalised_weights() {
        assert!((entropy([3.0, 3.0, 0.0, 3.0, 3.0].into_iter()) - 4.0_f64.ln()).abs() < 1e-12);
        assert_eq!(entropy([5.0].into_iter()), 0.0);
        assert_eq!(entropy(std::iter::empty()), 0.0);
    }
}
