//! The way back through global pooling.

use tablut_rules::SQUARES;

/// The gradient of the means, shared out evenly among the squares: what each square of a channel gets.
pub(super) fn share_means(means: &[f32], out: &mut [f32]) {
    let share = 1.0 / SQUARES as f32;
    for (out, mean) in out.iter_mut().zip(means) {
        *out = mean * share;
    }
}

/// Adds the gradient of the maxima to the squares that had them, in `channels` of the image's `width` from `first` on;
/// of several equal squares the first has it. `image` and `active` are `[square][width]`.
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

/// Channels that are looked through together.
const MOST: usize = 64;
