//! The safe interface of the kernels for learning: gradients through convolutions, products and rectifiers.

use super::levels::dispatch;
use crate::aligned::volume;
use crate::depthwise::TAPS;
use crate::outer::Outer;
use crate::{Grid, Kernels, LANES, Rows};

impl Kernels {
    /// Sets a gradient to zero where the activation is not positive or not below `top`, and writes the sums of its channels
    /// to `sums`.
    ///
    /// # Panics
    /// If the number of channels (the length of `sums`) is not a multiple of sixteen, or the images differ in size or
    /// end within a square.
    pub fn gate(self, image: &mut [f32], active: &[f32], top: f32, sums: &mut [f32]) {
        assert!(!sums.is_empty() && sums.len().is_multiple_of(LANES), "the number of channels is a multiple of 16");
        assert!(image.len().is_multiple_of(sums.len()) && active.len() == image.len(), "whole squares");
        dispatch!(self.simd, gate(image, active, top, sums));
    }

    /// Adds the gradient of the weights of [`Kernels::depthwise`] to `sums`, `[tap][channel]`. `gradient` belongs to the
    /// output for `image`.
    ///
    /// # Panics
    /// If the number of channels is not a multiple of sixteen, or an image does not have the grid's squares.
    pub fn depthwise_gradient(self, grid: Grid, image: &[f32], gradient: &[f32], sums: &mut [f32]) {
        let channels = sums.len() / TAPS;
        assert!(channels > 0 && channels.is_multiple_of(LANES), "the number of channels is a multiple of 16");
        let fit = |image: &[f32]| image.len() == volume([grid.squares(), channels]);
        assert!(sums.len() == TAPS * channels && fit(image) && fit(gradient), "an image has the grid's squares");
        dispatch!(self.simd, depthwise_gradient(grid, image, gradient, sums));
    }

    /// Passes the gradient of each channel's maximum back: adds it to the first of the squares at which `active` has
    /// the maximum. `active` and `image` are `[square][width]`, and the channels start at `first`.
    ///
    /// # Panics
    /// If the number of maxima is not a multiple of sixteen or that of the gradients, the channels do not lie within
    /// the width, or the images differ in size or end within a square.
    pub fn add_at_maxima(
        self,
        active: &[f32],
        maxima: &[f32],
        gradient: &[f32],
        [width, first]: [usize; 2],
        image: &mut [f32],
    ) {
        assert!(
            maxima.len().is_multiple_of(LANES) && maxima.len() == gradient.len(),
            "the number of channels is a multiple of 16"
        );
        assert!(first.checked_add(maxima.len()).is_some_and(|end| end <= width), "channels within the width");
        assert!(image.len().is_multiple_of(width) && active.len() == image.len(), "whole squares");
        dispatch!(self.simd, add_at_maxima(active, [maxima, gradient], [width, first], image));
    }

    /// `sums[i][o] = Σ left[r][i] · right[r][o]` over the rows of all pairs of left and right, plus the present content of
    /// `sums` if `onto`. This is the gradient of a product's weights, transposed. `inputs` is the length of a row on the
    /// left.
    ///
    /// # Panics
    /// If the numbers of rows of a pair differ, the number of outputs (`sums.len() / inputs`) is not a multiple of
    /// sixteen, or a slice is too short.
    pub fn outer(self, pairs: &[[Rows<'_>; 2]], inputs: usize, onto: bool, sums: &mut [f32]) {
        assert!(inputs > 0 && sums.len().is_multiple_of(inputs * LANES), "the number of outputs is a multiple of 16");
        let outer = Outer { pairs, inputs, panels: sums.len() / inputs / LANES, onto };
        assert!(outer.fits(sums), "as many rows on both sides, which fit their sums");
        dispatch!(self.simd, outer(&outer, sums));
    }
}
