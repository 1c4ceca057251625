//! Weights packed for the kernels: each convolution in its arithmetic, and the rows of several layers one after
//! another, padded to whole vectors.

use ndarray::{Array2, ArrayView2, s};
use tablut_kernels::{
    BF16_LANES, Bf16Convolution, Bf16Kernels, Bf16PointConvolution, Bf16Vectors, Grid, Kernels, LANES, Matrix,
};
use tablut_rules::SIZE;

use super::parameter::{Convolution, Linear, ParameterId};

/// The board as a grid for the kernels.
pub(super) const GRID: Grid = Grid::new(SIZE, SIZE);

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

    /// A dense layer's weights.
    fn matrix(&self, layer: &Linear) -> ArrayView2<'a, f32> {
        ArrayView2::from_shape((layer.outputs, layer.inputs), self.get(layer.weight))
            .expect("a layer's weights have its size")
    }
}

/// The arithmetic of a net's convolutions, with the kernels that it needs. Everything else is f32.
#[derive(Copy, Clone, Debug)]
pub enum Arithmetic {
    /// f32 at Winograd's points, on every machine.
    F32,
    /// Winograd's points with tiles and weights rounded to bf16, on AVX-512. 1×1 convolutions are in f32.
    Bf16Points(Bf16Vectors),
    /// Inputs and weights rounded to bf16, with sums in f32, on matrix registers (AMX).
    Bf16(Bf16Kernels),
}

impl Arithmetic {
    /// `channels` including padding with zeros.
    pub fn padded(self, channels: usize) -> usize {
        match self {
            Self::F32 | Self::Bf16Points(_) => channels.next_multiple_of(LANES),
            Self::Bf16(_) => channels.next_multiple_of(BF16_LANES),
        }
    }

    /// Packs the weights of a 3×3 convolution, `[outputs, inputs, 3, 3]`.
    pub(super) fn convolution(self, layer: &Convolution, weights: &[f32]) -> PackedConvolution {
        let (outputs, inputs) = (layer.outputs, layer.inputs);
        match self {
            Self::F32 => PackedConvolution::F32(tablut_kernels::Convolution::pack(outputs, inputs, weights)),
            Self::Bf16Points(_) => PackedConvolution::Bf16Points(Bf16PointConvolution::pack(outputs, inputs, weights)),
            Self::Bf16(_) => PackedConvolution::Bf16(Bf16Convolution::pack(outputs, inputs, 3, weights)),
        }
    }

    /// Packs the rows of a 1×1 convolution, of padded size.
    pub(super) fn squares(self, rows: &Array2<f32>) -> PackedSquares {
        match self {
            Self::F32 | Self::Bf16Points(_) => PackedSquares::F32(matrix(rows)),
            Self::Bf16(_) => {
                let (outputs, inputs) = rows.dim();
                let values = rows.as_slice().expect("rows made in the standard layout");
                PackedSquares::Bf16(Bf16Convolution::pack(outputs, inputs, 1, values))
            }
        }
    }
}

/// The packed weights of a 3×3 convolution.
pub enum PackedConvolution {
    /// For [`Arithmetic::F32`].
    F32(tablut_kernels::Convolution),
    /// For [`Arithmetic::Bf16Points`].
    Bf16Points(Bf16PointConvolution),
    /// For [`Arithmetic::Bf16`].
    Bf16(Bf16Convolution),
}

impl PackedConvolution {
    /// Output channels, including padding.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::F32(convolution) => convolution.outputs(),
            Self::Bf16Points(convolution) => convolution.outputs(),
            Self::Bf16(convolution) => convolution.outputs(),
        }
    }

    /// Sets the weights, as for [`Arithmetic::convolution`].
    ///
    /// # Panics
    /// If the arithmetic is [`Arithmetic::Bf16Points`], which is not used for learning.
    pub(super) fn repack(&mut self, kernels: Kernels, layer: &Convolution, weights: &[f32]) {
        match self {
            Self::F32(convolution) => kernels.repack(weights, convolution),
            Self::Bf16Points(_) => unreachable!("learning does not use this arithmetic"),
            Self::Bf16(convolution) => convolution.repack([layer.outputs, layer.inputs], weights),
        }
    }
}

/// The packed weights of a 1×1 convolution.
pub enum PackedSquares {
    /// In f32.
    F32(Matrix),
    /// On matrix registers.
    Bf16(Bf16Convolution),
}

/// The rows of all `layers`, one layer after another. Zero rows pad each layer to the number in its pair. Inputs are in
/// groups of `narrow`. Zeros pad each group to `wide`.
pub(super) fn stacked(values: &Values<'_>, layers: &[(&Linear, usize)], [narrow, wide]: [usize; 2]) -> Array2<f32> {
    let n_groups = layers[0].0.inputs / narrow;
    let mut rows = Array2::zeros((layers.iter().map(|layer| layer.1).sum(), n_groups * wide));
    let mut first = 0;
    for (layer, padded) in layers {
        let matrix = values.matrix(layer);
        for group in 0..n_groups {
            let from = matrix.slice(s![.., group * narrow..(group + 1) * narrow]);
            rows.slice_mut(s![first..first + layer.outputs, group * wide..group * wide + narrow]).assign(&from);
        }
        first += padded;
    }
    rows
}

/// The biases of `layers`. Zeros pad each layer to the number in its pair, and a layer without a bias has only zeros.
pub(super) fn stacked_biases(values: &Values<'_>, layers: &[(&Linear, usize)]) -> Vec<f32> {
    let mut biases = Vec::new();
    for (layer, padded) in layers {
        let end = biases.len() + padded;
        biases.extend_from_slice(layer.bias.map_or(&[], |bias| values.get(bias)));
        biases.resize(end, 0.0);
    }
    biases
}

/// Packs rows for products.
pub(super) fn matrix(rows: &Array2<f32>) -> Matrix {
    let (outputs, inputs) = rows.dim();
    Matrix::pack(outputs, inputs, rows.as_slice().expect("rows made in the standard layout"))
}

/// Packs rows for the products of gradients, which go from outputs to inputs.
pub(super) fn transposed(rows: &Array2<f32>) -> Matrix {
    matrix(&rows.t().as_standard_layout().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::{Parameters, Start};

    #[test]
    fn rows_are_padded_below_each_layer_and_after_each_group() {
        let mut parameters = Parameters::default();
        let a = parameters.linear("a", [1, 4], Start::He);
        let b = parameters.linear_without_bias("b", [2, 4], Start::He);
        let values: [&[f32]; 3] = [&[1.0, 2.0, 3.0, 4.0], &[9.0], &[5.0, 6.0, 7.0, 8.0, 1.5, 2.5, 3.5, 4.5]];
        let values = Values::new(values);
        let layers = [(&a, 2), (&b, 3)];
        let expected = ndarray::array![
            [1.0, 2.0, 0.0, 3.0, 4.0, 0.0],
            [0.0; 6],
            [5.0, 6.0, 0.0, 7.0, 8.0, 0.0],
            [1.5, 2.5, 0.0, 3.5, 4.5, 0.0],
            [0.0; 6],
        ];
        assert_eq!(stacked(&values, &layers, [2, 3]), expected);
        assert_eq!(stacked_biases(&values, &layers), [9.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
