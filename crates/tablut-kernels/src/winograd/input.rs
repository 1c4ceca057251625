//! `Bᵀ d B`: from an image's squares to its tiles' points.

use super::{Grid, SPAN, TILE};
use crate::LANES;
use crate::lanes::Lanes;

/// A destination for the points of tiles.
pub(crate) trait PointSink<V> {
    /// Stores sixteen values from `at`.
    ///
    /// # Safety
    ///
    /// The contract of [`Lanes`]; the sixteen places lie inside the sink.
    unsafe fn put(&mut self, at: usize, value: V);
}

impl<V: Lanes> PointSink<V> for &mut [f32] {
    #[inline(always)]
    unsafe fn put(&mut self, at: usize, value: V) {
        // SAFETY: the trait's contract.
        unsafe { value.store(self, at) };
    }
}

/// Writes the tiles of `image` (`[square][channel]`) to `out`; tile `t` at point `p` goes to
/// `p * point_stride + (first + t) * channels`.
///
/// # Safety
///
/// The contract of [`Lanes`]; `channels` is a multiple of sixteen; `image` holds `squares * channels` values, and `out`
/// the 25 points of all the image's tiles.
#[inline(always)]
pub(crate) unsafe fn transform<V: Lanes, S: PointSink<V>>(
    grid: Grid,
    channels: usize,
    image: &[f32],
    mut out: S,
    first: usize,
    point_stride: usize,
) {
    for channel in (0..channels).step_by(LANES) {
        let mut tile = first;
        for top in (0..grid.height()).step_by(TILE) {
            // SAFETY: the caller's contract; all columns are inside the grid, and the tiles are numbered as the
            // contract says.
            unsafe {
                // A tile shares two columns with the one on its left; the column left of the first tile is padding.
                let mut columns = [[V::zero(); SPAN]; SPAN];
                columns[4] = column(grid, channels, image, channel, top, 0);
                for left in (0..grid.width()).step_by(TILE) {
                    columns[0] = columns[3];
                    columns[1] = columns[4];
                    for (j, slot) in columns.iter_mut().enumerate().skip(2) {
                        let x = left + j - 1;
                        *slot = if x < grid.width() {
                            column(grid, channels, image, channel, top, x)
                        } else {
                            [V::zero(); SPAN]
                        };
                    }
                    let at = tile * channels + channel;
                    for i in 0..SPAN {
                        let line = points([columns[0][i], columns[1][i], columns[2][i], columns[3][i], columns[4][i]]);
                        for (j, value) in line.into_iter().enumerate() {
                            out.put((i * SPAN + j) * point_stride + at, value);
                        }
                    }
                    tile += 1;
                }
            }
        }
    }
}

/// The points, down the column `x`, of the five squares from the one above row `top`.
#[inline(always)]
unsafe fn column<V: Lanes>(
    grid: Grid,
    channels: usize,
    image: &[f32],
    channel: usize,
    top: usize,
    x: usize,
) -> [V; SPAN] {
    // SAFETY: the caller's contract: rows are only read inside the grid, `x` is inside it.
    unsafe {
        let at = |y: usize| (y * grid.width() + x) * channels + channel;
        let above = if top > 0 { V::load(image, at(top - 1)) } else { V::zero() };
        let below = if top + TILE < grid.height() { V::load(image, at(top + TILE)) } else { V::zero() };
        points([above, V::load(image, at(top)), V::load(image, at(top + 1)), V::load(image, at(top + 2)), below])
    }
}

/// `Bᵀ d` of one line:
///
/// ```text
/// [2 -1 -2  1 0]
/// [0 -2 -1  1 0]
/// [0  2 -3  1 0]
/// [0 -1  0  1 0]
/// [0  2 -1 -2 1]
/// ```
#[inline(always)]
unsafe fn points<V: Lanes>(d: [V; SPAN]) -> [V; SPAN] {
    // SAFETY: the caller's contract.
    unsafe {
        let (two, three) = (V::splat(2.0), V::splat(3.0));
        let e = d[3].sub(d[1]);
        [
            d[0].sub(d[2]).mul_add(two, e),
            e.sub(d[1].add(d[2])),
            d[1].sub(d[2]).mul_add(three, e),
            e,
            d[1].sub(d[3]).mul_add(two, d[4].sub(d[2])),
        ]
    }
}
