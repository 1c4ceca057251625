//! Convolutions of each channel by itself, 3×3 and padded with zeros, and the gradient of their weights.

use crate::lanes::Lanes;
use crate::{Grid, LANES};

pub(crate) const TAPS: usize = 9;

/// `out = bias + convolution of image`, or with `onto` `out += bias + convolution of image`. Images are
/// `[square][channel]`, weights `[tap][channel]`. Each element is one chain of multiply-adds over the taps in order.
///
/// # Safety
/// The contract of [`Lanes`]; `bias` is empty or has as many values as there are channels, which is a multiple of
/// sixteen; `image` and `out` hold `grid.squares()` squares.
#[inline(always)]
pub(crate) unsafe fn convolve<V: Lanes>(
    grid: Grid,
    image: &[f32],
    [weights, bias]: [&[f32]; 2],
    onto: bool,
    out: &mut [f32],
) {
    let channels = weights.len() / TAPS;
    for channel in (0..channels).step_by(LANES) {
        // SAFETY: the caller's contract; taps outside the grid are left out.
        unsafe {
            let start = if bias.is_empty() { V::zero() } else { V::load(bias, channel) };
            for row in 0..grid.height() {
                for column in 0..grid.width() {
                    let at = (row * grid.width() + column) * channels + channel;
                    let mut sum = if onto { V::load(out, at).add(start) } else { start };
                    for r in row.saturating_sub(1)..(row + 2).min(grid.height()) {
                        for c in column.saturating_sub(1)..(column + 2).min(grid.width()) {
                            let tap = (r + 1 - row) * 3 + c + 1 - column;
                            let x = V::load(image, (r * grid.width() + c) * channels + channel);
                            sum = x.mul_add(V::load(weights, tap * channels + channel), sum);
                        }
                    }
                    sum.store(out, at);
                }
            }
        }
    }
}

/// Adds the gradient of the weights to `sums` (`[tap][channel]`): the products of an image and the gradient of its
/// convolution, summed over the squares in order.
///
/// # Safety
/// As for [`convolve`]; `gradient` has the size of `image`.
#[inline(always)]
pub(crate) unsafe fn gradient<V: Lanes>(grid: Grid, image: &[f32], gradient: &[f32], sums: &mut [f32]) {
    let channels = sums.len() / TAPS;
    for tap in 0..TAPS {
        let (down, right) = (tap / 3, tap % 3);
        for channel in (0..channels).step_by(LANES) {
            // SAFETY: the caller's contract; squares whose tap is outside the grid are left out.
            unsafe {
                let mut sum = V::load(sums, tap * channels + channel);
                for row in usize::from(down == 0)..grid.height() - usize::from(down == 2) {
                    for column in usize::from(right == 0)..grid.width() - usize::from(right == 2) {
                        let square = row * grid.width() + column;
                        let from = (row + down - 1) * grid.width() + column + right - 1;
                        let x = V::load(image, from * channels + channel);
                        sum = x.mul_add(V::load(gradient, square * channels + channel), sum);
                    }
                }
                sum.store(sums, tap * channels + channel);
            }
        }
    }
}
