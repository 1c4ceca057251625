//! The net as burn sees it: the same forward pass for training and for inference on any device.

use burn::tensor::activation::{relu, softplus};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use tablut_net::{FEATURES, InputBatch, NetShape, PLANES, POLICY_ENTRIES, Weights};
use tablut_rules::{SIZE, SQUARES};

/// Plies that one unit of the moves-left head stands for.
pub const MOVES_LEFT_UNIT: f64 = 32.0;

/// A net's parameters as burn tensors, each flat, in the order of [`NetShape::tensors`].
pub struct BurnNet {
    shape: NetShape,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    dims: Vec<usize>,
    values: Tensor<1>,
}

/// What the heads give, before the softmax and in the units of the loss.
pub struct Heads {
    /// Policy tables, `[n, POLICY_ENTRIES]`.
    pub policy: Tensor<2>,
    /// Logits of attackers win, draw, defenders win, `[n, 3]`.
    pub wdl: Tensor<2>,
    /// Plies to the end in units of 32, at least 0, `[n, 1]`.
    pub moves_left: Tensor<2>,
}

impl BurnNet {
    /// Puts `weights` on `device`; on an autodiff device every parameter asks for its gradient.
    pub fn new(weights: &Weights, device: &Device) -> Self {
        let parameters = weights
            .shape()
            .tensors()
            .into_iter()
            .map(|spec| {
                let data = weights.get(&spec.name).data.clone();
                let values = Tensor::from_data(TensorData::new(data, [spec.len()]), device);
                let values = if device.is_autodiff() { values.require_grad() } else { values };
                Parameter { name: spec.name, dims: spec.dims, values }
            })
            .collect();
        Self { shape: weights.shape(), parameters }
    }

    /// Gradients of all parameters, flat, in the order of [`NetShape::tensors`]; zeros where none reached one.
    pub fn gradients(&self, gradients: &Gradients) -> Vec<Vec<f32>> {
        let host = |parameter: &Parameter| match parameter.values.grad(gradients) {
            Some(gradient) => host_values(gradient),
            None => vec![0.0; parameter.dims.iter().product()],
        };
        self.parameters.iter().map(host).collect()
    }

    /// Runs the net on a batch.
    pub fn forward(&self, input: &InputBatch, device: &Device) -> Heads {
        let n = input.n;
        let planes = Tensor::from_data(TensorData::new(input.planes.clone(), [n, PLANES, SIZE, SIZE]), device);
        let features = Tensor::from_data(TensorData::new(input.features.clone(), [n, FEATURES]), device);
        let trunk = self.trunk(planes, features); // [n, C, 9, 9]
        let moves_left_and_wdl = self.value_head(trunk.clone());
        Heads {
            policy: self.policy_head(trunk), // [n, POLICY_ENTRIES]
            wdl: moves_left_and_wdl.0,
            moves_left: moves_left_and_wdl.1,
        }
    }

    fn trunk(&self, planes: Tensor<4>, features: Tensor<2>) -> Tensor<4> {
        let bias = self.linear(features, "trunk.features"); // [n, C]
        let mut x = relu(self.convolution(planes, "trunk.input") + over_squares(bias)); // [n, C, 9, 9]
        for block in 0..self.shape.blocks {
            let h = relu(self.convolution(x.clone(), &format!("trunk.block{block}.conv1")));
            let mut y = self.convolution(h.clone(), &format!("trunk.block{block}.conv2"));
            if NetShape::pools(block) {
                y = y + over_squares(self.linear(pool(h), &format!("trunk.block{block}.pool")));
            }
            x = relu(x + y);
        }
        x
    }

    fn policy_head(&self, trunk: Tensor<4>) -> Tensor<2> {
        let n = trunk.dims()[0];
        let bias = self.linear(pool(trunk.clone()), "policy.pool"); // [n, C]
        let p = relu(self.convolution(trunk, "policy.conv") + over_squares(bias)); // [n, C, 9, 9]
        self.convolution(p, "policy.out").reshape([n, POLICY_ENTRIES])
    }

    fn value_head(&self, trunk: Tensor<4>) -> (Tensor<2>, Tensor<2>) {
        let v = relu(self.convolution(trunk, "value.conv")); // [n, V, 9, 9]
        let h = relu(self.linear(pool(v), "value.hidden")); // [n, H]
        (self.linear(h.clone(), "value.out"), softplus(self.linear(h, "moves_left"), 1.0))
    }

    /// A 3×3 convolution padded with zeros, or a 1×1 one, as the tensor's dimensions say; with bias.
    fn convolution(&self, x: Tensor<4>, layer: &str) -> Tensor<4> {
        let weight = self.parameter(&format!("{layer}.weight"));
        let kernel = weight.dims.get(2).copied().unwrap_or(1);
        let dims = [weight.dims[0], weight.dims[1], kernel, kernel];
        let bias = self.parameter(&format!("{layer}.bias"));
        let options = ConvOptions::new([1, 1], [kernel / 2, kernel / 2], [1, 1], 1);
        conv2d(x, weight.values.clone().reshape(dims), Some(bias.values.clone()), options)
    }

    /// `x · weightᵀ`, plus the bias where the layer has one: `[n, in]` → `[n, out]`.
    fn linear(&self, x: Tensor<2>, layer: &str) -> Tensor<2> {
        let weight = self.parameter(&format!("{layer}.weight"));
        let product = x.matmul(weight.values.clone().reshape([weight.dims[0], weight.dims[1]]).transpose());
        match self.find(&format!("{layer}.bias")) {
            Some(bias) => product + bias.values.clone().reshape([1, bias.dims[0]]),
            None => product,
        }
    }

    fn find(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    fn parameter(&self, name: &str) -> &Parameter {
        self.find(name).unwrap_or_else(|| panic!("a net of shape {} has no tensor `{name}`", self.shape))
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

/// A tensor's values on the host.
///
/// # Panics
/// When the device fails to read back, which the CPU does not.
pub fn host_values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec_as::<f32>().expect("a float tensor converts to f32")
}
