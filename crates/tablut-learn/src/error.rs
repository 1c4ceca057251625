//! Errors of a training step.

use tablut_kernels::SimdError;

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
    #[error("the device that learns has failed: {0} (the last checkpoint is sound)")]
    Device(String),
    /// The processor does not support the instruction set in `TABLUT_SIMD`.
    #[error(transparent)]
    Simd(#[from] SimdError),
}
