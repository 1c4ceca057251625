//! Numbers in bf16, images of them with the zero padding that a convolution reads, and the operations after a
//! convolution.

use crate::aligned::volume;
use crate::{Aligned, Grid};

/// Channels come in groups of this size. One tile product sums over this many inputs, and a block of two tiles has this
/// many outputs.
pub const BF16_LANES: usize = 32;

/// The bf16 nearest to `value`, ties to even.
pub(super) fn round(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // Rounding could turn a NaN into a number. Setting its highest fraction bit prevents this.
    let kept = bits >> 16 | 0x40;
    (if value.is_nan() { kept } else { rounded }) as u16
}

/// The memory layout of an image: rows of squares with one zero square after each, and a row of zeros above and below.
/// The zero square is the padding on the right of its row and on the left of the next.
#[derive(Copy, Clone, Debug)]
pub(super) struct Layout {
    pub grid: Grid,
    /// Positions (squares, and the zero after each row) in one tile of activations.
    pub tile_rows: usize,
    n_tiles: usize,
}

impl Layout {
    fn new(grid: Grid) -> Layout {
        let positions = grid.height() * (grid.width() + 1);
        // There is an even number of tiles, all of the same size.
        let n_tiles = positions.div_ceil(16).next_multiple_of(2);
        Layout { grid, tile_rows: positions.div_ceil(n_tiles), n_tiles }
    }

    /// The distance from a square to the one below it.
    pub fn pitch(self) -> usize {
        self.grid.width() + 1
    }

    /// The positions that are computed, row by row, including the zero after each row and perhaps some after the last
    /// row.
    pub fn positions(self) -> usize {
        self.n_tiles * self.tile_rows
    }

    /// Places in an image, from the one above and left of the first square to the last one that a tap of the last
    /// position reads.
    fn places(self) -> usize {
        self.positions() + 2 * self.pitch() + 2
    }

    /// The place of a square.
    pub fn place(self, row: usize, column: usize) -> usize {
        (row + 1) * self.pitch() + column + 1
    }
}

/// Images `[image][place][channel]` in bf16. Places outside the grid are zero.
#[derive(Clone, Debug)]
pub struct Bf16Images {
    layout: Layout,
    channels: usize,
    n_images: usize,
    values: Aligned<u16>,
}

impl Bf16Images {
    /// `n_images` images of zeros.
    ///
    /// # Panics
    ///
    /// If `channels` is 0 or not a multiple of [`BF16_LANES`].
    pub fn new(grid: Grid, n_images: usize, channels: usize) -> Bf16Images {
        let fills = channels > 0 && channels.is_multiple_of(BF16_LANES);
        assert!(fills, "channels come in multiples of {BF16_LANES}");
        let layout = Layout::new(grid);
        Bf16Images {
            layout,
            channels,
            n_images,
            values: Aligned::zeroed(volume([n_images, layout.places(), channels])),
        }
    }

    /// The grid of the images.
    pub fn grid(&self) -> Grid {
        self.layout.grid
    }

    /// The number of images.
    pub fn n_images(&self) -> usize {
        self.n_images
    }

    /// Channels per image.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Writes one image from planes `[plane][square]`, rounded. Channels without a plane do not change.
    ///
    /// # Panics
    ///
    /// If there are more planes than channels, or `index` is out of range.
    pub fn set_planes(&mut self, index: usize, planes: &[f32]) {
        let (layout, channels) = (self.layout, self.channels);
        let grid = layout.grid;
        assert!(planes.len() <= channels * grid.squares(), "at most a plane for each channel");
        let n_planes = planes.len() / grid.squares();
        let image = self.image_mut(index);
        for square in 0..grid.squares() {
            let place = layout.place(square / grid.width(), square % grid.width());
            let values = &mut image[place * channels..][..n_planes];
            for (value, plane) in values.iter_mut().zip(planes.chunks_exact(grid.squares())) {
                *value = round(plane[square]);
            }
        }
    }

    /// Writes the first images from `[image][square][channel]`, rounded.
    ///
    /// # Panics
    ///
    /// If `images` are not whole images, or are more than these.
    #[inline(always)]
    pub(super) fn set_images(&mut self, images: &[f32]) {
        let (layout, channels) = (self.layout, self.channels);
        let (size, line) = (layout.grid.squares() * channels, layout.grid.width() * channels);
        assert!(images.len().is_multiple_of(size), "whole images");
        for (index, from) in images.chunks_exact(size).enumerate() {
            let image = self.image_mut(index);
            for (row, from) in from.chunks_exact(line).enumerate() {
                let to = &mut image[layout.place(row, 0) * channels..][..line];
                for (to, from) in to.iter_mut().zip(from) {
                    *to = round(*from);
                }
            }
        }
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn image(&self, index: usize) -> &[u16] {
        let size = self.layout.places() * self.channels;
        &self.values[index * size..][..size]
    }

    pub(super) fn image_mut(&mut self, index: usize) -> &mut [u16] {
        let size = self.layout.places() * self.channels;
        &mut self.values[index * size..][..size]
    }
}

/// The operations after a convolution in bf16: `relu(convolution + bias)`, or with `residual`
/// `relu(full + convolution + bias)`. At least one output should be given.
#[derive(Debug)]
pub struct Bf16Epilogue<'a> {
    /// One value per output channel (padded): one row for each image, or a single row for all.
    pub bias: &'a [f32],
    /// Whether to add the present content of `full`.
    pub residual: bool,
    /// Output in f32, `[image][square][channel]`.
    pub full: Option<&'a mut [f32]>,
    /// Output rounded to bf16.
    pub rounded: Option<&'a mut Bf16Images>,
    /// Output of the means of each image's channels, followed by their maxima, `[image][2 * channels]`.
    pub pooled: Option<&'a mut [f32]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_the_nearest_and_ties_to_even() {
        let back = |value: f32| f32::from_bits(u32::from(round(value)) << 16);
        assert_eq!(back(1.0), 1.0);
        assert_eq!(back(-3.5), -3.5);
        // bf16 numbers near one are 1/128 apart.
        assert_eq!(back(1.0 + 1.0 / 256.0), 1.0);
        assert_eq!(back(1.0 + 3.0 / 256.0), 1.0 + 2.0 / 128.0);
        assert_eq!(back(1.0 + 1.1 / 256.0), 1.0 + 1.0 / 128.0);
        assert!(back(f32::NAN).is_nan());
        assert_eq!(back(f32::INFINITY), f32::INFINITY);
    }
}
