//! Where a step's gradients come from: the CPU's own kernels, or burn on any of its devices.

use burn::tensor::Device;
use tablut_games::TrainingBatch;
use tablut_kernels::SimdError;
use tablut_net::{NetShape, Weights};

use crate::kernel_net::KernelNet;
use crate::learner::LearnerState;
use crate::loss::{LossParts, LossWeights, loss, loss_gradient};
use crate::model::BurnNet;

/// Computes losses and gradients. It holds no state of the learning, only room to work in.
pub struct Differentiation(Means);

enum Means {
    Kernels(Box<KernelNet>),
    Burn(Device),
}

impl Differentiation {
    /// On the CPU's own kernels, on the threads of the rayon pool that it is called in; the bits do not depend on
    /// their number. burn differentiates the loss; the net is differentiated by hand.
    ///
    /// # Errors
    /// `TABLUT_SIMD` asks for instructions that this machine lacks.
    pub fn kernels(shape: NetShape) -> Result<Self, SimdError> {
        Ok(Self(Means::Kernels(Box::new(KernelNet::new(shape)?))))
    }

    /// With burn's own operations on `device`, an autodiff device.
    pub fn burn(device: Device) -> Self {
        Self(Means::Burn(device))
    }

    /// With burn's own operations on the CPU, the reference for [`Differentiation::kernels`].
    pub fn burn_on_cpu() -> Self {
        Self::burn(Device::flex().autodiff())
    }

    /// The loss of `learner`'s weights on `batch`, and its gradients in the order of [`NetShape::tensors`].
    pub fn gradients(
        &mut self,
        learner: &LearnerState,
        batch: &TrainingBatch,
        weights: LossWeights,
    ) -> (LossParts, Vec<Vec<f32>>) {
        match &mut self.0 {
            Means::Kernels(net) => {
                let tensors: Vec<&[f32]> = learner.slots.iter().map(|slot| slot.weights.as_slice()).collect();
                net.set_weights(&tensors);
                let (parts, gradient) = loss_gradient(&net.forward(&batch.input), batch, weights);
                (parts, net.backward(&batch.input, &gradient))
            }
            Means::Burn(device) => burn_gradients(&learner.weights(), device, batch, weights),
        }
    }
}

fn burn_gradients(
    net: &Weights,
    device: &Device,
    batch: &TrainingBatch,
    weights: LossWeights,
) -> (LossParts, Vec<Vec<f32>>) {
    let net = BurnNet::new(net, device);
    let (total, parts) = loss(net.forward(&batch.input, device), batch, weights, device);
    (parts, net.gradients(&total.backward()))
}
