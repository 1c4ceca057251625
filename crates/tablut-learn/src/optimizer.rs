//! The optimiser: Muon with decoupled weight decay, global-norm clipping and an average of the weights, on plain
//! arrays.
//!
//! Muon updates matrices and convolution kernels. A kernel is a matrix with a row for each output (Jordan 2024).
//! `AdamW` (Loshchilov & Hutter 2019) updates biases and matrices of one row or column. Muon's updates are scaled to
//! the size of `AdamW`'s (Liu et al. 2025), so that learning rate and weight decay have the same meaning for both.
//!
//! This is our own code instead of burn's for three reasons. A step is one pass over each tensor, the checkpoint
//! contains every number of the state, and the bits of the result depend only on the inputs.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tablut_kernels::Kernels;

use crate::muon;

/// Decay of `AdamW`'s first moment.
pub(crate) const BETA1: f32 = 0.9;
/// Decay of `AdamW`'s second moment.
pub(crate) const BETA2: f32 = 0.98;
/// Added to the square root of the second moment.
pub(crate) const EPSILON: f32 = 1e-8;

#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// Share of a weight that one step with learning rate 1 removes, 0 to 1. Biases do not decay.
    pub weight_decay: f32,
    /// Maximum norm of all gradients together. Larger gradients are scaled down.
    pub max_gradient_norm: f32,
    /// Decay of the averaged weights, which are the ones that play, 0 to below 1.
    pub average_decay: f32,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self { weight_decay: 0.1, max_gradient_norm: 1.0, average_decay: 0.99 }
    }
}

/// One tensor with its optimiser state. All arrays have the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamState {
    pub name: String,
    /// Its dimensions. Tensors with one dimension are biases and do not decay.
    pub dims: Vec<usize>,
    pub weights: Vec<f32>,
    /// First moment of the gradient.
    pub momentum: Vec<f32>,
    /// Second moment of the gradient. It stays 0 if Muon updates the tensor.
    pub square: Vec<f32>,
    /// Exponential average of the weights.
    pub average: Vec<f32>,
}

impl ParamState {
    /// A tensor before its first step.
    pub fn new(name: String, dims: Vec<usize>, weights: Vec<f32>) -> Self {
        let zeros = vec![0.0; weights.len()];
        Self { name, dims, average: weights.clone(), momentum: zeros.clone(), square: zeros, weights }
    }

    pub fn decays(&self) -> bool {
        self.dims.len() > 1
    }
}

/// Rows and columns of a tensor as a matrix. `None` if `AdamW` updates the tensor.
pub(crate) fn muon_dims(dims: &[usize]) -> Option<[usize; 2]> {
    let (&rows, rest) = dims.split_first()?;
    let columns = rest.iter().product();
    (!rest.is_empty() && rows > 1 && columns > 1).then_some([rows, columns])
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct StepConstants {
    /// The divisors of the moments. They correct the bias of the start at zero.
    pub correction1: f32,
    pub correction2: f32,
    pub learning_rate: f32,
    /// Share of a weight that decays.
    pub decay: f32,
    pub average_decay: f32,
    max_gradient_norm: f32,
}

impl StepConstants {
    /// For step `step`, counted from 1.
    pub fn new(config: &OptimizerConfig, step: u64, learning_rate: f32) -> Self {
        let correction = |beta: f32| (1.0 - libm::pow(f64::from(beta), step as f64)) as f32;
        Self {
            correction1: correction(BETA1),
            correction2: correction(BETA2),
            learning_rate,
            decay: learning_rate * config.weight_decay,
            // With the full decay, early averages would depend mostly on the untrained weights. So the decay rises with
            // the steps.
            average_decay: config.average_decay.min((step as f32 + 1.0) / (step as f32 + 10.0)),
            max_gradient_norm: config.max_gradient_norm,
        }
    }
}

/// Norm of all values together.
pub(crate) fn global_norm<'a>(tensors: impl Iterator<Item = &'a [f32]>) -> f32 {
    let sum: f64 = tensors.flatten().map(|&x| f64::from(x) * f64::from(x)).sum();
    sum.sqrt() as f32
}

/// One step along gradients whose norm before clipping is `gradient_norm`.
pub(crate) fn step(
    params: &mut [ParamState],
    gradients: &[Vec<f32>],
    gradient_norm: f32,
    c: &StepConstants,
    kernels: Kernels,
) {
    assert_eq!(params.len(), gradients.len(), "one gradient for each tensor");
    let clip = if gradient_norm > c.max_gradient_norm { c.max_gradient_norm / gradient_norm } else { 1.0 };
    for (param, gradient) in params.iter_mut().zip(gradients) {
        assert_eq!(param.weights.len(), gradient.len(), "a gradient has its tensor's length");
        if muon_dims(&param.dims).is_none() {
            adamw_step(param, gradient, clip, c);
        }
    }
    // A tensor's step depends only on this tensor, so the number of threads does not change results.
    params.par_iter_mut().zip(gradients).for_each(|(param, gradient)| {
        if let Some(dims) = muon_dims(&param.dims) {
            muon_step(param, gradient, dims, clip, c, kernels);
        }
    });
}

fn adamw_step(param: &mut ParamState, gradient: &[f32], clip: f32, c: &StepConstants) {
    let decay = if param.decays() { c.decay } else { 0.0 };
    let state = param.weights.iter_mut().zip(&mut param.momentum).zip(&mut param.square).zip(&mut param.average);
    for ((((w, m), v), a), &g) in state.zip(gradient) {
        let g = g * clip;
        *m = BETA1 * *m + (1.0 - BETA1) * g;
        *v = BETA2 * *v + (1.0 - BETA2) * g * g;
        let update = (*m / c.correction1) / ((*v / c.correction2).sqrt() + EPSILON);
        *w -= decay * *w + c.learning_rate * update;
        *a += (1.0 - c.average_decay) * (*w - *a);
    }
}

fn muon_step(
    param: &mut ParamState,
    gradient: &[f32],
    dims: [usize; 2],
    clip: f32,
    c: &StepConstants,
    kernels: Kernels,
) {
    let update = muon::update(&mut param.momentum, gradient, clip, dims, kernels);
    for ((w, a), update) in param.weights.iter_mut().zip(&mut param.average).zip(update) {
        *w -= c.decay * *w + c.learning_rate * update;
        *a += (1.0 - c.average_decay) * (*w - *a);
    }
}

#[cfg(test)]
mod tests {
    use tablut_kernels::Simd;

    use super::*;

    fn params(values: &[(f32, bool)]) -> Vec<ParamState> {
        let param = |&(value, decays): &(f32, bool)| {
            ParamState::new(String::new(), if decays { vec![1, 1] } else { vec![1] }, vec![value])
        };
        values.iter().map(param).collect()
    }

    fn take(params: &mut [ParamState], gradients: &[f32], number: u64, rate: f32, config: &OptimizerConfig) -> f32 {
        let gradients: Vec<_> = gradients.iter().map(|&gradient| vec![gradient]).collect();
        let norm = global_norm(gradients.iter().map(Vec::as_slice));
        let kernels = Kernels::new(Simd::Plain).unwrap();
        step(params, &gradients, norm, &StepConstants::new(config, number, rate), kernels);
        norm
    }

    /// Two steps of one weight, computed by hand from the paper's Algorithm 2 with β₁ = 0.9, β₂ = 0.98.
    #[test]
    fn two_steps_are_the_papers() {
        let config = OptimizerConfig { max_gradient_norm: 1e9, weight_decay: 0.1, ..OptimizerConfig::default() };
        let mut params = params(&[(1.0, true)]);
        take(&mut params, &[0.5], 1, 0.01, &config);
        // m̂ = 0.5, v̂ = 0.25: the update is 1, the decay 0.01 · 0.1 · 1.
        assert!((params[0].weights[0] - (1.0 - 0.01 - 0.001)).abs() < 1e-6);
        take(&mut params, &[-0.5], 2, 0.01, &config);
        // m = 0.9·0.05 − 0.05 = −0.005, m̂ = −0.005/0.19; v̂ = 0.25 again: the update is −0.0526316.
        let expected = 0.989 - 0.01 * 0.1 * 0.989 + 0.01 * 0.005 / 0.19 / 0.5;
        assert!((params[0].weights[0] - expected).abs() < 1e-6);
    }

    #[test]
    fn long_gradients_are_scaled_together() {
        let config = OptimizerConfig { max_gradient_norm: 1.0, ..OptimizerConfig::default() };
        let mut params = params(&[(0.0, false), (0.0, false)]);
        assert_eq!(take(&mut params, &[3.0, 4.0], 1, 0.1, &config), 5.0);
        assert!((params[0].momentum[0] - 0.1 * 0.6).abs() < 1e-7);
        assert!((params[1].momentum[0] - 0.1 * 0.8).abs() < 1e-7);
    }

    #[test]
    fn biases_do_not_decay() {
        let mut params = params(&[(1.0, false), (1.0, true)]);
        take(&mut params, &[0.0, 0.0], 1, 0.1, &OptimizerConfig::default());
        assert_eq!(params[0].weights[0], 1.0);
        assert!(params[1].weights[0] < 1.0);
    }

    /// A tensor of these dimensions with small regular values.
    fn tensor(dims: &[usize]) -> ParamState {
        let len: usize = dims.iter().product();
        let values = (0..len).map(|i| 0.01 * ((i * 37 % 23) as f32 - 11.0)).collect();
        ParamState::new(String::new(), dims.to_vec(), values)
    }

    #[test]
    fn muon_takes_matrices_and_kernels_and_adamw_the_rest() {
        let dims: [&[usize]; 5] = [&[6], &[1, 6], &[6, 1], &[4, 6], &[4, 3, 3, 3]];
        assert_eq!(dims.map(muon_dims), [None, None, None, Some([4, 6]), Some([4, 27])]);
        let mut params = dims.map(tensor);
        let gradients: Vec<_> = dims.iter().map(|dims| tensor(dims).weights).collect();
        let (rate, kernels) = (0.01_f32, Kernels::new(Simd::Plain).unwrap());
        let config = OptimizerConfig { weight_decay: 0.01, ..OptimizerConfig::default() };
        let constants = StepConstants::new(&config, 1, rate);
        step(&mut params, &gradients, 0.5, &constants, kernels);
        let has_square = |param: &ParamState| param.square.iter().any(|&v| v != 0.0);
        assert_eq!(params.each_ref().map(has_square), [true, true, true, false, false]);
        // Weight decay and the average are the same as with AdamW.
        let before = tensor(&[4, 6]);
        let mut momentum = vec![0.0; 24];
        let update = muon::update(&mut momentum, &before.weights, 1.0, [4, 6], kernels);
        for (((&w, &a), &start), update) in
            params[3].weights.iter().zip(&params[3].average).zip(&before.weights).zip(update)
        {
            assert!((w - (start - rate * config.weight_decay * start - rate * update)).abs() < 1e-7);
            assert!((a - (start + (1.0 - constants.average_decay) * (w - start))).abs() < 1e-7);
        }
        assert_eq!(params[3].momentum, momentum);
    }
}
