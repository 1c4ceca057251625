//! 3×3 convolutions by Winograd's F(3×3, 3×3). It computes tiles of 3×3 outputs from 5×5 inputs with 25 products for
//! each pair of channels.
//!
//! Lavin and Gray, *Fast Algorithms for Convolutional Neural Networks* (2016), with the points 0, 1, −1, 2 and ∞: an
//! output tile is `Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A`. With the sum over input channels, each of the 25 points is one matrix
//! product over all tiles of all images.

pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod spread;
pub(crate) mod weights;

use crate::aligned::{Element, padded, volume};
use crate::matrix::packed_index;
use crate::{Aligned, LANES};

/// Side of a tile, in outputs.
pub(crate) const TILE: usize = 3;
/// Side of a tile, in inputs and in points.
pub(crate) const SPAN: usize = 5;
/// Points of a tile.
pub(crate) const POINTS: usize = SPAN * SPAN;

/// `G`: from the three taps of a kernel's line to the five points.
const KERNEL: [[f64; 3]; SPAN] = [
    [0.5, 0.0, 0.0],
    [-0.5, -0.5, -0.5],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
    [0.0, 0.0, 1.0],
];

/// The size of an image, in squares.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Grid {
    height: usize,
    width: usize,
}

impl Grid {
    /// A grid of `height` × `width` squares.
    ///
    /// # Panics
    ///
    /// If a side is not a positive multiple of three, or is above 65,535.
    pub const fn new(height: usize, width: usize) -> Grid {
        assert!(
            height > 0 && width > 0 && height.is_multiple_of(TILE) && width.is_multiple_of(TILE),
            "the sides of a grid are multiples of three"
        );
        assert!(height <= u16::MAX as usize && width <= u16::MAX as usize, "the sides of a grid are at most 65,535");
        Grid { height, width }
    }

    /// Rows of squares.
    pub const fn height(self) -> usize {
        self.height
    }

    /// Squares in a row.
    pub const fn width(self) -> usize {
        self.width
    }

    /// Number of squares.
    pub const fn squares(self) -> usize {
        self.height * self.width
    }

    /// Number of 3×3 tiles that cover the grid.
    pub const fn tiles(self) -> usize {
        self.squares() / (TILE * TILE)
    }
}

/// The weights of a 3×3 convolution with zero padding, transformed and packed: for each point a packed
/// `[outputs, inputs]` matrix.
#[derive(Clone)]
pub struct Convolution {
    inputs: usize,
    outputs: usize,
    points: Aligned,
}

impl Convolution {
    /// Transforms weights `[outputs, inputs, 3, 3]` (row-major; kernel rows are parallel to the grid's rows). Inputs
    /// are padded with zero channels to a multiple of sixteen.
    ///
    /// # Panics
    ///
    /// If `outputs` is not a multiple of sixteen, or `weights` does not have `outputs * inputs * 9` values.
    pub fn pack(outputs: usize, inputs: usize, weights: &[f32]) -> Convolution {
        assert!(outputs.is_multiple_of(LANES), "the number of outputs is a multiple of 16");
        assert_eq!(weights.len(), volume([outputs, inputs, 9]), "size of a kernel");
        let padded = padded(inputs, LANES);
        let size = outputs * padded;
        let mut points = Aligned::zeroed(volume([POINTS, outputs, padded]));
        for (pair, taps) in weights.chunks_exact(9).enumerate() {
            let (output, input) = (pair / inputs, pair % inputs);
            let at = packed_index(padded, output, input);
            for (point, value) in transform_kernel(taps).into_iter().enumerate() {
                points[point * size + at] = value;
            }
        }
        Convolution { inputs: padded, outputs, points }
    }

    /// Input channels, including padding.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// A convolution with all weights zero, to be [repacked](crate::Kernels::repack).
    ///
    /// # Panics
    ///
    /// If `outputs` is not a multiple of sixteen.
    pub fn zeroed(outputs: usize, inputs: usize) -> Convolution {
        assert!(outputs.is_multiple_of(LANES), "the number of outputs is a multiple of 16");
        let inputs = padded(inputs, LANES);
        Convolution { inputs, outputs, points: Aligned::zeroed(volume([POINTS, outputs, inputs])) }
    }

    pub(crate) fn points_mut(&mut self) -> &mut [f32] {
        &mut self.points
    }

    /// The packed matrix of one point. It is empty if `point` is past the last one.
    pub(crate) fn point(&self, point: usize) -> &[f32] {
        let size = self.inputs * self.outputs;
        self.points.get(point * size..(point + 1) * size).unwrap_or(&[])
    }
}

/// `G g Gᵀ`, computed in f64 and rounded at the end.
pub(crate) fn transform_kernel(taps: &[f32]) -> [f32; POINTS] {
    let mut points = [0.0; POINTS];
    for (i, down) in KERNEL.iter().enumerate() {
        for (j, across) in KERNEL.iter().enumerate() {
            let sum: f64 = (0..9).map(|tap| down[tap / 3] * across[tap % 3] * f64::from(taps[tap])).sum();
            points[i * SPAN + j] = sum as f32;
        }
    }
    points
}

/// The tiles of some images at every point: `[point][image][tile][channel]`, in f32, or rounded to bf16
/// ([`Bf16Tiles`](crate::Bf16Tiles)).
pub struct Transformed<T: Element = f32> {
    grid: Grid,
    values: Aligned<T>,
    images: usize,
    channels: usize,
}

impl<T: Element> Transformed<T> {
    /// Memory for `images` images of `channels` channels. Values are unspecified until written.
    ///
    /// # Panics
    ///
    /// If the channels are not a multiple of sixteen, or the size overflows the address space.
    pub fn new(grid: Grid, images: usize, channels: usize) -> Self {
        Self { grid, values: Aligned::zeroed(size_of_points::<T>(grid, images, channels)), images, channels }
    }

    /// Changes the size to `images` images of `channels` channels, without allocating.
    ///
    /// # Panics
    ///
    /// If the channels are not a multiple of sixteen, or the new size exceeds the allocated memory.
    pub fn reshape(&mut self, images: usize, channels: usize) {
        let size = size_of_points::<T>(self.grid, images, channels);
        assert!(size <= self.values.len(), "room for the tiles");
        (self.images, self.channels) = (images, channels);
    }

    /// The grid of the images.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of images.
    pub fn images(&self) -> usize {
        self.images
    }

    /// Channels of each image.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The first tile of the image at place `index`, which has `len` values.
    ///
    /// # Panics
    ///
    /// If there is no such place, or an image has another size.
    pub(crate) fn first_tile(&self, index: usize, len: usize) -> usize {
        assert!(index < self.images, "an image's place");
        assert_eq!(len, self.grid.squares() * self.channels, "size of an image");
        index * self.grid.tiles()
    }

    /// The distance from one point's values to the next point's.
    pub(crate) fn point_stride(&self) -> usize {
        point_stride::<T>(self.grid, self.images, self.channels)
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

/// The values of all points, with the space between them.
fn size_of_points<T>(grid: Grid, images: usize, channels: usize) -> usize {
    assert!(channels.is_multiple_of(LANES), "the number of channels is a multiple of 16");
    let values = volume([POINTS, images, grid.tiles(), channels]);
    values.saturating_add(POINTS * (point_stride::<T>(grid, 0, 0)))
}

/// One cache line more than the values of a point, so that the points of a tile are in different cache sets.
fn point_stride<T>(grid: Grid, images: usize, channels: usize) -> usize {
    images * grid.tiles() * channels + LANES * size_of::<f32>() / size_of::<T>()
}
