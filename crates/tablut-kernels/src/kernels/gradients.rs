//! The safe interface of the kernels for learning: gradients through convolutions, products and rectifiers.

use super::levels::dispatch;
use crate::outer::Outer;
use crate::winograd::POINTS;
use crate::winograd::output::Output;
use crate::winograd::weights::{TAPS, Taps};
use crate::{Convolution, Grid, Kernels, LANES, PointSums, Rows, Transformed};

/// The operations after a gradient's convolution. The result is the gradient before a rectifier.
#[derive(Debug)]
pub struct GradientEpilogue<'a> {
    /// Added to every square, one value per channel.
    pub bias: &'a [f32],
    /// Whether to add the present content of the image.
    pub onto: bool,
    /// The rectifier's output in the forward pass, with the size of the image. The gradient is zero where it is not
    /// positive.
    pub active: &'a [f32],
    /// Receives the sum of each of the result's channels over the squares.
    pub sums: &'a mut [f32],
}

impl Kernels {
    /// Transforms weights `[outputs, inputs, 3, 3]` into an existing convolution, in f32. [`Convolution::pack`] is more
    /// exact and much slower.
    ///
    /// # Panics
    ///
    /// If the convolution has other outputs, or its inputs are neither these nor these with padding.
    pub fn repack(self, weights: &[f32], convolution: &mut Convolution) {
        let outputs = convolution.outputs();
        let inputs = weights.len() / (outputs * TAPS);
        let taps = Taps { weights, inputs, outputs, output: inputs * TAPS, input: TAPS, flipped: false };
        self.pack_taps(&taps, convolution);
    }

    /// Transforms weights `[outputs, inputs, 3, 3]` into the convolution that turns gradients of the outputs into
    /// gradients of the inputs: taps flipped, channels swapped.
    ///
    /// # Panics
    ///
    /// If the convolution does not have `inputs` outputs and `outputs` inputs.
    pub fn repack_adjoint(self, weights: &[f32], convolution: &mut Convolution) {
        let inputs = convolution.outputs();
        let outputs = weights.len() / (inputs * TAPS);
        let taps =
            Taps { weights, inputs: outputs, outputs: inputs, output: TAPS, input: inputs * TAPS, flipped: true };
        self.pack_taps(&taps, convolution);
    }

    fn pack_taps(self, taps: &Taps<'_>, convolution: &mut Convolution) {
        let padded = convolution.inputs();
        assert_eq!(taps.weights.len(), taps.inputs * taps.outputs * TAPS, "size of a kernel");
        assert_eq!(taps.inputs.next_multiple_of(LANES), padded, "channels in");
        let points = convolution.points_mut();
        dispatch!(self.simd, pack(taps, padded, points));
    }

    /// Writes the points of an output gradient (`[square][channel]`) to place `index` of `tiles`, for
    /// [`Kernels::accumulate`].
    ///
    /// # Panics
    ///
    /// If the image's size differs from that of `tiles`, or `index` is out of range.
    pub fn spread_gradient(self, image: &[f32], index: usize, tiles: &mut Transformed) {
        let (grid, channels, stride) = (tiles.grid(), tiles.channels(), tiles.point_stride());
        let first = tiles.first_tile(index, image.len());
        let out = tiles.values_mut();
        dispatch!(self.simd, spread(grid, channels, image, out, first, stride));
    }

    /// Adds the contribution of all images to a convolution's weight gradient in `sums`. Without `onto` the sums start
    /// from zero. `inputs` comes from [`Kernels::transform_input`], `gradients` from [`Kernels::spread_gradient`].
    ///
    /// # Panics
    ///
    /// If the images or the channels differ.
    pub fn accumulate(self, inputs: &Transformed, gradients: &Transformed, onto: bool, sums: &mut PointSums) {
        assert_eq!((inputs.grid(), inputs.images()), (gradients.grid(), gradients.images()), "images");
        assert_eq!((inputs.channels(), gradients.channels()), (sums.inputs(), sums.outputs()), "channels");
        let (from, with) = (inputs.point_stride(), gradients.point_stride());
        let size = sums.inputs() * sums.outputs();
        for point in 0..POINTS {
            let count = inputs.images() * inputs.grid().tiles();
            let left = Rows { values: &inputs.values()[point * from..], stride: inputs.channels(), count };
            let right = Rows { values: &gradients.values()[point * with..], stride: gradients.channels(), count };
            let panels = gradients.channels() / LANES;
            let outer = Outer { pairs: &[[left, right]], inputs: inputs.channels(), panels, onto };
            let sums = &mut sums.values_mut()[point * size..(point + 1) * size];
            assert!(outer.fits(sums), "rows fit their sums");
            dispatch!(self.simd, outer(&outer, sums));
        }
    }

    /// Turns the sums at the points into the gradient of the weights, `[input][tap][output]`.
    ///
    /// # Panics
    ///
    /// If `taps` has another size.
    pub fn weight_gradient(self, sums: &PointSums, taps: &mut [f32]) {
        assert_eq!(taps.len(), TAPS * sums.inputs() * sums.outputs(), "size of a kernel");
        dispatch!(self.simd, unpack(sums.values(), sums.inputs(), sums.outputs(), taps));
    }

    /// Turns the products at place `index` of a gradient's convolution into the gradient (`[square][channel]`) before
    /// the rectifier.
    ///
    /// # Panics
    ///
    /// If a slice's size differs from that of `products`, or `index` is out of range.
    pub fn transform_gradient(
        self,
        products: &Transformed,
        index: usize,
        epilogue: GradientEpilogue<'_>,
        image: &mut [f32],
    ) {
        let GradientEpilogue { bias, onto, active, sums } = epilogue;
        let output = Output::new(products, index, bias, image.len());
        assert_eq!(active.len(), image.len(), "size of the activations");
        assert_eq!(sums.len(), output.channels, "size of the sums");
        if onto {
            dispatch!(self.simd, transform_gradient::<true>(&output, active, image, sums));
        } else {
            dispatch!(self.simd, transform_gradient::<false>(&output, active, image, sums));
        }
    }

    /// Sets a gradient to zero where the activation is not positive or not below `top`, and writes the sums of its channels
    /// to `sums`.
    ///
    /// # Panics
    ///
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
    ///
    /// If the number of channels is not a multiple of sixteen, or an image does not have the grid's squares.
    pub fn depthwise_gradient(self, grid: Grid, image: &[f32], gradient: &[f32], sums: &mut [f32]) {
        let channels = sums.len() / TAPS;
        assert!(channels > 0 && channels.is_multiple_of(LANES), "the number of channels is a multiple of 16");
        let fit = |image: &[f32]| image.len() == grid.squares() * channels;
        assert!(sums.len() == TAPS * channels && fit(image) && fit(gradient), "an image has the grid's squares");
        dispatch!(self.simd, depthwise_gradient(grid, image, gradient, sums));
    }

    /// Passes the gradient of each channel's maximum back: adds it to the first of the squares at which `active` has
    /// the maximum. `active` and `image` are `[square][width]`, and the channels start at `first`.
    ///
    /// # Panics
    ///
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
    ///
    /// If the numbers of rows of a pair differ, the number of outputs (`sums.len() / inputs`) is not a multiple of
    /// sixteen, or a slice is too short.
    pub fn outer(self, pairs: &[[Rows<'_>; 2]], inputs: usize, onto: bool, sums: &mut [f32]) {
        assert!(inputs > 0 && sums.len().is_multiple_of(inputs * LANES), "the number of outputs is a multiple of 16");
        let outer = Outer { pairs, inputs, panels: sums.len() / inputs / LANES, onto };
        assert!(outer.fits(sums), "as many rows on both sides, which fit their sums");
        dispatch!(self.simd, outer(&outer, sums));
    }
}
