//! Steps with the program's own CPU kernels. All gradients are written by hand.

use tablut_games::{LossParts, TrainingBatch};
use tablut_kernels::{BF16_LANES, Bf16Kernels, Kernels};
use tablut_net::layers::Values;
use tablut_net::layers::adjoint::Predictions;
use tablut_net::lines::LineLearner;
use tablut_net::{Architecture, InputBatch};

use crate::gradient_backend::{GradientBackend, StepError, StepReport, check_finite};
use crate::kernel_net::KernelNet;
use crate::learner::LearnerState;
use crate::loss::loss_gradient;
use crate::optimizer::{self, OptimizerConfig, ParamState, StepConstants};

/// The weights and the optimiser's state in main memory. Results do not depend on the number of threads, to the bit.
pub struct CpuBackend {
    net: Net,
    state: LearnerState,
    optimizer: OptimizerConfig,
}

/// A net on the kernels, with the activations of its last batch.
enum Net {
    Residual(Box<KernelNet>),
    Lines(Box<LineLearner>),
}

impl Net {
    fn kernels(&self) -> Kernels {
        match self {
            Self::Residual(net) => net.kernels(),
            Self::Lines(net) => net.kernels(),
        }
    }

    fn set_weights(&mut self, values: &Values<'_>) {
        match self {
            Self::Residual(net) => net.set_weights(values),
            Self::Lines(net) => net.set_weights(values),
        }
    }

    fn forward(&mut self, input: &InputBatch) -> Predictions {
        match self {
            Self::Residual(net) => net.forward(input),
            Self::Lines(net) => net.forward(input),
        }
    }

    fn backward(&mut self, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        match self {
            Self::Residual(net) => net.backward(input, gradient),
            Self::Lines(net) => net.backward(input, gradient),
        }
    }
}

impl CpuBackend {
    /// A learner that continues from `state`.
    ///
    /// # Errors
    /// Returns an error if `TABLUT_SIMD` names an instruction set that this machine does not support.
    pub fn new(state: LearnerState, optimizer: OptimizerConfig) -> Result<Self, StepError> {
        let kernels = Kernels::from_env()?;
        let net = match &state.architecture {
            Architecture::Residual(residual) => Net::Residual(Box::new(KernelNet::new(residual, kernels, None))),
            Architecture::Lines(lines) => Net::Lines(Box::new(LineLearner::new(*lines, kernels))),
        };
        Ok(Self { net, state, optimizer })
    }

    /// Whether nets of this architecture fill the matrix registers, so that they can learn with rounded convolutions.
    pub fn fills_registers(architecture: &Architecture) -> bool {
        matches!(architecture, Architecture::Residual(residual) if residual.channels().is_multiple_of(BF16_LANES))
    }

    /// Like [`CpuBackend::new`], with convolutions in bf16 on matrix registers.
    ///
    /// # Errors
    /// As for [`CpuBackend::new`]. Also returns an error if this machine has no matrix registers or the channels do not
    /// fill them.
    pub fn rounded(state: LearnerState, optimizer: OptimizerConfig) -> Result<Self, StepError> {
        let Architecture::Residual(residual) = &state.architecture else { return Self::new(state, optimizer) };
        if !residual.channels().is_multiple_of(BF16_LANES) {
            return Err(StepError::Channels { found: residual.channels() });
        }
        let bf16 = Bf16Kernels::request().ok_or(StepError::NoAmx)?;
        let net = Net::Residual(Box::new(KernelNet::new(residual, Kernels::from_env()?, Some(bf16))));
        Ok(Self { net, state, optimizer })
    }

    /// The loss on `batch` and the gradients of all parameters, in their order.
    pub fn gradients(&mut self, batch: &TrainingBatch) -> (LossParts, Vec<Vec<f32>>) {
        let Self { net, state, .. } = self;
        net.set_weights(&Values::new(state.params.iter().map(|param| param.weights.as_slice())));
        let predictions = net.forward(&batch.input);
        let (parts, gradient) = loss_gradient(predictions, batch);
        (parts, net.backward(&batch.input, &gradient))
    }
}

impl GradientBackend for CpuBackend {
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError> {
        let (loss, gradients) = self.gradients(batch);
        let step = self.state.steps + 1;
        let gradient_norm = optimizer::global_norm(gradients.iter().map(Vec::as_slice));
        check_finite(step, &loss, gradient_norm)?;
        let constants = StepConstants::new(&self.optimizer, step, learning_rate);
        optimizer::step(&mut self.state.params, &gradients, gradient_norm, &constants, self.net.kernels());
        self.state.steps = step;
        let weight_norm = optimizer::global_norm(self.state.params.iter().map(|param: &ParamState| &*param.weights));
        Ok(StepReport { loss, gradient_norm, weight_norm })
    }

    fn state(&self) -> Result<LearnerState, StepError> {
        Ok(self.state.clone())
    }
}
