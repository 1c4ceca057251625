//! How a training step fails.

use tablut_kernels::{BF16_LANES, SimdError};

/// A training step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A number is infinite or not a number.
    #[error(
        "learning diverged at step {step}: the {what} is {value}; a lower learning rate or gradient norm may help \
         (the last checkpoint is sound)"
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
    #[error("learning: {0} (the last checkpoint is sound)")]
    Device(String),
    /// The machine has no matrix registers.
    #[error("learning in bf16 needs Linux on a processor with AMX (Intel, since 2023) and AVX-512 allowed")]
    NoAmx,
    /// The net has too few channels, or too many, to fill the matrix registers.
    #[error("learning in bf16 needs a multiple of {BF16_LANES} channels, found {found}")]
    Channels {
        /// The net's.
        found: usize,
    },
    /// The processor does not support the instruction set in `TABLUT_SIMD`.
    #[error(transparent)]
    Simd(#[from] SimdError),
}
