//! Steps with burn's operations, on any of its devices. Weights, moments and averages stay on the device. A step reads
//! back only the loss and two norms.

mod loss;
pub(crate) mod moves;
mod muon;
mod product_net;
mod tensors;

use std::convert::Infallible;

use burn::tensor::{Device, FloatDType, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::Architecture;

pub use self::loss::{LossTensors, loss};
pub use self::product_net::{Multiply, Outputs, ProductNet};
use self::tensors::{host_values, sum_of, tensor};
use crate::gradient_backend::{GradientBackend, StepError, StepReport, check_finite};
use crate::learner::LearnerState;
use crate::optimizer::{BETA1, BETA2, EPSILON, OptimizerConfig, ParamState, StepConstants, muon_dims};

/// A tensor's state on a device, every array flat and without autodiff.
type DeviceParam = ParamState<Tensor<1>>;

/// The weights and the optimiser's state on a device.
pub struct BurnBackend {
    architecture: Architecture,
    /// An autodiff device.
    device: Device,
    /// How it multiplies matrices.
    multiply: Multiply,
    params: Vec<DeviceParam>,
    steps: u64,
    optimizer: OptimizerConfig,
}

impl BurnBackend {
    /// A learner that continues from `state` on `device`. Its net must be residual.
    pub fn new(device: Device, multiply: Multiply, state: &LearnerState, optimizer: OptimizerConfig) -> Self {
        let plain = device.clone().without_autodiff();
        let put = |values: &Vec<f32>| Ok::<_, Infallible>(tensor(values.clone(), [values.len()], &plain));
        let Ok(params) = state.params.iter().map(|param| param.try_map(put)).collect::<Result<_, Infallible>>();
        let (architecture, steps) = (state.architecture.clone(), state.steps);
        Self { architecture, device: device.autodiff(), multiply, params, steps, optimizer }
    }

    /// The loss on `batch` and the gradients of all parameters, in their order, in main memory.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    pub fn gradients(&self, batch: &TrainingBatch) -> Result<(LossParts, Vec<Vec<f32>>), StepError> {
        let (parts, gradients) = self.differentiate(batch);
        let gradients = gradients.into_iter().map(host_values).collect::<Result<_, _>>()?;
        Ok((parts.read(batch, Vec::new())?.0, gradients))
    }

    /// Like [`Self::gradients`], with the values on the device.
    fn differentiate(&self, batch: &TrainingBatch) -> (LossTensors, Vec<Tensor<1>>) {
        let leaf = |param: &DeviceParam| param.weights.clone().autodiff().require_grad();
        let leaves: Vec<_> = self.params.iter().map(leaf).collect();
        let layers = self.architecture.residual().expect("checked at the start").layers();
        let net = ProductNet::of_tensors(layers, &leaves, self.multiply, FloatDType::F32);
        let parts = loss(net.forward(&batch.input, &self.device), batch, &self.device);
        let mut gradients = parts.total.backward();
        let gradient = |leaf: &Tensor<1>| {
            let none = || leaf.clone().without_autodiff().zeros_like();
            leaf.grad_remove(&mut gradients).unwrap_or_else(none)
        };
        (parts, leaves.iter().map(gradient).collect())
    }
}

impl GradientBackend for BurnBackend {
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError> {
        let (parts, gradients) = self.differentiate(batch);
        let step = self.steps + 1;
        let norm = norm(&gradients);
        let clip = norm.clone().recip().mul_scalar(self.optimizer.max_gradient_norm).clamp_max(1.0);
        let constants = StepConstants::new(&self.optimizer, step, learning_rate);
        let updated = |(param, gradient): (&DeviceParam, Tensor<1>)| {
            let gradient = gradient * clip.clone();
            match muon_dims(&param.dims) {
                Some(dims) => param.updated_by_muon(gradient, dims, self.multiply, &constants),
                None => param.updated_by_adamw(gradient, &constants),
            }
        };
        let params: Vec<_> = self.params.iter().zip(gradients).map(updated).collect();
        let weights: Vec<_> = params.iter().map(|param| param.weights.clone()).collect();
        let (loss, norms) = parts.read(batch, vec![norm, self::norm(&weights)])?;
        check_finite(step, &loss, norms[0])?;
        (self.params, self.steps) = (params, step);
        Ok(StepReport { loss, gradient_norm: norms[0], weight_norm: norms[1] })
    }

    fn state(&self) -> Result<LearnerState, StepError> {
        let read = |values: &Tensor<1>| host_values(values.clone());
        let params = self.params.iter().map(|param| param.try_map(read)).collect::<Result<_, StepError>>()?;
        Ok(LearnerState { architecture: self.architecture.clone(), params, steps: self.steps })
    }
}

impl DeviceParam {
    /// One step of `AdamW`, as in [`crate::optimizer::step`].
    fn updated_by_adamw(&self, gradient: Tensor<1>, c: &StepConstants) -> Self {
        let decay = if self.decays() { c.decay } else { 0.0 };
        let momentum = self.momentum.clone() * BETA1 + gradient.clone() * (1.0 - BETA1);
        let square = self.square.clone() * BETA2 + gradient.clone() * gradient * (1.0 - BETA2);
        let root = (square.clone() / c.correction2).sqrt() + EPSILON;
        let update = (momentum.clone() / c.correction1) / root;
        self.moved(update, decay, momentum, square, c)
    }

    /// One step of Muon, as in [`crate::optimizer::step`].
    fn updated_by_muon(&self, gradient: Tensor<1>, dims: [usize; 2], multiply: Multiply, c: &StepConstants) -> Self {
        let (momentum, update) = muon::update(self.momentum.clone(), gradient, dims, multiply);
        self.moved(update, c.decay, momentum, self.square.clone(), c)
    }

    /// The tensor after an update for a learning rate of 1, with the optimiser's new moments.
    fn moved(&self, update: Tensor<1>, decay: f32, momentum: Tensor<1>, square: Tensor<1>, c: &StepConstants) -> Self {
        let weights = self.weights.clone() - (self.weights.clone() * decay + update * c.learning_rate);
        let average = self.average.clone() + (weights.clone() - self.average.clone()) * (1.0 - c.average_decay);
        Self { name: self.name.clone(), dims: self.dims.clone(), weights, momentum, square, average }
    }
}

/// The norm of several tensors together, `[1]`.
fn norm(tensors: &[Tensor<1>]) -> Tensor<1> {
    let squares = tensors.iter().map(|tensor| sum_of(tensor.clone() * tensor.clone())).collect();
    sum_of(Tensor::cat(squares, 0)).sqrt()
}
