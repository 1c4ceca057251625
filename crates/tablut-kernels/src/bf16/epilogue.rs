//! The operations after a convolution in bf16.

use super::images::Bf16Images;

/// The operations after a convolution in bf16: `relu(convolution + bias)`, or with `residual`
/// `relu(full + convolution + bias)`. At least one output should be given.
#[derive(Debug)]
pub struct Bf16Epilogue<'a> {
    /// One value per output channel (padded): one row for each image, or a single row for all.
    pub bias: &'a [f32],
    /// Whether to add the present content of `full`.
    pub residual: bool,
    /// Output in f32, `[image][square][channel]`.
    pub full: Option<&'a mut [f32]>,
    /// Output rounded to bf16.
    pub rounded: Option<&'a mut Bf16Images>,
    /// Output of the means of each image's channels, followed by their maxima, `[image][2 * channels]`.
    pub pooled: Option<&'a mut [f32]>,
}
