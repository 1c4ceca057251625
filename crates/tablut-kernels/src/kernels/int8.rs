//! The safe interface of the kernels in integers.

use super::levels::dispatch;
use crate::aligned::volume;
use crate::int8::sixteen::{LONGEST_SIDE, Limits};
use crate::int8::{INT8_LANES, STEPS, Target, plain};
use crate::{Grid, GridLines, Int8Depthwise, Int8Matrix, Kernels, LANES, short};
#[cfg(target_arch = "x86_64")]
use crate::{Simd, int8::avx2};
#[cfg(target_arch = "aarch64")]
use crate::{Simd, int8::neon};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::{Simd, int8::simd128};

impl Kernels {
    /// `out[r] = starts + matrix · rows[r]`, in the steps of the outputs. `starts` come from [`Int8Matrix::starts`].
    ///
    /// # Panics
    /// If a slice does not have the size that the matrix and the number of rows require.
    pub fn int8_product(self, rows: &[u8], matrix: &Int8Matrix, starts: &[i32], out: &mut [i16]) {
        let n = check(rows, matrix, starts);
        assert_eq!(out.len(), n * matrix.outputs(), "size of the outputs");
        self.product_into(rows, matrix, starts, Target::Sums(out));
    }

    /// `image[r] += starts + matrix · rows[r]`, cut off at 0 and 127 steps. The outputs have the steps of activations.
    ///
    /// # Panics
    /// As for [`Kernels::int8_product`].
    pub fn int8_product_onto(self, rows: &[u8], matrix: &Int8Matrix, starts: &[i32], image: &mut [u8]) {
        let n = check(rows, matrix, starts);
        assert_eq!(image.len(), n * matrix.outputs(), "size of the image");
        self.product_into(rows, matrix, starts, Target::Onto(image));
    }

    /// The sizes have been checked.
    fn product_into(self, rows: &[u8], matrix: &Int8Matrix, starts: &[i32], target: Target<'_>) {
        // SAFETY: the machine has the instructions, and the sizes were checked.
        unsafe {
            match self.simd {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 if avx2::has_vnni() => avx2::product_vnni(rows, matrix, starts, target),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 | Simd::Avx512 => avx2::product(rows, matrix, starts, target),
                #[cfg(target_arch = "aarch64")]
                Simd::Neon if neon::has_dot() => neon::product_dot(rows, matrix, starts, target),
                #[cfg(target_arch = "aarch64")]
                Simd::Neon => neon::product(rows, matrix, starts, target),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Simd::Simd128 => plain::product::<simd128::Pairs>(rows, matrix, starts, target),
                _ => plain::product::<plain::Floats>(rows, matrix, starts, target),
            }
        }
    }

    /// `out = starts + convolution of image`, cut off at 0 and 127 steps. Images are `[square][channel]`. `starts` come from
    /// [`Int8Depthwise::starts`].
    ///
    /// # Panics
    /// If an image does not have the grid's squares and the layer's channels, or a side of the grid is above 11.
    pub fn int8_depthwise(self, grid: Grid, image: &[u8], layer: &Int8Depthwise, starts: &[i16], out: &mut [u8]) {
        let size = volume([grid.squares(), layer.channels()]);
        assert!(image.len() == size && out.len() == size, "an image has the grid's squares");
        assert_eq!(starts.len(), layer.channels(), "a start for each channel");
        assert!(grid.height().max(grid.width()) <= LONGEST_SIDE, "a grid of at most 11 by 11 squares");
        match self.simd {
            // SAFETY: the machine has AVX2, and the sizes were checked.
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 | Simd::Avx512 => unsafe { avx2::depthwise(grid, image, layer, starts, out) },
            _ => dispatch!(self.simd, int8_depthwise(grid, image, [&layer.taps, &layer.multipliers], starts, out)),
        }
    }

    /// `out = sums / 2^shift`, rounded to the nearest and cut off at 0 and 127.
    ///
    /// # Panics
    /// If the lengths differ or are no multiple of sixteen, or `shift` is above 14.
    pub fn int8_clip(self, sums: &[i16], shift: u32, out: &mut [u8]) {
        assert!(sums.len() == out.len() && out.len().is_multiple_of(LANES) && shift <= 14, "as many sums as outputs");
        dispatch!(self.simd, int8_clip(sums, shift, out));
    }

    /// Writes the means of each channel over all squares to `pooled`, followed by the maxima, in units of 1, all [`short`].
    ///
    /// # Panics
    /// If the number of channels is not a multiple of [`INT8_LANES`] or above 512, there are no squares or more than 516, or
    /// the image ends within a square.
    pub fn int8_pool(self, image: &[u8], pooled: &mut [f32]) {
        let channels = pooled.len() / 2;
        assert!(channels > 0 && channels <= 512 && channels.is_multiple_of(INT8_LANES), "channels");
        assert!(pooled.len() == 2 * channels && image.len().is_multiple_of(channels), "whole squares");
        let squares = image.len() / channels;
        assert!((1..=516).contains(&squares), "sums of sixteen bits");
        let (mut sums, mut maxima) = ([0; 512], [0; 512]);
        let (sums, maxima) = (&mut sums[..channels], &mut maxima[..channels]);
        dispatch!(self.simd, int8_pool(image, sums, maxima));
        let share = 1.0 / (squares as f32 * STEPS);
        let (means, tops) = pooled.split_at_mut(channels);
        for (mean, &sum) in means.iter_mut().zip(&*sums) {
            // The sums have no sign.
            *mean = short(f32::from(sum as u16) * share);
        }
        for (top, &max) in tops.iter_mut().zip(&*maxima) {
            *top = f32::from(max) / STEPS;
        }
    }
}

impl Kernels {
    /// `out[row][column] = rows[row][column] + columns[column][row] + bias`, cut off at sixteen bits.
    ///
    /// # Panics
    /// If the number of biases is not a multiple of sixteen, or a slice is too short.
    pub fn int8_line_sums(self, lines: GridLines<'_>, bias: &[i16], out: &mut [i16]) {
        assert!(!bias.is_empty() && bias.len().is_multiple_of(LANES), "whole vectors");
        assert_eq!(out.len(), lines.rows.len() * lines.columns.len() * bias.len(), "size of the sums");
        dispatch!(self.simd, int8_line_sums(lines, bias, out));
    }

    /// Writes for each square sixteen numbers of its row, and after those of all squares sixteen of its column. `own` has
    /// both for each square, one after the other, and then more numbers. To a square's numbers of its row this adds the
    /// first sixteen that the row says about it and the next sixteen that the column says, and so for its numbers of its
    /// column. Sums are cut off at 0 and `top`, and then `shift` is added. The other numbers of `own` are cut off at 0 and
    /// 127 steps and written to `rest`.
    ///
    /// # Panics
    /// If a slice is too short, or the number of the other numbers is not a multiple of sixteen.
    pub fn int8_line_pairs(
        self,
        lines: GridLines<'_>,
        own: &[i16],
        (top, shift): (i16, &[i16; LANES]),
        out: &mut [i16],
        rest: &mut [u8],
    ) {
        let squares = lines.rows.len() * lines.columns.len();
        assert!(rest.len().is_multiple_of(squares * LANES) && !rest.is_empty(), "whole vectors");
        assert!(out.len() == 2 * LANES * squares && own.len() == out.len() + rest.len(), "sizes of a grid");
        dispatch!(self.simd, int8_line_pairs(lines, own, &Limits { top, shift }, out, rest));
    }
}

/// Checks rows and starts, and returns the number of rows.
fn check(rows: &[u8], matrix: &Int8Matrix, starts: &[i32]) -> usize {
    assert!(rows.len().is_multiple_of(matrix.inputs()), "whole rows");
    assert_eq!(starts.len(), matrix.outputs(), "a start for each output");
    rows.len() / matrix.inputs()
}
