//! Errors of a training step.

use tablut_kernels::{BF16_LANES, SimdError};

/// A training step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A number is infinite or not a number.
    #[error(
        "learning diverged at step {step}: the {what} is {value}; a lower learning rate or maximum gradient norm may \
         help (the last checkpoint is intact)"
    )]
    Diverged {
        /// The step, counted from 1.
        step: u64,
        /// Loss or gradient norm.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// The device has failed.
    #[error("learning: {0} (the last checkpoint is intact)")]
    Device(String),
    /// The machine has no matrix registers.
    #[error("learning in bf16 needs Linux, a processor with AMX (Intel, since 2023), and AVX-512 not disabled")]
    NoAmx,
    /// The net's number of channels does not fill the matrix registers.
    #[error("learning in bf16 needs a multiple of {BF16_LANES} channels, found {found}")]
    Channels {
        /// The net's number of channels.
        found: usize,
    },
    /// The processor does not support the instruction set in `TABLUT_SIMD`.
    #[error(transparent)]
    Simd(#[from] SimdError),
}
