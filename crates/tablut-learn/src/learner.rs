//! The training state, and the learning rate.

use tablut_net::{Architecture, Tensor, Weights};

use crate::optimizer::ParamState;

/// Everything that training changes, in main memory.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerState {
    pub architecture: Architecture,
    /// One state for each parameter of the net, in the order of its layers.
    pub params: Vec<ParamState>,
    /// Steps since the start of the run.
    pub steps: u64,
}

impl LearnerState {
    /// A learner that starts from `weights`.
    pub fn new(weights: &Weights) -> Self {
        let param = |parameter: tablut_net::Parameter| {
            let values = weights.get(&parameter.name).iter().copied().collect();
            ParamState::new(parameter.name, parameter.dims, values)
        };
        let params = weights.architecture().tensors().into_iter().map(param).collect();
        Self { architecture: weights.architecture(), params, steps: 0 }
    }

    pub fn weights(&self) -> Weights {
        self.assemble(|param| &param.weights)
    }

    /// The averaged weights, which are the ones that play.
    pub fn averaged_weights(&self) -> Weights {
        self.assemble(|param| &param.average)
    }

    fn assemble(&self, values: impl Fn(&ParamState) -> &Vec<f32>) -> Weights {
        let tensor = |param: &ParamState| {
            let values = values(param).clone();
            let tensor = Tensor::from_shape_vec(param.dims.clone(), values).expect("values of the tensor's size");
            (param.name.clone(), tensor)
        };
        let tensors = self.params.iter().map(tensor).collect();
        Weights::new(self.architecture, tensors).expect("steps are checked to keep all weights finite")
    }
}

/// The learning rate without the fall at the end: a linear rise to `peak` over `warmup_steps`. `step` counts from 0.
pub(crate) fn learning_rate(step: u64, peak: f32, warmup_steps: u64) -> f32 {
    let rise = if step < warmup_steps { (step + 1) as f32 / warmup_steps as f32 } else { 1.0 };
    peak * rise
}

/// The factor on the learning rate after `progress` of `total` generations. It is 1, and falls linearly to a twentieth
/// over the last `decay_share` of the generations.
pub(crate) fn learning_rate_share(progress: f32, total: f32, decay_share: f32) -> f32 {
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
