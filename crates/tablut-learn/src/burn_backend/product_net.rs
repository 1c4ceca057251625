//! The net in burn's operations, with every convolution as one matrix product over all squares of a batch. On GPUs,
//! matrix products are far faster than convolutions. `tests/learner/gradients.rs` compares it with burn's own convolutions.
//!
//! The dimension of squares comes before that of channels, so that the rows of a product are squares.

use burn::tensor::activation::{relu, softmax, softplus};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, FloatDType, Tensor};
use tablut_net::layers::{Convolution, Layers, Linear, ParameterId};
use tablut_net::{FEATURES, InputBatch, PLANES, POLICY_ENTRIES, Parameter, Weights};
use tablut_rules::{SIZE, SQUARES};

use super::moves::PaddedIndices;
use super::tensors::tensor;

/// How a device multiplies matrices.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Multiply {
    /// By matrix products, which are fast on GPUs.
    Matrices,
    /// By convolutions on boards of one square. Mesa's CPU driver crashes on matrix products.
    Convolutions,
}

/// The net's outputs, before the softmax and in the units of the loss.
pub struct Outputs {
    /// Policy tables, `[n, POLICY_ENTRIES]`.
    pub policy: Tensor<2>,
    /// Logits of attackers win, draw, defenders win, `[n, 3]`.
    pub wdl: Tensor<2>,
    /// Plies to the end in units of 32, at least 0, `[n, 1]`.
    pub moves_left: Tensor<2>,
}

/// A net whose parameters are factors of matrix products: weights `[inputs, outputs]`, biases `[1, outputs]`.
pub struct ProductNet {
    layers: Layers,
    factors: Vec<Tensor<2>>,
    multiply: Multiply,
    float: FloatDType,
}

impl ProductNet {
    /// Puts `weights` on `device`. Activations and weights have the type `float`. Outputs are `f32`.
    ///
    /// # Panics
    /// If the net is not residual.
    pub fn new(weights: &Weights, device: &Device, multiply: Multiply, float: FloatDType) -> Self {
        let layers = weights.architecture().residual().expect("a residual net").layers();
        let values = weights.values();
        let put = |values: &[f32]| tensor(values.to_vec(), [values.len()], device);
        let parameters: Vec<Tensor<1>> = values.iter().map(put).collect();
        Self::of_tensors(layers, &parameters, multiply, float)
    }

    /// The net with these flat parameters, in the order of its layers.
    pub fn of_tensors(layers: Layers, parameters: &[Tensor<1>], multiply: Multiply, float: FloatDType) -> Self {
        let factors = layers.parameters().iter().zip(parameters);
        let factors = factors.map(|(parameter, values)| factor(parameter, values.clone()).cast(float)).collect();
        Self { layers, factors, multiply, float }
    }

    /// Runs the net on a batch.
    pub fn forward(&self, input: &InputBatch, device: &Device) -> Outputs {
        let trunk = self.trunk(input.plane_values(), input.features.clone(), device); // [n, 81, C]
        let (wdl, moves_left) = self.value_head(trunk.clone());
        Outputs { policy: self.policy_head(trunk), wdl, moves_left }
    }

    /// The values that a search needs of positions with `planes` `[n, PLANES, 81]` and `features` `[n, FEATURES]`, in
    /// one tensor `[n, width + 4]`: the logits of their moves, the probabilities of the outcomes, and the moves left in
    /// units of 32 plies.
    pub(crate) fn evaluate(
        &self,
        planes: Vec<f32>,
        features: Vec<f32>,
        moves: &PaddedIndices,
        device: &Device,
    ) -> Tensor<2> {
        let trunk = self.trunk(planes, features, device); // [n, 81, C]
        let logits = moves.gather(&self.policy_head(trunk.clone()), device); // [n, width]
        let (wdl, moves_left) = self.value_head(trunk);
        Tensor::cat(vec![logits, softmax(wdl, 1), moves_left], 1)
    }

    fn trunk(&self, planes: Vec<f32>, features: Vec<f32>, device: &Device) -> Tensor<3> {
        let (layers, n) = (&self.layers, features.len() / FEATURES);
        let planes = tensor(planes, [n, PLANES, SQUARES], device).cast(self.float).swap_dims(1, 2); // [n, 81, PLANES]
        let features = tensor(features, [n, FEATURES], device).cast(self.float);
        let bias = self.linear(features, &layers.features); // [n, C]
        let mut x = relu(self.convolution(planes, &layers.input) + over_squares(bias)); // [n, 81, C]
        for block in &layers.blocks {
            let h = relu(self.convolution(x.clone(), &block.conv1));
            let mut y = self.convolution(h.clone(), &block.conv2);
            if let Some(layer) = &block.pool {
                y = y + over_squares(self.linear(self.pool(h), layer));
            }
            x = relu(x + y);
        }
        x
    }

    fn policy_head(&self, trunk: Tensor<3>) -> Tensor<2> {
        let (n, policy) = (trunk.dims()[0], &self.layers.policy);
        let bias = self.linear(self.pool(trunk.clone()), &policy.pool); // [n, P]
        let p = relu(self.squares(trunk, &policy.conv) + over_squares(bias)); // [n, 81, P]
        let table = self.squares(p, &policy.out).swap_dims(1, 2); // [n, POLICY_PLANES, 81]
        table.cast(FloatDType::F32).reshape([n, POLICY_ENTRIES])
    }

    fn value_head(&self, trunk: Tensor<3>) -> (Tensor<2>, Tensor<2>) {
        let value = &self.layers.value;
        let v = relu(self.squares(trunk, &value.conv)); // [n, 81, V]
        let h = relu(self.linear(self.pool(v), &value.hidden)); // [n, H]
        let (wdl, moves_left) = (self.linear(h.clone(), &value.out), self.linear(h, &value.moves_left));
        (wdl.cast(FloatDType::F32), softplus(moves_left.cast(FloatDType::F32), 1.0))
    }

    /// A 3×3 convolution padded with zeros: `[n, 81, in]` → `[n, 81, out]`.
    fn convolution(&self, x: Tensor<3>, layer: &Convolution) -> Tensor<3> {
        let n = x.dims()[0];
        let board = x.reshape([n, SIZE, SIZE, layer.inputs]).pad([(1, 1), (1, 1), (0, 0)], 0.0); // [n, 11, 11, in]
        let shifted = (0..9).map(|at| {
            let (row, column) = (at / 3, at % 3);
            board.clone().slice([0..n, row..row + SIZE, column..column + SIZE, 0..layer.inputs])
        });
        let around = Tensor::cat(shifted.collect(), 3).reshape([n * SQUARES, 9 * layer.inputs]);
        let product = self.multiply.product(around, self.factor(layer.weight)) + self.factor(layer.bias);
        product.reshape([n, SQUARES, layer.outputs])
    }

    /// A dense layer on the channels of each square: `[n, 81, in]` → `[n, 81, out]`.
    fn squares(&self, x: Tensor<3>, layer: &Linear) -> Tensor<3> {
        let n = x.dims()[0];
        self.linear(x.reshape([n * SQUARES, layer.inputs]), layer).reshape([n, SQUARES, layer.outputs])
    }

    /// `[n, in]` → `[n, out]`, plus the bias if the layer has one.
    fn linear(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        let product = self.multiply.product(x, self.factor(layer.weight));
        match layer.bias {
            Some(bias) => product + self.factor(bias),
            None => product,
        }
    }

    /// Mean and maximum over the squares, with sums in `f32`: `[n, 81, C]` → `[n, 2C]`.
    fn pool(&self, x: Tensor<3>) -> Tensor<2> {
        let [n, _, c] = x.dims();
        let mean = x.clone().cast(FloatDType::F32).mean_dim(1).cast(self.float).reshape([n, c]);
        let max = x.max_dim(1).reshape([n, c]);
        Tensor::cat(vec![mean, max], 1)
    }

    fn factor(&self, id: ParameterId) -> Tensor<2> {
        self.factors[id.index()].clone()
    }
}

impl Multiply {
    /// `[rows, inputs]` × `[inputs, outputs]` → `[rows, outputs]`.
    pub(crate) fn product(self, x: Tensor<2>, factor: Tensor<2>) -> Tensor<2> {
        let [[rows, inputs], [_, outputs]] = [x.dims(), factor.dims()];
        match self {
            Self::Matrices => x.matmul(factor),
            Self::Convolutions => {
                let options = ConvOptions::new([1, 1], [0, 0], [1, 1], 1);
                let weight = factor.transpose().reshape([outputs, inputs, 1, 1]);
                conv2d(x.reshape([rows, inputs, 1, 1]), weight, None, options).reshape([rows, outputs])
            }
        }
    }
}

/// A flat parameter as a factor. For a convolution the index of a row is `9 squares of the window × inputs`.
fn factor(parameter: &Parameter, values: Tensor<1>) -> Tensor<2> {
    match parameter.dims[..] {
        [outputs] => values.reshape([1, outputs]),
        [outputs, inputs] => values.reshape([outputs, inputs]).transpose(),
        _ => {
            let (outputs, inputs) = (parameter.dims[0], parameter.dims[1]);
            values.reshape([outputs, inputs, 9]).permute([2, 1, 0]).reshape([9 * inputs, outputs])
        }
    }
}

/// `[n, C]` → `[n, 1, C]`, which broadcasts over the squares.
fn over_squares(x: Tensor<2>) -> Tensor<3> {
    let [n, c] = x.dims();
    x.reshape([n, 1, c])
}
