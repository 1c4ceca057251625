//! Steps with the program's own CPU kernels. All gradients are written by hand.

use tablut_games::{LossParts, TrainingBatch};
use tablut_kernels::Kernels;
use tablut_net::layers::Values;
use tablut_net::lines::LineLearner;
use tablut_net::{InputBatch, Predictions};

use crate::gradient_backend::{GradientBackend, StepError, StepReport, check_finite};
use crate::learner::LearnerState;
use crate::loss::loss_gradient;
use crate::optimizer::{self, OptimizerConfig, ParamState, StepConstants};

/// The weights and the optimiser's state in main memory. Results do not depend on the number of threads, to the bit.
pub struct CpuBackend {
    net: LineLearner,
    state: LearnerState,
    optimizer: OptimizerConfig,
}

impl CpuBackend {
    /// A learner that continues from `state`.
    pub fn new(state: LearnerState, optimizer: OptimizerConfig) -> Result<Self, StepError> {
        Ok(Self { net: LineLearner::new(state.architecture, Kernels::from_env()?), state, optimizer })
    }

    /// The net's outputs in f32, before the softmax and in the units of the loss.
    pub fn predictions(&mut self, input: &InputBatch) -> Predictions {
        let Self { net, state, .. } = self;
        net.set_weights(&Values::new(state.params.iter().map(|param| param.weights.as_slice())));
        net.forward(input)
    }

    /// The loss on `batch` and the gradients of all parameters, in their order.
    pub fn gradients(&mut self, batch: &TrainingBatch) -> (LossParts, Vec<Vec<f32>>) {
        let predictions = self.predictions(&batch.input);
        let (parts, gradient) = loss_gradient(predictions, batch);
        (parts, self.net.backward(&batch.input, &gradient))
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
