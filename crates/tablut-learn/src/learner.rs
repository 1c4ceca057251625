//! The learner: weights, optimiser state, and the step from a batch to better weights.

use tablut_games::TrainingBatch;
use tablut_net::{NetShape, Tensor, TensorSpec, Weights};

use crate::differentiation::Differentiation;
use crate::loss::{LossParts, LossWeights};
use crate::optimizer::{self, OptimizerConfig, Slot};

/// All that learning changes.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerState {
    /// The net's shape.
    pub shape: NetShape,
    /// One slot for each of [`NetShape::tensors`], in that order.
    pub slots: Vec<Slot>,
    /// Steps taken since the beginning of the run.
    pub steps: u64,
}

/// What one step did.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Parts of the loss before the step.
    pub loss: LossParts,
    /// Norm of all gradients together, before clipping.
    pub gradient_norm: f32,
}

/// A step went wrong.
#[derive(Debug, thiserror::Error)]
#[error(
    "learning diverged at step {step}: the {what} is {value}; a lower learning rate or gradient norm may help \
     (the last checkpoint is sound)"
)]
pub struct Diverged {
    /// The step, counted from 1.
    pub step: u64,
    /// Loss or gradient norm.
    pub what: &'static str,
    /// Its value: infinite or not a number.
    pub value: f32,
}

impl LearnerState {
    /// A learner that starts from `weights`.
    pub fn new(weights: &Weights) -> Self {
        let shape = weights.shape();
        let slot = |spec: TensorSpec| Slot::new(weights.get(&spec.name).data.clone(), spec.fan_in > 0);
        Self { shape, slots: shape.tensors().into_iter().map(slot).collect(), steps: 0 }
    }

    /// The weights being trained.
    pub fn weights(&self) -> Weights {
        self.assemble(|slot| &slot.weights)
    }

    /// The averaged weights, which play.
    pub fn averaged_weights(&self) -> Weights {
        self.assemble(|slot| &slot.average)
    }

    fn assemble(&self, values: impl Fn(&Slot) -> &Vec<f32>) -> Weights {
        let tensors = self.shape.tensors().into_iter().zip(&self.slots);
        let tensors = tensors.map(|(spec, slot)| (spec.name, Tensor { dims: spec.dims, data: values(slot).clone() }));
        Weights::new(self.shape, tensors.collect()).expect("steps are checked to keep all weights finite")
    }

    /// One step on `batch`. The state is unchanged when it fails.
    pub fn step(
        &mut self,
        differentiation: &mut Differentiation,
        batch: &TrainingBatch,
        learning_rate: f32,
        weights: LossWeights,
        config: &OptimizerConfig,
    ) -> Result<StepReport, Diverged> {
        let (parts, gradients) = differentiation.gradients(self, batch, weights);
        let step = self.steps + 1;
        let check = |what, value: f32| if value.is_finite() { Ok(()) } else { Err(Diverged { step, what, value }) };
        check("loss", parts.policy + parts.value + parts.moves_left)?;
        check("gradient norm", optimizer::global_norm(&gradients))?;
        let gradient_norm = optimizer::step(&mut self.slots, &gradients, step, learning_rate, config);
        self.steps = step;
        Ok(StepReport { loss: parts, gradient_norm })
    }
}

/// The learning rate before its fall: a linear rise to `peak` over `warmup_steps`. `step` counts from 0.
pub fn learning_rate(step: u64, peak: f32, warmup_steps: u64) -> f32 {
    let rise = if step < warmup_steps { (step + 1) as f32 / warmup_steps as f32 } else { 1.0 };
    peak * rise
}

/// The share of the learning rate that is left after `progress` of `total` generations: 1, then a linear fall to a
/// twentieth over the last `decay_share` of them.
pub fn learning_rate_share(progress: f32, total: f32, decay_share: f32) -> f32 {
    const FLOOR: f32 = 0.05;
    let decay = total * decay_share;
    let left = (total - progress).max(0.0);
    if left < decay { FLOOR + (1.0 - FLOOR) * left / decay } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_rises_holds_and_falls() {
        assert_eq!([0, 9, 10, 500].map(|step| learning_rate(step, 2.0, 10)), [0.2, 2.0, 2.0, 2.0]);
        assert_eq!([0.0, 5.0].map(|progress| learning_rate_share(progress, 10.0, 0.5)), [1.0, 1.0]);
        assert!((learning_rate_share(7.5, 10.0, 0.5) - 0.525).abs() < 1e-6);
        assert!((learning_rate_share(10.0, 10.0, 0.5) - 0.05).abs() < 1e-6);
    }
}
