//! Convolutions and related operations on a CPU, for many small images at once.
//!
//! The crate is independent of games. Images are grids whose sides are multiples of three. Activations are
//! channels-last (`[square][channel]`), and the number of channels is a multiple of sixteen. It contains
//!
//! - [`Simd`]: the instructions to use, chosen at run time or forced by `TABLUT_SIMD=avx512|avx2|neon|plain`;
//! - [`Kernels`]: every kernel as a safe method that checks the sizes of its arguments;
//! - [`Convolution`]: a 3×3 convolution by Winograd's F(3×3, 3×3), which needs 25 products for each tile of nine
//!   squares instead of 81;
//! - [`Matrix`]: a packed matrix for products, that is, for 1×1 convolutions and dense layers;
//! - [`PointSums`] and [`GradientEpilogue`]: gradients of convolutions, for learning;
//! - [`Bf16Kernels`]: direct convolutions in bf16 on Intel's matrix registers, for nets that tolerate rounding;
//! - [`Bf16Vectors`]: Winograd convolutions with products in bf16 on AVX-512, for the same nets;
//! - [`reference`](mod@reference): the same arithmetic in its simplest form, for tests.
//!
//! # Reproducible bits
//!
//! Every output element is one chain of operations. Their order depends only on the layer. It does not depend on how
//! many images are computed together or on an image's place among them. [`Simd::Avx2`],
//! [`Simd::Avx512`] and [`Simd::Neon`] give the same bits. [`Simd::Plain`] and [`Simd::Simd128`] round products and sums
//! separately: they give the same bits as each other, which differ slightly from the rest.
//!
//! This is the only crate of the workspace that uses `unsafe`: for vector instructions, and for reads whose bounds were
//! checked on entry.

#![allow(unsafe_code, reason = "vector instructions; each block states why it is sound")]
#![allow(clippy::inline_always, reason = "vectors stay in registers only where everything around them is inlined")]
#![allow(clippy::needless_range_loop, reason = "kernels index several arrays by one letter")]

mod aligned;
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only code for x86 reads all that is packed"))]
mod bf16;
mod depthwise;
mod int8;
mod kernels;
mod lanes;
mod matrix;
mod outer;
mod pointwise;
mod product;
pub mod reference;
mod simd;
mod winograd;

pub use aligned::Aligned;
pub use bf16::{
    BF16_LANES, Bf16Convolution, Bf16Epilogue, Bf16GradientEpilogue, Bf16Images, Bf16Kernels, Bf16PointConvolution,
    Bf16Tiles, Bf16Vectors, Bf16WeightGradient,
};
pub use int8::{INT8_LANES, Int8Depthwise, Int8Matrix, nearest};
pub use kernels::{Epilogue, GradientEpilogue, Kernels};
pub use lanes::LANES;
pub use matrix::{Matrix, Rows};
pub use simd::{Simd, SimdError};
pub use winograd::weights::PointSums;
pub use winograd::{Convolution, Grid, Transformed};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
