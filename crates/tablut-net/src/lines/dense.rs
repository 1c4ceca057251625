//! Adjoints and gradients of dense layers, and sums of rows.

use tablut_kernels::{Aligned, LANES, Matrix};

use crate::layers::{Linear, Values};

/// The transpose of a matrix `[rows][columns]`.
pub fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| values[column..].iter().step_by(columns)).copied().collect()
}

/// The adjoint of layers that read the same rows, with their outputs side by side and padded.
pub fn adjoint(values: &Values<'_>, layers: &[&Linear]) -> Matrix {
    let inputs = layers[0].inputs;
    let mut rows: Vec<f32> = layers.iter().flat_map(|layer| values.get(layer.weight)).copied().collect();
    let padded = (rows.len() / inputs).next_multiple_of(LANES);
    rows.resize(padded * inputs, 0.0);
    Matrix::pack(inputs, padded, &transposed(&rows, inputs))
}

/// The gradient of one layer, or of several with the same inputs side by side.
pub struct Sums {
    /// `[inputs][padded outputs]`.
    pub weight: Aligned,
    /// `[padded outputs]`.
    pub bias: Aligned,
}

impl Sums {
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self { weight: Aligned::zeroed(inputs * outputs), bias: Aligned::zeroed(outputs) }
    }

    pub fn add(&mut self, other: &Self) {
        add(&mut self.weight, &other.weight, 1.0);
        add(&mut self.bias, &other.bias, 1.0);
    }

    /// Writes the gradients of layers that are side by side in the tensors' layout.
    pub fn write(&self, layers: &[&Linear], to: &mut [Vec<f32>]) {
        let (width, mut first) = (self.bias.len(), 0);
        for layer in layers {
            let column = |output: usize| self.weight[first + output..].iter().step_by(width).take(layer.inputs);
            to[layer.weight.index()] = (0..layer.outputs).flat_map(column).copied().collect();
            if let Some(bias) = layer.bias {
                to[bias.index()] = self.bias[first..first + layer.outputs].to_vec();
            }
            first += layer.outputs;
        }
    }
}

/// Adds `values * factor` to `sums`.
pub fn add(sums: &mut [f32], values: &[f32], factor: f32) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value * factor;
    }
}

/// Adds the sum of `rows` to `sum`.
pub fn add_rows(sum: &mut [f32], rows: &[f32]) {
    for row in rows.chunks_exact(sum.len()) {
        add(sum, row, 1.0);
    }
}
