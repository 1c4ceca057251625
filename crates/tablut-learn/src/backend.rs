//! The backends by name, for configs.

use serde::{Deserialize, Serialize};

use crate::burn_backend::BurnBackend;
use crate::cpu_backend::CpuBackend;
use crate::error::StepError;
use crate::gradient_backend::GradientBackend;
use crate::learner::LearnerState;
use crate::loss_parts::LossWeights;
use crate::optimizer::{OptimizerConfig, OptimizerKind};

/// The backend that computes the steps.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The program's own kernels, on the threads of the current rayon pool.
    #[default]
    Cpu,
    /// burn's operations on the CPU. It is slower. It is the reference, and other devices will use the same code.
    Burn,
}

impl Backend {
    /// A learner that continues from `state`.
    ///
    /// # Errors
    /// The state is of another optimiser, the backend does not know the optimiser, or the machine does not support it.
    pub fn open(
        self,
        state: LearnerState,
        loss: LossWeights,
        optimizer: OptimizerConfig,
    ) -> Result<Box<dyn GradientBackend>, StepError> {
        optimizer.kind.check(state.optimizer)?;
        Ok(match self {
            Backend::Cpu => Box::new(CpuBackend::new(state, loss, optimizer)?),
            Backend::Burn if optimizer.kind != OptimizerKind::AdamW => {
                return Err(StepError::OptimizerBackend { kind: optimizer.kind.name(), backend: "burn" });
            }
            Backend::Burn => Box::new(BurnBackend::on_cpu(&state, loss, optimizer)),
        })
    }
}
