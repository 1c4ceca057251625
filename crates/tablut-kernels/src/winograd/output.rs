//! `Aᵀ m A`: from the points' products back to squares, including the operations that follow a convolution, or for a
//! gradient the forward pass's rectifier.

use super::{Grid, SPAN, TILE, Transformed};
use crate::LANES;
use crate::lanes::Lanes;

/// The operations on one image's outputs.
pub(crate) struct Output<'a> {
    pub grid: Grid,
    pub channels: usize,
    /// The products; tile `t` of the image at point `p` is at `p * point_stride + (first + t) * channels`.
    pub products: &'a [f32],
    pub point_stride: usize,
    pub first: usize,
    /// One value per channel.
    pub bias: &'a [f32],
}

impl<'a> Output<'a> {
    /// The outputs from the products at place `index`, for an image of `len` values.
    ///
    /// # Panics
    ///
    /// If the size of the image or the bias differs from that of `products`, or `index` is out of range.
    pub fn new(products: &'a Transformed, index: usize, bias: &'a [f32], len: usize) -> Self {
        let (first, channels) = (products.first_tile(index, len), products.channels());
        assert_eq!(bias.len(), channels, "size of a bias");
        let (grid, point_stride) = (products.grid(), products.point_stride());
        Self { grid, channels, products: products.values(), point_stride, first, bias }
    }
}

/// Writes `relu(convolution + bias)` to `image`, or with `ADD` `relu(image + convolution + bias)`. With `POOL`, writes
/// the mean of each channel and then the maximum of each channel to `pooled`.
///
/// # Safety
///
/// The contract of [`Lanes`]; `channels` is a multiple of sixteen; `products` holds the 25 points of all the image's
/// tiles, `bias` `channels` values, `image` `squares * channels`, and with `POOL` `pooled` `2 * channels`.
#[inline(always)]
pub(crate) unsafe fn transform<V: Lanes, const ADD: bool, const POOL: bool>(
    output: &Output<'_>,
    image: &mut [f32],
    pooled: &mut [f32],
) {
    let Output { grid, channels, .. } = *output;
    for channel in (0..channels).step_by(LANES) {
        // SAFETY: the caller's contract; squares and tiles are counted inside the grid.
        unsafe {
            let bias = V::load(output.bias, channel);
            let zero = V::zero();
            let (mut sum, mut max) = (zero, zero);
            let mut tile = output.first;
            for top in (0..grid.height()).step_by(TILE) {
                for left in (0..grid.width()).step_by(TILE) {
                    let squares = squares::<V>(output, tile * channels + channel);
                    for (i, line) in squares.into_iter().enumerate() {
                        for (j, square) in line.into_iter().enumerate() {
                            let at = ((top + i) * grid.width() + left + j) * channels + channel;
                            let mut value = square.add(bias);
                            if ADD {
                                value = value.add(V::load(image, at));
                            }
                            value = value.max(zero);
                            value.store(image, at);
                            if POOL {
                                sum = sum.add(value);
                                max = max.max(value);
                            }
                        }
                    }
                    tile += 1;
                }
            }
            if POOL {
                let share = V::splat(1.0 / grid.squares() as f32);
                sum.mul_add(share, zero).store(pooled, channel);
                // The rectifier's results are never below zero, so zero is a correct start for the maximum.
                max.store(pooled, channels + channel);
            }
        }
    }
}

/// Writes `gate(convolution + bias)` to `image`, or with `ADD` `gate(image + convolution + bias)`. The gate is zero
/// where `active` is not positive. Also writes the sum of each channel over the squares to `sums`.
///
/// # Safety
///
/// As [`transform`]; `active` has the size of `image`, and `sums` `channels` values.
#[inline(always)]
pub(crate) unsafe fn gated<V: Lanes, const ADD: bool>(
    output: &Output<'_>,
    active: &[f32],
    image: &mut [f32],
    sums: &mut [f32],
) {
    let Output { grid, channels, .. } = *output;
    for channel in (0..channels).step_by(LANES) {
        // SAFETY: the caller's contract; squares and tiles are counted inside the grid.
        unsafe {
            let bias = V::load(output.bias, channel);
            let mut sum = V::zero();
            let mut tile = output.first;
            for top in (0..grid.height()).step_by(TILE) {
                for left in (0..grid.width()).step_by(TILE) {
                    let squares = squares::<V>(output, tile * channels + channel);
                    for (i, line) in squares.into_iter().enumerate() {
                        for (j, square) in line.into_iter().enumerate() {
                            let at = ((top + i) * grid.width() + left + j) * channels + channel;
                            let mut value = square.add(bias);
                            if ADD {
                                value = value.add(V::load(image, at));
                            }
                            let value = value.where_positive(V::load(active, at));
                            value.store(image, at);
                            sum = sum.add(value);
                        }
                    }
                    tile += 1;
                }
            }
            sum.store(sums, channel);
        }
    }
}

/// The 3×3 squares of the tile whose point 0 is at `at`.
#[inline(always)]
unsafe fn squares<V: Lanes>(output: &Output<'_>, at: usize) -> [[V; TILE]; TILE] {
    // SAFETY: the caller's contract: all points of the tile lie inside the products.
    unsafe {
        let mut half = [[V::zero(); SPAN]; TILE];
        for j in 0..SPAN {
            let mut m = [V::zero(); SPAN];
            for (i, m) in m.iter_mut().enumerate() {
                *m = V::load(output.products, (i * SPAN + j) * output.point_stride + at);
            }
            let column = outputs(m);
            for (line, value) in half.iter_mut().zip(column) {
                line[j] = value;
            }
        }
        [outputs(half[0]), outputs(half[1]), outputs(half[2])]
    }
}

/// `Aᵀ m` of one line:
///
/// ```text
/// [1 1  1 1 0]
/// [0 1 -1 2 0]
/// [0 1  1 4 1]
/// ```
#[inline(always)]
unsafe fn outputs<V: Lanes>(m: [V; SPAN]) -> [V; TILE] {
    // SAFETY: the caller's contract.
    unsafe {
        let sum = m[1].add(m[2]);
        let difference = m[1].sub(m[2]);
        [m[0].add(sum).add(m[3]), m[3].mul_add(V::splat(2.0), difference), m[3].mul_add(V::splat(4.0), sum.add(m[4]))]
    }
}
