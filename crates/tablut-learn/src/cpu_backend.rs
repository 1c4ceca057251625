//! Steps with the program's own CPU kernels. All gradients are written by hand.

use tablut_games::{LossParts, TrainingBatch};
use tablut_kernels::{BF16_LANES, Bf16Kernels, Kernels};
use tablut_net::Architecture;
use tablut_net::layers::Values;

use crate::gradient_backend::{GradientBackend, StepError, StepReport, check_finite};
use crate::kernel_net::KernelNet;
use crate::learner::LearnerState;
use crate::loss::loss_gradient;
use crate::optimizer::{self, OptimizerConfig, ParamState, StepConstants};

/// The weights and the optimiser's state in main memory. Results do not depend on the number of threads, to the bit.
pub struct CpuBackend {
    net: KernelNet,
    state: LearnerState,
    optimizer: OptimizerConfig,
}

impl CpuBackend {
    /// A learner that continues from `state`.
    ///
    /// # Errors
    /// Returns an error if `TABLUT_SIMD` names an instruction set that this machine does not support.
    pub fn new(state: LearnerState, optimizer: OptimizerConfig) -> Result<Self, StepError> {
        Ok(Self { net: KernelNet::new(&state.architecture, Kernels::from_env()?, None), state, optimizer })
    }

    /// Whether nets of this architecture fill the matrix registers, so that they can learn with rounded convolutions.
    pub fn fills_registers(architecture: &Architecture) -> bool {
        architecture.channels().is_multiple_of(BF16_LANES)
    }

    /// Like [`CpuBackend::new`], with convolutions in bf16 on matrix registers.
    ///
    /// # Errors
    /// As for [`CpuBackend::new`]. Also returns an error if this machine has no matrix registers or the channels do not
    /// fill them.
    pub fn rounded(state: LearnerState, optimizer: OptimizerConfig) -> Result<Self, StepError> {
        if !Self::fills_registers(&state.architecture) {
            return Err(StepError::Channels { found: state.architecture.channels() });
        }
        let bf16 = Bf16Kernels::request().ok_or(StepError::NoAmx)?;
        let net = KernelNet::new(&state.architecture, Kernels::from_env()?, Some(bf16));
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
