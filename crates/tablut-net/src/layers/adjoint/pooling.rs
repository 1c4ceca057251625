//! The backward pass of global pooling.

use tablut_rules::SQUARES;

/// Distributes the gradient of the means evenly: the result is the share of each square of a channel.
pub(super) fn share_means(means: &[f32], out: &mut [f32]) {
    let share = 1.0 / SQUARES as f32;
    for (out, mean) in out.iter_mut().zip(means) {
        *out = mean * share;
    }
}

/// Adds the gradient of the maxima to the squares with the maxima, in `channels` of the image's `width` from `first`
/// on. Of several equal squares the first one gets it. `image` and `active` are `[square][width]`.
pub(super) fn add_maxima(
    active: &[f32],
    maxima: &[f32],
    gradient: &[f32],
    width: usize,
    first: usize,
    image: &mut [f32],
) {
    let mut squares = [0u32; MOST];
    for from in (0..maxima.len()).step_by(MOST) {
        let maxima = &maxima[from..(from + MOST).min(maxima.len())];
        let squares = &mut squares[..maxima.len()];
        for (square, row) in active.chunks_exact(width).enumerate().rev() {
            let row = &row[first + from..][..maxima.len()];
            for ((found, value), max) in squares.iter_mut().zip(row).zip(maxima) {
                *found = if value == max { square as u32 } else { *found };
            }
        }
        for (channel, &square) in squares.iter().enumerate() {
            image[square as usize * width + first + from + channel] += gradient[from + channel];
        }
    }
}

/// Number of channels that are searched together.
const MOST: usize = 64;
