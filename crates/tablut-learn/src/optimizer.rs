//! `AdamW` with decoupled weight decay, global-norm clipping and an average of the weights, over plain arrays.
//!
//! Written here rather than taken from burn: a step is one pass over each tensor, every number of its state is in
//! the checkpoint, and its bits depend on nothing but its inputs.

use serde::{Deserialize, Serialize};

/// Constants of the optimiser (Loshchilov & Hutter 2019).
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// Decay of the first moment (default 0.9).
    pub beta1: f32,
    /// Decay of the second moment (default 0.98).
    pub beta2: f32,
    /// Added to the root of the second moment (default 1e-8).
    pub epsilon: f32,
    /// Share of a weight that a step of learning rate 1 takes away; biases do not decay (default 0.01).
    pub weight_decay: f32,
    /// Largest norm of all gradients together; longer ones are scaled down (default 1).
    pub max_gradient_norm: f32,
    /// Decay of the averaged weights, the ones that play (default 0.99).
    pub average_decay: f32,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weight_decay: 0.01, max_gradient_norm: 1.0, average_decay: 0.99 }
    }
}

/// One tensor with all that the optimiser keeps for it; the arrays have one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The weights that are trained.
    pub weights: Vec<f32>,
    /// First moment of the gradient.
    pub momentum: Vec<f32>,
    /// Second moment of the gradient.
    pub square: Vec<f32>,
    /// Exponential average of the weights.
    pub average: Vec<f32>,
    /// Whether the weights decay.
    pub decays: bool,
}

impl Slot {
    /// A tensor before its first step.
    pub fn new(weights: Vec<f32>, decays: bool) -> Self {
        let zeros = vec![0.0; weights.len()];
        Self { average: weights.clone(), momentum: zeros.clone(), square: zeros, weights, decays }
    }
}

/// Norm of all gradients together.
pub fn global_norm(gradients: &[Vec<f32>]) -> f32 {
    let sum: f64 = gradients.iter().flatten().map(|&g| f64::from(g) * f64::from(g)).sum();
    sum.sqrt() as f32
}

/// One step: `step` counts from 1. Returns the gradients' norm before clipping.
///
/// # Panics
/// When there are not as many gradients as slots, or of other lengths.
pub fn step(slots: &mut [Slot], gradients: &[Vec<f32>], step: u64, learning_rate: f32, c: &OptimizerConfig) -> f32 {
    assert_eq!(slots.len(), gradients.len(), "one gradient for each tensor");
    let norm = global_norm(gradients);
    let clip = if norm > c.max_gradient_norm { c.max_gradient_norm / norm } else { 1.0 };
    let correction = |beta: f32| (1.0 - f64::from(beta).powf(step as f64)) as f32;
    let (correction1, correction2) = (correction(c.beta1), correction(c.beta2));
    // Early averages would be dominated by the untrained weights: let the average's memory grow with the run.
    let average_decay = c.average_decay.min((step as f32 + 1.0) / (step as f32 + 10.0));
    for (slot, gradient) in slots.iter_mut().zip(gradients) {
        assert_eq!(slot.weights.len(), gradient.len(), "a gradient has its tensor's length");
        let decay = if slot.decays { learning_rate * c.weight_decay } else { 0.0 };
        let state = slot.weights.iter_mut().zip(&mut slot.momentum).zip(&mut slot.square).zip(&mut slot.average);
        for ((((w, m), v), a), &g) in state.zip(gradient) {
            let g = g * clip;
            *m = c.beta1 * *m + (1.0 - c.beta1) * g;
            *v = c.beta2 * *v + (1.0 - c.beta2) * g * g;
            let update = (*m / correction1) / ((*v / correction2).sqrt() + c.epsilon);
            *w -= decay * *w + learning_rate * update;
            *a += (1.0 - average_decay) * (*w - *a);
        }
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two steps of one weight, worked by hand from the paper's Algorithm 2 with β₁ = 0.9, β₂ = 0.98.
    #[test]
    fn two_steps_are_the_papers() {
        let config = OptimizerConfig { max_gradient_norm: 1e9, weight_decay: 0.1, ..OptimizerConfig::default() };
        let mut slots = [Slot::new(vec![1.0], true)];
        step(&mut slots, &[vec![0.5]], 1, 0.01, &config);
        // m̂ = 0.5, v̂ = 0.25: the update is 1, the decay 0.01 · 0.1 · 1.
        assert!((slots[0].weights[0] - (1.0 - 0.01 - 0.001)).abs() < 1e-6);
        step(&mut slots, &[vec![-0.5]], 2, 0.01, &config);
        // m = 0.9·0.05 − 0.05 = −0.005, m̂ = −0.005/0.19; v̂ = 0.25 again: the update is −0.0526316.
        let expected = 0.989 - 0.01 * 0.1 * 0.989 + 0.01 * 0.005 / 0.19 / 0.5;
        assert!((slots[0].weights[0] - expected).abs() < 1e-6);
    }

    #[test]
    fn long_gradients_are_scaled_together() {
        let config = OptimizerConfig { max_gradient_norm: 1.0, ..OptimizerConfig::default() };
        let mut slots = [Slot::new(vec![0.0], false), Slot::new(vec![0.0], false)];
        let norm = step(&mut slots, &[vec![3.0], vec![4.0]], 1, 0.1, &config);
        assert_eq!(norm, 5.0);
        assert!((slots[0].momentum[0] - 0.1 * 0.6).abs() < 1e-7);
        assert!((slots[1].momentum[0] - 0.1 * 0.8).abs() < 1e-7);
    }

    #[test]
    fn biases_do_not_decay() {
        let mut slots = [Slot::new(vec![1.0], false)];
        step(&mut slots, &[vec![0.0]], 1, 0.1, &OptimizerConfig::default());
        assert_eq!(slots[0].weights[0], 1.0);
    }
}
