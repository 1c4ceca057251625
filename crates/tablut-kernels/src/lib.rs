//! Convolutions and their neighbours, for many small images at once, on a CPU.
//!
//! The crate knows no game: images are grids whose sides are multiples of three, activations are channels-last
//! (`[square][channel]`) with the channels in multiples of sixteen. It holds
//!
//! - [`Simd`]: which instructions to use, chosen at run time or forced by `TABLUT_SIMD=avx512|avx2|plain`;
//! - [`Kernels`]: every kernel as a safe method that checks the sizes of what it is given;
//! - [`Convolution`]: a 3×3 convolution by Winograd's F(3×3, 3×3), which needs 25 products for each tile of nine
//!   squares where the direct form needs 81;
//! - [`Matrix`]: a packed matrix for products, hence 1×1 convolutions and dense layers;
//! - [`PointSums`] and [`GradientEpilogue`]: gradients of convolutions, for learning;
//! - [`Bf16Kernels`]: direct convolutions in bf16 on Intel's matrix registers, for nets that may be rounded;
//! - [`reference`](mod@reference): the same arithmetic written as plainly as possible, for tests.
//!
//! # Fixed bits
//!
//! Every output element is one chain of operations in an order that depends on the layer alone: never on how many
//! images are computed together, nor on where an image stands among them. [`Simd::Avx2`] and [`Simd::Avx512`] give the
//! same bits; [`Simd::Plain`] rounds products and sums apart and so differs slightly.
//!
//! This is the one crate of the workspace that uses `unsafe`: for vector instructions, and for reads whose bounds were
//! checked at the door.

#![allow(unsafe_code, reason = "vector instructions; each block states why it is sound")]
#![allow(clippy::inline_always, reason = "vectors stay in registers only where everything around them is inlined")]
#![allow(clippy::needless_range_loop, reason = "kernels index several arrays by one letter")]

mod aligned;
mod bf16;
mod kernels;
mod lanes;
mod matrix;
mod outer;
mod pointwise;
mod product;
pub mod reference;
mod rows;
mod simd;
mod winograd;

pub use aligned::Aligned;
pub use bf16::{BF16_LANES, Bf16Convolution, Bf16Epilogue, Bf16Images, Bf16Kernels};
pub use kernels::{Epilogue, GradientEpilogue, Kernels};
pub use lanes::LANES;
pub use matrix::Matrix;
pub use rows::Rows;
pub use simd::{Simd, SimdError};
pub use winograd::weights::PointSums;
pub use winograd::{Convolution, Grid, Transformed};
