//! Steps with burn's operations, on any of its devices. Weights, moments and averages stay on the device. A step reads
//! back only the loss and two norms.

use burn::tensor::{Device, FloatDType, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::Architecture;

use crate::burn_net::{BurnNet, host_values, sum_of, tensor};
use crate::gradient_backend::{GradientBackend, StepReport, check_finite};
use crate::learner::LearnerState;
use crate::loss::{LossTensors, loss};
use crate::muon;
use crate::optimizer::{BETA1, BETA2, EPSILON, OptimizerConfig, ParamState, StepConstants, muon_dims};
use crate::product_net::{Multiply, ProductNet};
use crate::step_error::StepError;

/// The weights and the optimiser's state on a device.
pub struct BurnBackend {
    architecture: Architecture,
    /// An autodiff device.
    device: Device,
    params: Vec<DeviceParam>,
    steps: u64,
    optimizer: OptimizerConfig,
    /// How convolutions are matrix products, if they are.
    products: Option<Multiply>,
}

/// A [`ParamState`] on a device, every tensor flat and without autodiff.
#[derive(Clone)]
struct DeviceParam {
    name: String,
    dims: Vec<usize>,
    weights: Tensor<1>,
    momentum: Tensor<1>,
    square: Tensor<1>,
    average: Tensor<1>,
}

impl BurnBackend {
    /// A learner that continues from `state` on `device`.
    pub fn new(device: Device, state: &LearnerState, optimizer: OptimizerConfig) -> Self {
        let plain = device.clone().without_autodiff();
        let param = |param: &ParamState| {
            let put = |values: &Vec<f32>| tensor(values.clone(), [values.len()], &plain);
            DeviceParam {
                name: param.name.clone(),
                dims: param.dims.clone(),
                weights: put(&param.weights),
                momentum: put(&param.momentum),
                square: put(&param.square),
                average: put(&param.average),
            }
        };
        Self {
            architecture: state.architecture.clone(),
            device: device.autodiff(),
            params: state.params.iter().map(param).collect(),
            steps: state.steps,
            optimizer,
            products: None,
        }
    }

    /// The same learner. It computes convolutions as matrix products ([`ProductNet`]), as devices need it.
    #[must_use]
    pub fn with_products(self, multiply: Multiply) -> Self {
        Self { products: Some(multiply), ..self }
    }

    /// The same on the CPU, the reference for [`crate::CpuBackend`].
    pub fn on_cpu(state: &LearnerState, optimizer: OptimizerConfig) -> Self {
        Self::new(Device::flex(), state, optimizer)
    }

    /// The loss on `batch` and the gradients of all parameters, in their order, read back.
    pub fn gradients(&self, batch: &TrainingBatch) -> Result<(LossParts, Vec<Vec<f32>>), StepError> {
        let (parts, gradients) = self.differentiate(batch);
        let gradients = gradients.into_iter().map(host_values).collect::<Result<_, _>>()?;
        Ok((parts.read(batch, Vec::new())?.0, gradients))
    }

    /// The same on the device.
    fn differentiate(&self, batch: &TrainingBatch) -> (LossTensors, Vec<Tensor<1>>) {
        let leaf = |param: &DeviceParam| param.weights.clone().autodiff().require_grad();
        let leaves: Vec<_> = self.params.iter().map(leaf).collect();
        let layers = self.architecture.layers();
        let outputs = if let Some(multiply) = self.products {
            ProductNet::of_tensors(layers, &leaves, multiply, FloatDType::F32).forward(&batch.input, &self.device)
        } else {
            BurnNet::of_tensors(layers, leaves.clone()).forward(&batch.input, &self.device)
        };
        let parts = loss(outputs, batch, &self.device);
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
        let multiply = self.products.unwrap_or(Multiply::Matrices);
        let updated = |(param, gradient): (&DeviceParam, Tensor<1>)| {
            let gradient = gradient * clip.clone();
            match muon_dims(&param.dims) {
                Some(dims) => param.updated_by_muon(gradient, dims, multiply, &constants),
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
        let param = |param: &DeviceParam| {
            Ok(ParamState {
                name: param.name.clone(),
                dims: param.dims.clone(),
                weights: host_values(param.weights.clone())?,
                momentum: host_values(param.momentum.clone())?,
                square: host_values(param.square.clone())?,
                average: host_values(param.average.clone())?,
            })
        };
        let params = self.params.iter().map(param).collect::<Result<_, StepError>>()?;
        Ok(LearnerState { architecture: self.architecture.clone(), params, steps: self.steps })
    }
}

impl DeviceParam {
    /// One step of `AdamW`, as [`crate::optimizer::step`] takes it.
    fn updated_by_adamw(&self, gradient: Tensor<1>, c: &StepConstants) -> Self {
        let decay = if self.dims.len() > 1 { c.decay } else { 0.0 };
        let momentum = self.momentum.clone() * BETA1 + gradient.clone() * (1.0 - BETA1);
        let square = self.square.clone() * BETA2 + gradient.clone() * gradient * (1.0 - BETA2);
        let root = (square.clone() / c.correction2).sqrt() + EPSILON;
        let update = (momentum.clone() / c.correction1) / root;
        self.moved(update, decay, momentum, square, c)
    }

    /// One step of Muon, as [`crate::optimizer::step`] takes it.
    fn updated_by_muon(&self, gradient: Tensor<1>, dims: [usize; 2], multiply: Multiply, c: &StepConstants) -> Self {
        let (momentum, update) = muon::tensor_update(self.momentum.clone(), gradient, dims, multiply);
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
