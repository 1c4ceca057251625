//! The end of a gradient's convolution: from points back to squares, and through the forward pass's rectifier.

use super::TILE;
use super::output::{Output, squares};
use crate::LANES;
use crate::lanes::Lanes;

/// Writes `gate(convolution + bias)` to `image`, or with `ADD` `gate(image + convolution + bias)`. The gate is zero
/// where `active` is not positive. Also writes the sum of each channel over the squares to `sums`.
///
/// # Safety
///
/// As [`super::output::transform`]; `active` has the size of `image`, and `sums` `channels` values.
#[inline(always)]
pub(crate) unsafe fn transform<V: Lanes, const ADD: bool>(
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
