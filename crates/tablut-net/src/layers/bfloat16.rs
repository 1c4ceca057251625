//! Activations for convolutions in bf16, on processors with matrix registers (AMX). The residual trunk, biases, pooling
//! and the heads' last layers stay in f32.

use tablut_kernels::{Aligned, BF16_LANES, Bf16Epilogue, Bf16Images, Bf16Kernels, Kernels};
use tablut_rules::{Bitboard, SQUARES};

use super::packing::{GRID, PackedConvolution, PackedSquares};
use super::trunk::{Activations, Place, TrunkStep};
use crate::batch::write_planes;
use crate::features::PLANES;

/// One thread's buffers for a few positions at a time.
pub(crate) struct Bf16Workspace {
    bf16: Bf16Kernels,
    /// Number of positions in the forward pass.
    n: usize,
    planes: Bf16Images,
    /// The trunk's activations in f32, `[n][81][width]`, and rounded.
    trunk: Aligned,
    rounded: Bf16Images,
    /// Activations inside a block.
    inside: Bf16Images,
    /// Activations in the heads, `[n][81][joint width]`.
    joint: Aligned,
    /// Biases for every square, `[n][width]`.
    biases: Aligned,
    /// Means and maxima, `[n][2 * width]`.
    pooled: Aligned,
}

impl Bf16Workspace {
    /// Buffers for `n` positions of a net. The widths are channels of trunk and heads, including padding.
    pub fn new(bf16: Bf16Kernels, n: usize, width: usize, joint_width: usize) -> Self {
        Self {
            bf16,
            n: 0,
            planes: Bf16Images::new(GRID, n, PLANES.next_multiple_of(BF16_LANES)),
            trunk: Aligned::zeroed(n * SQUARES * width),
            rounded: Bf16Images::new(GRID, n, width),
            inside: Bf16Images::new(GRID, n, width),
            joint: Aligned::zeroed(n * SQUARES * joint_width),
            biases: Aligned::zeroed(n * width.max(joint_width)),
            pooled: Aligned::zeroed(n * 2 * width),
        }
    }
}

impl Activations for Bf16Workspace {
    fn begin(&mut self, _kernels: Kernels, planes: &[Bitboard]) {
        self.n = planes.len() / PLANES;
        for (row, planes) in planes.chunks_exact(PLANES).enumerate() {
            let mut values = [0.0; PLANES * SQUARES];
            write_planes(planes, &mut values);
            self.planes.set_planes(row, &values);
        }
    }

    fn biases(&mut self) -> &mut [f32] {
        &mut self.biases
    }

    fn pooled_and_biases(&mut self, _place: Place) -> (&[f32], &mut [f32]) {
        (&self.pooled, &mut self.biases)
    }

    fn convolve(&mut self, _kernels: Kernels, convolution: &PackedConvolution, step: TrunkStep<'_>) {
        let PackedConvolution::Bf16(convolution) = convolution else { unreachable!("a net in bf16") };
        let Self { bf16, n, planes, trunk, rounded, inside, biases, pooled, .. } = self;
        let bias = step.bias.unwrap_or_else(|| &biases[..*n * convolution.outputs()]);
        let pooled = step.pools.then_some(&mut **pooled);
        let (from, residual, full, rounded) = match step.place {
            Place::Stem => (&*planes, false, Some(&mut **trunk), rounded),
            Place::Inside(_) => (&*rounded, false, None, inside),
            Place::After(_) => (&*inside, true, Some(&mut **trunk), rounded),
        };
        let epilogue = Bf16Epilogue { bias, residual, full, rounded: Some(rounded), pooled };
        bf16.convolve(convolution, from, *n, epilogue);
    }

    fn squares(&mut self, _kernels: Kernels, squares: &PackedSquares, mut each: impl FnMut(usize, &[f32])) {
        let PackedSquares::Bf16(squares) = squares else { unreachable!("a net in bf16") };
        let width = squares.outputs();
        let bias = &self.biases[..self.n * width];
        let full = Some(&mut *self.joint);
        let epilogue = Bf16Epilogue { bias, residual: false, full, rounded: None, pooled: None };
        self.bf16.convolve(squares, &self.rounded, self.n, epilogue);
        for (row, joint) in self.joint.chunks_exact(SQUARES * width).take(self.n).enumerate() {
            each(row, joint);
        }
    }
}
