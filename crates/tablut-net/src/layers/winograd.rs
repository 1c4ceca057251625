//! Arithmetics whose 3×3 convolutions go by Winograd's points: in f32, and with products in bf16 on AVX-512.

use ndarray::Array2;
use tablut_kernels::{Bf16PointConvolution, Bf16Tiles, Bf16Vectors, Kernels, LANES, Matrix, Transformed};

use super::packing::{Arithmetic, GRID, matrix};
use super::parameter::Convolution;

/// An arithmetic of convolutions by Winograd's points. Images, and the products at the points, are f32.
pub trait Winograd: Arithmetic<Squares = Matrix> {
    /// The tiles of some images at every point.
    type Tiles: Send;

    /// Changes the size of `tiles` to `n` images of `channels`, without allocating.
    fn reshape(tiles: &mut Self::Tiles, n: usize, channels: usize);

    /// Writes the tiles of an image to place `row`.
    fn transform_input(kernels: Kernels, image: &[f32], row: usize, tiles: &mut Self::Tiles);

    /// The products of a convolution for all images.
    fn multiply(kernels: Kernels, convolution: &Self::Convolution, tiles: &Self::Tiles, products: &mut Transformed);

    /// The convolution's output channels.
    fn outputs(convolution: &Self::Convolution) -> usize;
}

/// Single precision, on every machine.
#[derive(Copy, Clone, Debug)]
pub struct F32;

impl Arithmetic for F32 {
    const LANES: usize = LANES;
    type Convolution = tablut_kernels::Convolution;
    type Squares = Matrix;

    fn convolution(layer: &Convolution, weights: &[f32]) -> Self::Convolution {
        tablut_kernels::Convolution::pack(layer.outputs, layer.inputs, weights)
    }

    fn squares(rows: &Array2<f32>) -> Matrix {
        matrix(rows)
    }
}

impl Winograd for F32 {
    type Tiles = Transformed;

    fn reshape(tiles: &mut Transformed, n: usize, channels: usize) {
        tiles.reshape(n, channels);
    }

    fn transform_input(kernels: Kernels, image: &[f32], row: usize, tiles: &mut Transformed) {
        kernels.transform_input(image, row, tiles);
    }

    fn multiply(kernels: Kernels, convolution: &Self::Convolution, tiles: &Transformed, products: &mut Transformed) {
        kernels.multiply(convolution, tiles, products);
    }

    fn outputs(convolution: &Self::Convolution) -> usize {
        convolution.outputs()
    }
}

/// Tiles and transformed weights are rounded to bf16, for AVX-512. The heads' 1×1 convolutions stay in f32.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Bf16Points;

/// Rounded tiles, and the kernels that work on them.
pub(crate) struct RoundedTiles {
    vectors: Bf16Vectors,
    tiles: Bf16Tiles,
}

impl RoundedTiles {
    /// Memory for `n` images of `channels`.
    pub fn new(vectors: Bf16Vectors, n: usize, channels: usize) -> Self {
        Self { vectors, tiles: Bf16Tiles::new(GRID, n, channels) }
    }
}

impl Arithmetic for Bf16Points {
    const LANES: usize = LANES;
    type Convolution = Bf16PointConvolution;
    type Squares = Matrix;

    fn convolution(layer: &Convolution, weights: &[f32]) -> Bf16PointConvolution {
        Bf16PointConvolution::pack(layer.outputs, layer.inputs, weights)
    }

    fn squares(rows: &Array2<f32>) -> Matrix {
        matrix(rows)
    }
}

impl Winograd for Bf16Points {
    type Tiles = RoundedTiles;

    fn reshape(tiles: &mut RoundedTiles, n: usize, channels: usize) {
        tiles.tiles.reshape(n, channels);
    }

    fn transform_input(_kernels: Kernels, image: &[f32], row: usize, tiles: &mut RoundedTiles) {
        tiles.vectors.transform_input(image, row, &mut tiles.tiles);
    }

    fn multiply(
        _kernels: Kernels,
        convolution: &Bf16PointConvolution,
        tiles: &RoundedTiles,
        products: &mut Transformed,
    ) {
        tiles.vectors.multiply(convolution, &tiles.tiles, products);
    }

    fn outputs(convolution: &Bf16PointConvolution) -> usize {
        convolution.outputs()
    }
}
