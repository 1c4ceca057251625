//! The backends by name, for configs.

use serde::{Deserialize, Serialize};
use tablut_kernels::{BF16_LANES, Simd};
use tablut_net::{Architecture, Precision};

use crate::burn_backend::BurnBackend;
use crate::cpu_backend::CpuBackend;
use crate::error::StepError;
use crate::gradient_backend::GradientBackend;
use crate::learner::LearnerState;
use crate::optimizer::OptimizerConfig;

/// The backend that computes the steps.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The program's own kernels, on the threads of the current rayon pool.
    #[default]
    Cpu,
    /// The program's own kernels with convolutions in bf16 on matrix registers (Intel's AMX), forward and backward. The
    /// trunk's channels must be a multiple of 32.
    Amx,
    /// `amx` where machine and net allow it, otherwise `cpu`.
    Fastest,
    /// burn's operations on the CPU. It is slower. It is the reference, and other devices will use the same code.
    Burn,
}

impl Backend {
    /// Whether the matrix registers can learn nets of this architecture.
    pub fn amx_fits(architecture: &Architecture) -> bool {
        architecture.channels().is_multiple_of(BF16_LANES)
    }

    /// The backend that a run with this one learns with. `fastest` is the one that the run has learnt with so far, or for
    /// a new run what it stands for on this machine.
    ///
    /// # Errors
    /// It is `amx`, and this machine does not have it; or `TABLUT_SIMD` names no instruction set of this machine.
    pub fn settled(self, kept: Option<Backend>, architecture: &Architecture) -> Result<Backend, StepError> {
        let has_amx = || Simd::from_env().map(|_| Precision::Bf16Amx.chosen().is_ok());
        match (self, kept) {
            (Backend::Fastest, Some(Backend::Fastest) | None) => {
                Ok(if has_amx()? && Self::amx_fits(architecture) { Backend::Amx } else { Backend::Cpu })
            }
            (Backend::Fastest, Some(kept)) => kept.settled(None, architecture),
            (Backend::Amx, _) if !has_amx()? => Err(StepError::NoAmx),
            (wanted, _) => Ok(wanted),
        }
    }

    /// A learner that continues from `state`.
    ///
    /// # Errors
    /// The machine does not support the backend.
    pub fn open(self, state: LearnerState, optimizer: OptimizerConfig) -> Result<Box<dyn GradientBackend>, StepError> {
        Ok(match self.settled(None, &state.architecture)? {
            Backend::Amx => Box::new(CpuBackend::rounded(state, optimizer)?),
            Backend::Cpu | Backend::Fastest => Box::new(CpuBackend::new(state, optimizer)?),
            Backend::Burn => Box::new(BurnBackend::on_cpu(&state, optimizer)),
        })
    }
}
