//! What follows a convolution in bf16, as callers ask for it.

use super::images::Bf16Images;

/// What follows a convolution in bf16: `relu(convolution + bias)`, or with `residual`
/// `relu(full + convolution + bias)`. At least one of the places for it should be given.
#[derive(Debug)]
pub struct Bf16Epilogue<'a> {
    /// One value per output channel (padded), for each image or, if there is but one row, for all.
    pub bias: &'a [f32],
    /// Whether what `full` already holds is added.
    pub residual: bool,
    /// Where the result goes in f32, `[image][square][channel]`.
    pub full: Option<&'a mut [f32]>,
    /// Where the result goes rounded to bf16.
    pub rounded: Option<&'a mut Bf16Images>,
    /// Where the means of each image's channels and then their maxima go, `[image][2 * channels]`.
    pub pooled: Option<&'a mut [f32]>,
}
