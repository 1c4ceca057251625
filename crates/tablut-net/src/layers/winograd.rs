//! The forward pass by Winograd's convolutions, in f32 or with products in bf16 on AVX-512, a few positions at a time.

use tablut_kernels::{Aligned, Bf16Tiles, Bf16Vectors, Epilogue, Kernels, LANES, Rows, Transformed};
use tablut_rules::{Bitboard, SQUARES};

use super::packing::{Arithmetic, GRID, PackedConvolution, PackedSquares};
use super::trunk::{Activations, Place, TrunkStep};
use crate::features::PLANES;

/// Channels of the encoded planes, padded for the kernels.
pub(crate) const PLANE_WIDTH: usize = PLANES.next_multiple_of(LANES);

/// Stores the images of some positions, or overwrites them.
pub trait Store {
    /// Whether the trunk's output is pooled separately, square by square. Otherwise it is pooled tile by tile during
    /// the convolution. The two round the sums differently.
    const POOLS_OUTPUT_BY_ITSELF: bool;

    /// The buffer for a position's planes, `[81][padded planes]`. The padding is zero.
    fn planes(&mut self, row: usize) -> &mut [f32];

    /// The buffer for a position's image at a place, and for its pooled values if the place is pooled. After a block,
    /// the image contains the block's input.
    fn image(&mut self, place: Place, row: usize) -> (&mut [f32], &mut [f32]);

    /// The pooled values of all positions at a place.
    fn pooled(&self, place: Place) -> &[f32];

    /// A position's image after the trunk, and the buffer for the product of both heads' 1×1 convolutions.
    fn trunk_and_joint(&mut self, row: usize) -> (&[f32], &mut [f32]);
}

/// A few positions in the forward pass.
pub struct Points<'a, S> {
    n: usize,
    room: &'a mut Room,
    store: S,
}

/// Buffers for the convolutions of a few positions at a time.
pub struct Room {
    tiles: Tiles,
    products: Transformed,
    /// Biases for every square, `[n][width]`.
    biases: Aligned,
}

/// The tiles of some images at every point: in f32, or rounded to bf16 with the kernels for those.
enum Tiles {
    F32(Transformed),
    Rounded(Bf16Vectors, Bf16Tiles),
}

impl Tiles {
    /// Changes the size to `n` images of `channels`, without allocating.
    fn reshape(&mut self, n: usize, channels: usize) {
        match self {
            Self::F32(tiles) => tiles.reshape(n, channels),
            Self::Rounded(_, tiles) => tiles.reshape(n, channels),
        }
    }

    /// Writes the tiles of an image to place `row`.
    fn transform_input(&mut self, kernels: Kernels, image: &[f32], row: usize) {
        match self {
            Self::F32(tiles) => kernels.transform_input(image, row, tiles),
            Self::Rounded(vectors, tiles) => vectors.transform_input(image, row, tiles),
        }
    }

    /// The products of a convolution for all images.
    fn multiply(&self, kernels: Kernels, convolution: &PackedConvolution, products: &mut Transformed) {
        match (self, convolution) {
            (Self::F32(tiles), PackedConvolution::F32(convolution)) => kernels.multiply(convolution, tiles, products),
            (Self::Rounded(vectors, tiles), PackedConvolution::Bf16Points(convolution)) => {
                vectors.multiply(convolution, tiles, products);
            }
            _ => unreachable!("the buffers have the net's arithmetic"),
        }
    }
}

impl Room {
    /// Buffers for `n` positions of a net with `channels`, and `joint_width` channels in the heads. The tiles are
    /// rounded for [`Arithmetic::Bf16Points`].
    pub fn new(arithmetic: Arithmetic, n: usize, channels: usize, joint_width: usize) -> Self {
        let most = channels.max(PLANE_WIDTH);
        let tiles = match arithmetic {
            Arithmetic::Bf16Points(vectors) => Tiles::Rounded(vectors, Bf16Tiles::new(GRID, n, most)),
            Arithmetic::F32 | Arithmetic::Bf16(_) => Tiles::F32(Transformed::new(GRID, n, most)),
        };
        Self {
            tiles,
            products: Transformed::new(GRID, n, channels),
            biases: Aligned::zeroed(n * channels.max(joint_width)),
        }
    }
}

impl<'a, S: Store> Points<'a, S> {
    /// Starts the forward pass of `n` positions. `n` is at most the number that `room` was created with.
    pub fn new(n: usize, room: &'a mut Room, store: S) -> Self {
        Self { n, room, store }
    }
}

impl<S: Store> Activations for Points<'_, S> {
    fn begin(&mut self, kernels: Kernels, planes: &[Bitboard]) {
        self.room.tiles.reshape(self.n, PLANE_WIDTH);
        for (row, planes) in planes.chunks_exact(PLANES).enumerate() {
            let image = self.store.planes(row);
            channels_last(planes, image);
            self.room.tiles.transform_input(kernels, image, row);
        }
    }

    fn biases(&mut self) -> &mut [f32] {
        &mut self.room.biases
    }

    fn pooled_and_biases(&mut self, place: Place) -> (&[f32], &mut [f32]) {
        (self.store.pooled(place), &mut self.room.biases)
    }

    fn convolve(&mut self, kernels: Kernels, convolution: &PackedConvolution, step: TrunkStep<'_>) {
        let Room { tiles, products, biases } = &mut *self.room;
        let width = convolution.outputs();
        products.reshape(self.n, width);
        tiles.multiply(kernels, convolution, products);
        tiles.reshape(self.n, width);
        for row in 0..self.n {
            let bias = step.bias.unwrap_or_else(|| &biases[row * width..][..width]);
            let (image, pooled) = self.store.image(step.place, row);
            let on_the_way = step.pools && !(step.is_last && S::POOLS_OUTPUT_BY_ITSELF);
            let residual = matches!(step.place, Place::After(_));
            let epilogue = Epilogue { bias, residual, pooled: on_the_way.then_some(&mut *pooled) };
            kernels.transform_output(products, row, epilogue, image);
            if !step.is_last {
                tiles.transform_input(kernels, image, row);
            } else if S::POOLS_OUTPUT_BY_ITSELF {
                kernels.pool(Rows { values: image, stride: width, count: SQUARES }, width, pooled);
            }
        }
    }

    fn squares(&mut self, kernels: Kernels, squares: &PackedSquares, mut each: impl FnMut(usize, &[f32])) {
        let PackedSquares::F32(squares) = squares else { unreachable!("1×1 convolutions are in f32 here") };
        let width = squares.padded_outputs();
        for row in 0..self.n {
            let (trunk, joint) = self.store.trunk_and_joint(row);
            let bias = &self.room.biases[row * width..][..width];
            let trunk = Rows { values: trunk, stride: squares.inputs(), count: SQUARES };
            kernels.product(trunk, squares, bias, true, joint);
            each(row, joint);
        }
    }
}

/// Images that are overwritten as soon as the next layer has read them. This is enough without a backward pass.
pub(crate) struct Overwritten {
    channels: usize,
    /// One position's planes.
    planes: Aligned,
    /// The trunk's activations, `[n][81][channels]`.
    trunk: Aligned,
    /// One position's activations inside a block.
    inside: Aligned,
    /// Means and maxima, `[n][2 * channels]`.
    pooled: Aligned,
    /// One position's activations in the heads.
    joint: Aligned,
}

impl Overwritten {
    /// Buffers for `n` positions of a net with `channels`, and `joint_width` channels in the heads.
    pub fn new(n: usize, channels: usize, joint_width: usize) -> Self {
        Self {
            channels,
            planes: Aligned::zeroed(SQUARES * PLANE_WIDTH),
            trunk: Aligned::zeroed(n * SQUARES * channels),
            inside: Aligned::zeroed(SQUARES * channels),
            pooled: Aligned::zeroed(n * 2 * channels),
            joint: Aligned::zeroed(SQUARES * joint_width),
        }
    }
}

impl Store for &mut Overwritten {
    const POOLS_OUTPUT_BY_ITSELF: bool = false;

    fn planes(&mut self, _row: usize) -> &mut [f32] {
        &mut self.planes
    }

    fn image(&mut self, place: Place, row: usize) -> (&mut [f32], &mut [f32]) {
        let (size, pooled) = (SQUARES * self.channels, 2 * self.channels);
        let image = match place {
            Place::Inside(_) => &mut self.inside[..],
            Place::Stem | Place::After(_) => &mut self.trunk[row * size..][..size],
        };
        (image, &mut self.pooled[row * pooled..][..pooled])
    }

    fn pooled(&self, _place: Place) -> &[f32] {
        &self.pooled
    }

    fn trunk_and_joint(&mut self, row: usize) -> (&[f32], &mut [f32]) {
        let size = SQUARES * self.channels;
        (&self.trunk[row * size..][..size], &mut self.joint)
    }
}

/// Writes planes as squares `[81][padded planes]`.
fn channels_last(planes: &[Bitboard], squares: &mut [f32]) {
    squares.fill(0.0);
    for (channel, plane) in planes.iter().enumerate() {
        for square in *plane {
            squares[square.index() * PLANE_WIDTH + channel] = 1.0;
        }
    }
}
