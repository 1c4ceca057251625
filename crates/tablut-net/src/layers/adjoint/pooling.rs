//! The backward pass of global pooling.

use tablut_rules::SQUARES;

/// Distributes the gradient of the means evenly: the result is the share of each square of a channel.
pub(super) fn share_means(means: &[f32], out: &mut [f32]) {
    let share = 1.0 / SQUARES as f32;
    for (out, mean) in out.iter_mut().zip(means) {
        *out = mean * share;
    }
}
