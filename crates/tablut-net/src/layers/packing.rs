//! Weights packed for the kernels.

use tablut_kernels::Matrix;

use super::parameter::{Linear, ParameterId};

/// The values of all parameters, in their order.
pub struct Values<'a>(Vec<&'a [f32]>);

impl<'a> Values<'a> {
    /// The values of each parameter. Values after a net's own parameters are ignored.
    pub fn new(values: impl IntoIterator<Item = &'a [f32]>) -> Self {
        Self(values.into_iter().collect())
    }

    /// The values of all parameters.
    pub fn iter(&self) -> impl Iterator<Item = &'a [f32]> {
        self.0.iter().copied()
    }

    /// The values of one parameter.
    pub fn get(&self, id: ParameterId) -> &'a [f32] {
        self.0[id.index()]
    }
}

/// A dense layer's weights and biases, with padded outputs.
pub(crate) struct Dense {
    pub matrix: Matrix,
    /// `[padded outputs]`.
    pub bias: Vec<f32>,
}

impl Dense {
    pub fn pack(values: &Values<'_>, layer: &Linear) -> Self {
        Self::stack(values, &[layer])
    }

    /// The same layer with [`short`](tablut_kernels::short) weights.
    #[must_use]
    pub fn shortened(self) -> Self {
        Self { matrix: self.matrix.shortened(), bias: self.bias }
    }

    /// Layers with the same inputs, one after another.
    pub fn stack(values: &Values<'_>, layers: &[&Linear]) -> Self {
        let weights: Vec<f32> = layers.iter().flat_map(|layer| values.get(layer.weight)).copied().collect();
        let outputs = layers.iter().map(|layer| layer.outputs).sum();
        let matrix = Matrix::pack(outputs, layers[0].inputs, &weights);
        let biases = layers.iter().filter_map(|layer| layer.bias);
        let mut bias: Vec<f32> = biases.flat_map(|bias| values.get(bias)).copied().collect();
        bias.resize(matrix.padded_outputs(), 0.0);
        Self { matrix, bias }
    }
}

/// A layer's weights alone, for a layer that computes a bias.
pub(crate) fn matrix(values: &Values<'_>, layer: &Linear) -> Matrix {
    Matrix::pack(layer.outputs, layer.inputs, values.get(layer.weight))
}

/// Row `index` of values with `width` values per row.
pub(crate) fn row(values: &[f32], index: usize, width: usize) -> &[f32] {
    &values[index * width..][..width]
}

/// Row `index`, mutable.
pub(crate) fn row_mut(values: &mut [f32], index: usize, width: usize) -> &mut [f32] {
    &mut values[index * width..][..width]
}
