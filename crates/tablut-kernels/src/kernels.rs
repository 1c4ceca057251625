//! The safe interface of the kernels. It checks sizes, then runs the code of the level.

mod gradients;
mod int8;
mod levels;

use crate::aligned::volume;
use crate::depthwise::TAPS;
use crate::product::{Product, rows_fit};
use crate::{Grid, LANES, Matrix, Rows, Simd, SimdError};
use levels::dispatch;

/// All kernels at one [level](Simd) that this machine supports.
#[derive(Copy, Clone, Debug)]
pub struct Kernels {
    simd: Simd,
}

impl Kernels {
    /// The kernels of one level.
    ///
    /// # Errors
    /// If this machine does not support the level.
    pub fn new(simd: Simd) -> Result<Kernels, SimdError> {
        Ok(Kernels { simd: simd.check()? })
    }

    /// The kernels of the level that `TABLUT_SIMD` names, or of the best level of this machine.
    ///
    /// # Errors
    /// If the variable does not name a level, or this machine does not support it.
    pub fn from_env() -> Result<Kernels, SimdError> {
        Kernels::new(Simd::from_env()?)
    }

    /// The level.
    pub fn simd(self) -> Simd {
        self.simd
    }

    /// `out[r] = init + weights · rows[r]`, rectified on request. `out` has rows of [`Matrix::padded_outputs`] values.
    /// An empty `init` means zeros.
    ///
    /// # Panics
    /// If a slice is too short for its rows.
    pub fn product(self, rows: Rows<'_>, weights: &Matrix, init: &[f32], relu: bool, out: &mut [f32]) {
        let product = Product {
            rows: rows.values,
            row_stride: rows.stride,
            n_rows: rows.count,
            weights: weights.packed(),
            inputs: weights.inputs(),
            panels: weights.padded_outputs() / LANES,
            init,
            relu,
        };
        assert!(product.fits(out), "rows, start and outputs of a product fit its matrix");
        dispatch!(self.simd, product(&product, out));
    }

    /// A 3×3 convolution of each channel by itself, padded with zeros: `out = bias + convolution`. With `onto` it is added
    /// to `out`. Images are `[square][channel]`, `weights` `[tap][channel]`. An empty bias means zeros.
    ///
    /// # Panics
    /// If the number of channels is not a multiple of sixteen, or an image does not have the grid's squares.
    pub fn depthwise(self, grid: Grid, image: &[f32], [weights, bias]: [&[f32]; 2], onto: bool, out: &mut [f32]) {
        let channels = weights.len() / TAPS;
        assert!(channels > 0 && channels.is_multiple_of(LANES), "the number of channels is a multiple of 16");
        assert!(weights.len() == TAPS * channels && (bias.is_empty() || bias.len() == channels), "size of a layer");
        let size = volume([grid.squares(), channels]);
        assert!(image.len() == size && out.len() == size, "an image has the grid's squares");
        dispatch!(self.simd, depthwise(grid, image, [weights, bias], onto, out));
    }

    /// Writes the mean of each channel over all squares to `pooled`, followed by the maxima. Each row is a square and
    /// starts with its `channels`.
    ///
    /// # Panics
    /// If there are no squares, `squares` is too short, `channels` is not a multiple of sixteen, or `pooled` does not
    /// have `2 * channels` values.
    pub fn pool(self, squares: Rows<'_>, channels: usize, pooled: &mut [f32]) {
        assert!(channels > 0 && channels.is_multiple_of(LANES), "the number of channels is a multiple of 16");
        let fit = rows_fit(squares.values.len(), squares.count, squares.stride, channels);
        assert!(squares.count > 0 && fit, "squares fit their values");
        assert_eq!(pooled.len(), 2 * channels, "size of the pooled values");
        dispatch!(self.simd, pool(&squares, channels, pooled));
    }
}
