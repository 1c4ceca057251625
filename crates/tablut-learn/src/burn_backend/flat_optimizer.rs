//! The optimiser of [`crate::optimizer`] in burn's operations, on all tensors at once: one flat vector for the weights and
//! for each part of the state, and one stack of equally large matrices for Muon.

use burn::tensor::{Device, Int, Tensor};

use super::tensors::{Multiply, indices, sum_of, tensor};
use crate::muon::{COEFFICIENTS, ITERATIONS, MOMENTUM, update_size};
use crate::optimizer::{BETA1, BETA2, EPSILON, ParamState, StepConstants, muon_dims};

/// The values of all tensors one after another, and a zero at the end.
#[derive(Clone)]
pub(super) struct FlatState {
    pub weights: Tensor<1>,
    pub momentum: Tensor<1>,
    pub square: Tensor<1>,
    pub average: Tensor<1>,
}

/// What of a step depends only on the tensors' sizes. Vectors have an element for each element of the flat state.
pub(super) struct FlatOptimizer {
    /// 1 where weights decay.
    decays: Tensor<1>,
    /// 1 for `AdamW`.
    adamw: Tensor<1>,
    /// The size of Muon's update, or 0 for `AdamW`.
    muon: Tensor<1>,
    /// Decay of the first moment.
    momentum_decay: Tensor<1>,
    /// Share of a gradient that is added to the first moment.
    gradient_share: Tensor<1>,
    /// Matrices, rows and columns of the stack. Smaller matrices are padded with zeros, higher ones are transposed.
    stack: [usize; 3],
    /// For each element of the stack, its place in the flat state.
    stacked: Tensor<1, Int>,
    /// For each element of the flat state, its place in the stack.
    unstacked: Tensor<1, Int>,
    multiply: Multiply,
}

impl FlatOptimizer {
    /// The optimiser of these tensors.
    pub fn new(params: &[ParamState], device: &Device, multiply: Multiply) -> Self {
        let zero: usize = params.iter().map(|param| param.weights.len()).sum();
        let each = |value: &dyn Fn(&ParamState) -> f32| {
            let of_param = |param: &ParamState| std::iter::repeat_n(value(param), param.weights.len());
            let values: Vec<f32> = params.iter().flat_map(of_param).chain([0.0]).collect();
            tensor(values, [zero + 1], device)
        };
        let either = |muon: f32, adamw: f32| {
            move |param: &ParamState| if muon_dims(&param.dims).is_some() { muon } else { adamw }
        };
        let matrices: Vec<_> = params.iter().filter_map(|param| muon_dims(&param.dims)).collect();
        let most = |size: fn(&[usize; 2]) -> usize| matrices.iter().map(size).max().unwrap_or(1);
        let (rows, columns) = (most(|[m, n]| *m.min(n)), most(|[m, n]| *m.max(n)));
        let mut stacked = vec![zero as i32; matrices.len() * rows * columns];
        let mut unstacked = vec![0; zero + 1];
        let (mut matrix, mut first) = (0, 0);
        for param in params {
            if let Some([m, n]) = muon_dims(&param.dims) {
                for at in 0..m * n {
                    let (row, column) = (at / n, at % n);
                    let (row, column) = if m <= n { (row, column) } else { (column, row) };
                    let place = (matrix * rows + row) * columns + column;
                    stacked[place] = (first + at) as i32;
                    unstacked[first + at] = place as i32;
                }
                matrix += 1;
            }
            first += param.weights.len();
        }
        Self {
            decays: each(&|param| if param.decays() { 1.0 } else { 0.0 }),
            adamw: each(&either(0.0, 1.0)),
            muon: each(&|param| muon_dims(&param.dims).map_or(0.0, |[m, n]| update_size(m, n))),
            momentum_decay: each(&either(MOMENTUM, BETA1)),
            gradient_share: each(&either(1.0, 1.0 - BETA1)),
            stack: [matrices.len(), rows, columns],
            stacked: indices(stacked, [matrices.len() * rows * columns], device),
            unstacked: indices(unstacked, [zero + 1], device),
            multiply,
        }
    }

    /// The state after a step along a clipped gradient, as in [`crate::optimizer::step`].
    pub fn updated(&self, state: &FlatState, gradient: Tensor<1>, c: &StepConstants) -> FlatState {
        let momentum =
            state.momentum.clone() * self.momentum_decay.clone() + gradient.clone() * self.gradient_share.clone();
        let squares = gradient.clone() * gradient.clone() * self.adamw.clone();
        let square = state.square.clone() * BETA2 + squares * (1.0 - BETA2);
        let root = (square.clone() / c.correction2).sqrt() + EPSILON;
        let adamw = (momentum.clone() / c.correction1) / root * self.adamw.clone();
        let muon = self.orthogonal(momentum.clone() * MOMENTUM + gradient) * self.muon.clone();
        let decay = state.weights.clone() * self.decays.clone() * c.decay;
        let weights = state.weights.clone() - (decay + (adamw + muon) * c.learning_rate);
        let average = state.average.clone() + (weights.clone() - state.average.clone()) * (1.0 - c.average_decay);
        FlatState { weights, momentum, square, average }
    }

    /// For each matrix the nearest to an orthogonal one with the same singular vectors. Zeros that pad a matrix stay zeros.
    fn orthogonal(&self, flat: Tensor<1>) -> Tensor<1> {
        let [count, rows, columns] = self.stack;
        let [a, b, c] = COEFFICIENTS;
        let x = flat.select(0, self.stacked.clone()).reshape([count, rows * columns]);
        let norm = (x.clone() * x.clone()).sum_dim(1).sqrt() + 1e-20; // [count, 1]
        let mut x = (x / norm).reshape([count, rows, columns]);
        for _ in 0..ITERATIONS {
            let gram = self.multiply.products(x.clone(), x.clone().swap_dims(1, 2));
            let factor = gram.clone() * b + self.multiply.products(gram.clone(), gram) * c;
            x = x.clone() * a + self.multiply.products(factor, x);
        }
        x.reshape([count * rows * columns]).select(0, self.unstacked.clone())
    }
}

/// The norm of all values together, `[1]`.
pub(super) fn norm(values: &Tensor<1>) -> Tensor<1> {
    sum_of(values.clone() * values.clone()).sqrt()
}
