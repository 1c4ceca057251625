//! Pooling and other operations without products of matrices.

use crate::lanes::Lanes;
use crate::{LANES, Rows};

/// Writes the mean and then the maximum over all squares to `pooled`.
///
/// # Safety
/// The contract of [`Lanes`]; `channels` is a multiple of sixteen; `squares` are a positive number of rows that start
/// with `channels` values and are inside their slice; `pooled` has `2 * channels` values.
#[inline(always)]
pub(crate) unsafe fn pool<V: Lanes>(squares: &Rows<'_>, channels: usize, pooled: &mut [f32]) {
    let Rows { values: image, stride, count } = *squares;
    for channel in (0..channels).step_by(LANES) {
        // SAFETY: the caller's contract.
        unsafe {
            let mut sum = V::load(image, channel);
            let mut max = sum;
            for square in 1..count {
                let value = V::load(image, square * stride + channel);
                sum = sum.add(value);
                max = max.max(value);
            }
            let share = V::splat(1.0 / count as f32);
            sum.mul_add(share, V::zero()).store(pooled, channel);
            max.store(pooled, channels + channel);
        }
    }
}

/// Sets `image` (`[square][channel]`) to zero where `active` is not positive or not below `top`, and writes the sum of
/// each channel to `sums`.
///
/// # Safety
/// The contract of [`Lanes`]; `sums.len()` is a multiple of sixteen; `image` and `active` hold the same whole number of
/// rows of `sums.len()` values.
#[inline(always)]
pub(crate) unsafe fn gate<V: Lanes>(image: &mut [f32], active: &[f32], top: f32, sums: &mut [f32]) {
    for channel in (0..sums.len()).step_by(LANES) {
        // SAFETY: the caller's contract.
        unsafe {
            let mut sum = V::zero();
            for at in (channel..image.len()).step_by(sums.len()) {
                let active = V::load(active, at);
                let value = V::load(image, at).where_positive(active).where_positive(V::splat(top).sub(active));
                value.store(image, at);
                sum = sum.add(value);
            }
            sum.store(sums, channel);
        }
    }
}

/// Adds each channel's `gradient` to the first of the squares at which `active` has its maximum. The channels start at
/// `first`. `active` and `image` are `[square][width]`.
///
/// # Panics
/// If a slice is too short, or the number of maxima is not a multiple of sixteen.
#[inline(always)]
pub(crate) fn add_at_maxima(
    active: &[f32],
    [maxima, gradient]: [&[f32]; 2],
    [width, first]: [usize; 2],
    image: &mut [f32],
) {
    for (group, maxima) in maxima.chunks_exact(LANES).enumerate() {
        let channel = first + group * LANES;
        let maxima: &[f32; LANES] = maxima.try_into().expect("sixteen");
        let mut squares = [0_u32; LANES];
        for (square, row) in active.chunks_exact(width).enumerate().rev() {
            let row: &[f32; LANES] = row[channel..channel + LANES].try_into().expect("sixteen");
            for lane in 0..LANES {
                squares[lane] = if row[lane] == maxima[lane] { square as u32 } else { squares[lane] };
            }
        }
        for (lane, &square) in squares.iter().enumerate() {
            image[square as usize * width + channel + lane] += gradient[group * LANES + lane];
        }
    }
}
