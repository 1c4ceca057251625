//! Products and related operations on a CPU, for layers of small nets.
//!
//! The crate is independent of games. Activations are channels-last (`[square][channel]`), and the number of channels is
//! a multiple of sixteen. It contains
//!
//! - [`Simd`]: the instructions to use, chosen at run time or forced by `TABLUT_SIMD=avx512|avx2|neon|plain`;
//! - [`Kernels`]: every kernel as a safe method that checks the sizes of its arguments;
//! - [`Matrix`]: a packed matrix for products, that is, for 1×1 convolutions and dense layers;
//! - [`Int8Matrix`], [`Int8Depthwise`]: layers with weights in eight bits and sums in integers, for play.
//!
//! # Reproducible bits
//!
//! Every output element is one chain of operations. Their order depends only on the layer. It does not depend on how
//! many rows are computed together or on a row's place among them. [`Simd::Avx2`], [`Simd::Avx512`] and [`Simd::Neon`]
//! give the same bits. [`Simd::Plain`] and [`Simd::Simd128`] round products and sums separately: they give the same bits
//! as each other, which differ slightly from the rest. Products of [`short`] numbers are the same at all levels. Integers do not round, and every level gives the same ones.
//!
//! This is the only crate of the workspace that uses `unsafe`: for vector instructions, and for reads whose bounds were
//! checked on entry.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]
#![allow(unsafe_code, reason = "vector instructions; each block states why it is sound")]
#![allow(clippy::inline_always, reason = "vectors stay in registers only where everything around them is inlined")]
#![allow(clippy::needless_range_loop, reason = "kernels index several arrays by one letter")]

mod aligned;
mod depthwise;
mod grid;
mod int8;
mod kernels;
mod lanes;
mod matrix;
mod outer;
mod pointwise;
mod product;
mod simd;

pub use aligned::Aligned;
pub use grid::Grid;
pub use int8::sixteen::GridLines;
pub use int8::{INT8_LANES, Int8Depthwise, Int8Matrix, nearest};
pub use kernels::Kernels;
pub use lanes::LANES;
pub use matrix::{Matrix, Rows, short};
pub use simd::{Simd, SimdError};
