//! The safe interface of the kernels in integers.

use crate::aligned::volume;
use crate::int8::{INT8_LANES, STEPS, Target, plain};
use crate::{Grid, Int8Depthwise, Int8Matrix, Kernels};
#[cfg(target_arch = "x86_64")]
use crate::{Simd, int8::avx2};
#[cfg(target_arch = "aarch64")]
use crate::{Simd, int8::neon};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::{Simd, int8::simd128};

/// Calls a kernel for AVX2 where it may be used, otherwise the plain one.
macro_rules! with_avx2 {
    ($simd:expr, $kernel:ident($($argument:expr),*)) => {
        match $simd {
            // SAFETY: the machine has the level, and the sizes were checked above.
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 | Simd::Avx512 => unsafe { avx2::$kernel($($argument),*) },
            _ => plain::$kernel($($argument),*),
        }
    };
}

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
    /// If an image does not have the grid's squares and the layer's channels, or a side of the grid is above 9.
    pub fn int8_depthwise(self, grid: Grid, image: &[u8], layer: &Int8Depthwise, starts: &[i16], out: &mut [u8]) {
        let size = volume([grid.squares(), layer.channels()]);
        assert!(image.len() == size && out.len() == size, "an image has the grid's squares");
        assert_eq!(starts.len(), layer.channels(), "a start for each channel");
        assert!(grid.height() <= 9 && grid.width() <= 9, "a grid of at most 9 by 9 squares");
        with_avx2!(self.simd, depthwise(grid, image, layer, starts, out));
    }

    /// `out = sums / 2^shift`, rounded to the nearest and cut off at 0 and 127.
    ///
    /// # Panics
    /// If the lengths differ, or `shift` is above 14.
    pub fn int8_clip(self, sums: &[i16], shift: u32, out: &mut [u8]) {
        assert!(sums.len() == out.len() && shift <= 14, "as many sums as outputs");
        with_avx2!(self.simd, clip(sums, shift, out));
    }

    /// Writes the means of each channel over all squares to `pooled`, followed by the maxima, in units of 1.
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
        let (mut sums, mut maxima) = ([0_u16; 512], [0_u8; 512]);
        let (sums, maxima) = (&mut sums[..channels], &mut maxima[..channels]);
        with_avx2!(self.simd, pool(image, sums, maxima));
        let share = 1.0 / (squares as f32 * STEPS);
        let (means, tops) = pooled.split_at_mut(channels);
        for (mean, &sum) in means.iter_mut().zip(&*sums) {
            *mean = f32::from(sum) * share;
        }
        for (top, &max) in tops.iter_mut().zip(&*maxima) {
            *top = f32::from(max) / STEPS;
        }
    }
}

/// Checks rows and starts, and returns the number of rows.
fn check(rows: &[u8], matrix: &Int8Matrix, starts: &[i32]) -> usize {
    assert!(rows.len().is_multiple_of(matrix.inputs()), "whole rows");
    assert_eq!(starts.len(), matrix.outputs(), "a start for each output");
    rows.len() / matrix.inputs()
}
