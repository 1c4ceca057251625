//! A device of burn's: nets that evaluate on it and learners.

use std::sync::Arc;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::{FEATURES, Inference, InputBatch, MOVES_LEFT_UNIT, NetDevice, NetError, OutputBatch, PLANES, Weights};
use tablut_rules::Bitboard;

use super::guard::{Quiet, guarded};
use crate::burn_backend::{BurnBackend, BurnLineNet, Multiply, host_values, tensor};
use crate::gradient_backend::{GradientBackend, LearningDevice, StepError, StepReport};
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// Values of a position in addition to its moves' logits: three for the outcome, and the moves left.
const OTHERS: usize = 4;
/// The number of positions is rounded up to a multiple of this, so that few tensor shapes occur.
const ROWS_STEP: usize = 8;

/// A device that computes in 32-bit numbers.
pub(super) struct BurnDevice {
    pub name: Arc<str>,
    pub device: Device,
    pub multiply: Multiply,
}

impl NetDevice for BurnDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self, weights: &Weights) -> Result<Box<dyn Inference>, NetError> {
        let layers = weights.architecture().layers();
        let put = || {
            let put = |values: &[f32]| tensor(values.to_vec(), [values.len()], &self.device);
            let parameters = weights.values().iter().map(put).collect();
            Ok((BurnLineNet::new(layers, self.device.clone(), self.multiply), parameters))
        };
        let net = guarded(&self.name, put).map_err(|error| failed(&error))?;
        Ok(Box::new(NetOnDevice { net: Quiet::new(net), device: self.name.clone() }))
    }
}

impl LearningDevice for BurnDevice {
    fn learner(&self, state: &LearnerState, optimizer: OptimizerConfig) -> Result<Box<dyn GradientBackend>, StepError> {
        let put = || Ok(BurnBackend::new(self.device.clone(), self.multiply, state, optimizer));
        let learner = Quiet::new(guarded(&self.name, put)?);
        Ok(Box::new(LearnerOnDevice { learner, device: self.name.clone() }))
    }
}

fn failed(error: &StepError) -> NetError {
    NetError::Inference(error.to_string())
}

/// A net and its parameters, for one thread.
struct NetOnDevice {
    net: Quiet<(BurnLineNet, Vec<Tensor<1>>)>,
    device: Arc<str>,
}

impl Inference for NetOnDevice {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        input.validate_moves()?;
        output.clear();
        if input.n == 0 {
            return Ok(());
        }
        let (net, parameters) = self.net.get();
        let evaluate = || {
            let outputs = net.forward(parameters, &padded(input));
            let width = outputs.logits.dims()[1];
            let values = vec![outputs.logits, softmax(outputs.wdl, 1), outputs.moves_left];
            Ok((width, host_values(Tensor::cat(values, 1))?)) // [rows, width + OTHERS]
        };
        let (width, values) = guarded(&self.device, evaluate).map_err(|error| failed(&error))?;
        for (row, values) in values.chunks_exact(width + OTHERS).take(input.n).enumerate() {
            let (logits, others) = values.split_at(width);
            output.logits.extend_from_slice(&logits[..input.move_range(row).len()]);
            output.wdl.push([others[0], others[1], others[2]]);
            output.moves_left.push(others[3] * MOVES_LEFT_UNIT);
        }
        Ok(())
    }
}

/// The batch with empty positions at the end.
fn padded(input: &InputBatch) -> InputBatch {
    let mut padded = input.clone();
    padded.n = input.n.next_multiple_of(ROWS_STEP);
    padded.sizes.resize(padded.n, input.sizes[input.n - 1]);
    padded.planes.resize(padded.n * PLANES, Bitboard::EMPTY);
    padded.features.resize(padded.n * FEATURES, 0.0);
    padded.move_ends.resize(padded.n, input.moves.len() as u32);
    padded
}

/// A learner whose device's panics become errors.
struct LearnerOnDevice {
    learner: Quiet<BurnBackend>,
    device: Arc<str>,
}

impl GradientBackend for LearnerOnDevice {
    fn step(&mut self, batch: &TrainingBatch, learning_rate: f32) -> Result<StepReport, StepError> {
        let learner = self.learner.get_mut();
        guarded(&self.device, || learner.step(batch, learning_rate))
    }

    fn state(&self) -> Result<LearnerState, StepError> {
        guarded(&self.device, || self.learner.get().state())
    }
}
