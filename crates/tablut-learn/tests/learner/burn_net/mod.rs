//! The net in burn's own operations, built from the list of its layers. It is the reference for the kernels and for
//! `ProductNet`.

use burn::tensor::activation::{relu, softplus};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};
use tablut_learn::Outputs;
use tablut_net::layers::{Convolution, Layers, Linear, ParameterId};
use tablut_net::{Architecture, FEATURES, InputBatch, PLANES, POLICY_ENTRIES, Weights};
use tablut_rules::{SIZE, SQUARES};

/// A net's parameters as burn tensors.
pub struct BurnNet {
    layers: Layers,
    /// Flat tensors in the order of the layers.
    pub parameters: Vec<Tensor<1>>,
}

impl BurnNet {
    /// Puts `weights` on `device`.
    pub fn new(weights: &Weights, device: &Device) -> Self {
        let Architecture::Residual(residual) = weights.architecture() else { panic!("a residual net") };
        let layers = residual.layers();
        let values = weights.values();
        let parameters = values.iter().map(|values| tensor(values.to_vec(), [values.len()], device)).collect();
        Self { layers, parameters }
    }

    /// Runs the net on a batch.
    pub fn forward(&self, input: &InputBatch, device: &Device) -> Outputs {
        let n = input.n;
        let planes = tensor(input.plane_values(), [n, PLANES, SIZE, SIZE], device);
        let features = tensor(input.features.clone(), [n, FEATURES], device);
        let trunk = self.trunk(planes, features); // [n, C, 9, 9]
        let (wdl, moves_left) = self.value_head(trunk.clone());
        Outputs { policy: self.policy_head(trunk), wdl, moves_left }
    }

    fn trunk(&self, planes: Tensor<4>, features: Tensor<2>) -> Tensor<4> {
        let layers = &self.layers;
        let bias = self.linear(features, &layers.features); // [n, C]
        let mut x = relu(self.convolution(planes, &layers.input) + over_squares(bias)); // [n, C, 9, 9]
        for block in &layers.blocks {
            let h = relu(self.convolution(x.clone(), &block.conv1));
            let mut y = self.convolution(h.clone(), &block.conv2);
            if let Some(layer) = &block.pool {
                y = y + over_squares(self.linear(pool(h), layer));
            }
            x = relu(x + y);
        }
        x
    }

    fn policy_head(&self, trunk: Tensor<4>) -> Tensor<2> {
        let (n, policy) = (trunk.dims()[0], &self.layers.policy);
        let bias = self.linear(pool(trunk.clone()), &policy.pool); // [n, P]
        let p = relu(self.squares(trunk, &policy.conv) + over_squares(bias)); // [n, P, 9, 9]
        self.squares(p, &policy.out).reshape([n, POLICY_ENTRIES])
    }

    fn value_head(&self, trunk: Tensor<4>) -> (Tensor<2>, Tensor<2>) {
        let value = &self.layers.value;
        let v = relu(self.squares(trunk, &value.conv)); // [n, V, 9, 9]
        let h = relu(self.linear(pool(v), &value.hidden)); // [n, H]
        (self.linear(h.clone(), &value.out), softplus(self.linear(h, &value.moves_left), 1.0))
    }

    /// A 3×3 convolution padded with zeros.
    fn convolution(&self, x: Tensor<4>, layer: &Convolution) -> Tensor<4> {
        let weight = self.parameter(layer.weight).reshape([layer.outputs, layer.inputs, 3, 3]);
        conv2d(x, weight, Some(self.parameter(layer.bias)), ConvOptions::new([1, 1], [1, 1], [1, 1], 1))
    }

    /// A dense layer on the channels of each square.
    fn squares(&self, x: Tensor<4>, layer: &Linear) -> Tensor<4> {
        let weight = self.parameter(layer.weight).reshape([layer.outputs, layer.inputs, 1, 1]);
        let bias = layer.bias.map(|bias| self.parameter(bias));
        conv2d(x, weight, bias, ConvOptions::new([1, 1], [0, 0], [1, 1], 1))
    }

    /// `x · weightᵀ`, plus the bias if the layer has one: `[n, in]` → `[n, out]`.
    fn linear(&self, x: Tensor<2>, layer: &Linear) -> Tensor<2> {
        let weight = self.parameter(layer.weight).reshape([layer.outputs, layer.inputs]);
        let product = x.matmul(weight.transpose());
        match layer.bias {
            Some(bias) => product + self.parameter(bias).reshape([1, layer.outputs]),
            None => product,
        }
    }

    fn parameter(&self, id: ParameterId) -> Tensor<1> {
        self.parameters[id.index()].clone()
    }
}

/// Mean and maximum over the squares: `[n, C, 9, 9]` → `[n, 2C]`.
fn pool(x: Tensor<4>) -> Tensor<2> {
    let [n, c, ..] = x.dims();
    let x = x.reshape([n, c, SQUARES]);
    let mean = x.clone().mean_dim(2).reshape([n, c]);
    let max = x.max_dim(2).reshape([n, c]);
    Tensor::cat(vec![mean, max], 1)
}

/// `[n, C]` → `[n, C, 1, 1]`, which broadcasts over the squares.
fn over_squares(x: Tensor<2>) -> Tensor<4> {
    let [n, c] = x.dims();
    x.reshape([n, c, 1, 1])
}

fn tensor<const D: usize>(values: Vec<f32>, dims: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, dims), device)
}
