//! Steps with burn's operations, on any of its devices. Weights, moments and averages stay on the device. A step reads
//! back only the loss and two norms.

mod flat_optimizer;
mod line_net;
mod loss;
mod moves;
mod tensors;

use burn::tensor::{Device, Tensor};
use tablut_games::{LossParts, TrainingBatch};
use tablut_net::Architecture;

use self::flat_optimizer::{FlatOptimizer, FlatState, norm};
pub(crate) use self::line_net::BurnLineNet;
use self::loss::{LossTensors, loss};
pub use self::tensors::Multiply;
pub(crate) use self::tensors::{host_values, tensor};
use crate::gradient_backend::{GradientBackend, StepError, StepReport, check_finite};
use crate::learner::LearnerState;
use crate::optimizer::{OptimizerConfig, ParamState, StepConstants};

/// The weights and the optimiser's state on a device.
pub struct BurnBackend {
    architecture: Architecture,
    net: BurnLineNet,
    device: Device,
    state: FlatState,
    steps: u64,
    optimizer: FlatOptimizer,
    config: OptimizerConfig,
}

impl BurnBackend {
    /// A learner that continues from `state` on `device`.
    pub fn new(device: Device, multiply: Multiply, state: &LearnerState, config: OptimizerConfig) -> Self {
        let device = device.without_autodiff();
        let flat = |values: fn(&ParamState) -> &Vec<f32>| {
            let values: Vec<f32> = state.params.iter().flat_map(values).copied().chain([0.0]).collect();
            let len = values.len();
            tensor(values, [len], &device)
        };
        Self {
            architecture: state.architecture,
            net: BurnLineNet::new(state.architecture.layers(), device.clone().autodiff(), multiply),
            state: FlatState {
                weights: flat(|param| &param.weights),
                momentum: flat(|param| &param.momentum),
                square: flat(|param| &param.square),
                average: flat(|param| &param.average),
            },
            steps: state.steps,
            optimizer: FlatOptimizer::new(&state.params, &device, multiply),
            config,
            device,
        }
    }

    /// The loss on `batch` and the gradients of all parameters, in their order, in main memory.
    pub fn gradients(&self, batch: &TrainingBatch) -> Result<(LossParts, Vec<Vec<f32>>), StepError> {
        let (parts, gradient) = self.differentiate(batch);
        let gradients = self.divided(&host_values(gradient)?);
        Ok((parts.read(batch, Vec::new())?.0, gradients))
    }

    /// The loss on `batch` and its gradient, flat.
    fn differentiate(&self, batch: &TrainingBatch) -> (LossTensors, Tensor<1>) {
        let mut first = 0;
        let leaf = |len: usize| {
            let weights = self.state.weights.clone().narrow(0, first, len);
            first += len;
            weights.autodiff().require_grad()
        };
        let leaves: Vec<_> = self.lengths().map(leaf).collect();
        let parts = loss(self.net.forward(&leaves, &batch.input), batch, &self.device.clone().autodiff());
        let mut gradients = parts.total.backward();
        let gradient = |leaf: &Tensor<1>| {
            let none = || leaf.clone().without_autodiff().zeros_like();
            leaf.grad_remove(&mut gradients).unwrap_or_else(none)
        };
        let zero = Tensor::zeros([1], &self.device);
        (parts, Tensor::cat(leaves.iter().map(gradient).chain([zero]).collect(), 0))
    }

    /// The values of each parameter.
    fn divided(&self, flat: &[f32]) -> Vec<Vec<f32>> {
        let mut values = flat.iter().copied();
        self.lengths().map(|len| values.by_ref().take(len).collect()).collect()
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        self.net.layers().parameters().iter().map(tablut_net::Parameter::len)
    }
}

impl GradientBackend for BurnBackend {
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError> {
        let (parts, gradient) = self.differentiate(batch);
        let step = self.steps + 1;
        let gradient_norm = norm(&gradient);
        let clip = gradient_norm.clone().recip().mul_scalar(self.config.max_gradient_norm).clamp_max(1.0);
        let constants = StepConstants::new(&self.config, step, learning_rate);
        let state = self.optimizer.updated(&self.state, gradient * clip, &constants);
        let (loss, norms) = parts.read(batch, vec![gradient_norm, norm(&state.weights)])?;
        check_finite(step, &loss, norms[0])?;
        (self.state, self.steps) = (state, step);
        Ok(StepReport { loss, gradient_norm: norms[0], weight_norm: norms[1] })
    }

    fn state(&self) -> Result<LearnerState, StepError> {
        let FlatState { weights, momentum, square, average } = self.state.clone();
        let [weights, momentum, square, average] = [weights, momentum, square, average].map(|values| {
            let values = host_values(values)?;
            Ok::<_, StepError>(self.divided(&values).into_iter())
        });
        let (mut weights, mut momentum, mut square, mut average) = (weights?, momentum?, square?, average?);
        let param = |parameter: &tablut_net::Parameter| {
            let mut next = || Some([weights.next()?, momentum.next()?, square.next()?, average.next()?]);
            let [weights, momentum, square, average] = next().expect("values of every parameter");
            let (name, dims) = (parameter.name.clone(), parameter.dims.clone());
            ParamState { name, dims, weights, momentum, square, average }
        };
        let params = self.net.layers().parameters().iter().map(param).collect();
        Ok(LearnerState { architecture: self.architecture, params, steps: self.steps })
    }
}
