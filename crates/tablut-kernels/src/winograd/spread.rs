//! `A d Aᵀ`: from the gradient of an image's squares to its tiles' points, the adjoint of [`super::output`].

use super::{Grid, SPAN, TILE};
use crate::LANES;
use crate::lanes::Lanes;

/// Writes the points of the 3×3 tiles of `image` (`[square][channel]`) to `out`; tile `t` at point `p` goes to
/// `p * point_stride + (first + t) * channels`.
///
/// # Safety
///
/// The contract of [`Lanes`]; `channels` is a multiple of sixteen; `image` holds `squares * channels` values, and `out`
/// the 25 points of all the image's tiles.
#[inline(always)]
pub(crate) unsafe fn transform<V: Lanes>(
    grid: Grid,
    channels: usize,
    image: &[f32],
    out: &mut [f32],
    first: usize,
    point_stride: usize,
) {
    for channel in (0..channels).step_by(LANES) {
        let mut tile = first;
        for top in (0..grid.height()).step_by(TILE) {
            for left in (0..grid.width()).step_by(TILE) {
                // SAFETY: the caller's contract; squares and tiles are counted inside the grid.
                unsafe {
                    let mut columns = [[V::zero(); SPAN]; TILE];
                    for (x, column) in columns.iter_mut().enumerate() {
                        let at = |y: usize| ((top + y) * grid.width() + left + x) * channels + channel;
                        *column = points([V::load(image, at(0)), V::load(image, at(1)), V::load(image, at(2))]);
                    }
                    let at = tile * channels + channel;
                    for i in 0..SPAN {
                        let line = points([columns[0][i], columns[1][i], columns[2][i]]);
                        for (j, value) in line.into_iter().enumerate() {
                            value.store(out, (i * SPAN + j) * point_stride + at);
                        }
                    }
                }
                tile += 1;
            }
        }
    }
}

/// `A d` of one line:
///
/// ```text
/// [1  0 0]
/// [1  1 1]
/// [1 -1 1]
/// [1  2 4]
/// [0  0 1]
/// ```
#[inline(always)]
unsafe fn points<V: Lanes>(d: [V; TILE]) -> [V; SPAN] {
    // SAFETY: the caller's contract.
    unsafe {
        let even = d[0].add(d[2]);
        let far = d[2].mul_add(V::splat(4.0), d[0]);
        [d[0], even.add(d[1]), even.sub(d[1]), d[1].mul_add(V::splat(2.0), far), d[2]]
    }
}
