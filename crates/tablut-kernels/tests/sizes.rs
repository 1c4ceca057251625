//! Checks that invalid sizes panic. A kernel could otherwise read or write out of bounds.

use std::panic::catch_unwind;

use tablut_kernels::{
    Aligned, Bf16Convolution, Bf16Images, Bf16PointConvolution, Bf16WeightGradient, Convolution, Grid, Matrix,
    PointSums, Transformed,
};

const GRID: Grid = Grid::new(9, 9);

/// Asserts that `make` panics.
fn refused<T>(what: &str, make: impl FnOnce() -> T + std::panic::UnwindSafe) {
    assert!(catch_unwind(make).is_err(), "{what} is accepted");
}

#[test]
fn channels_that_do_not_come_in_sixteens_are_refused() {
    refused("an image of one channel", || Transformed::<f32>::new(GRID, 1, 1));
    refused("an image of 17 channels", || Transformed::<u16>::new(GRID, 1, 17));
    refused("sums of one channel", || PointSums::new(1, 1));
    refused("sums of one output", || PointSums::new(16, 1));
    refused("sums of other channels", || PointSums::new(32, 32).reshape(16, 17));
    refused("a convolution of 17 outputs", || Convolution::zeroed(17, 16));
}

#[test]
fn sizes_whose_product_overflows_are_refused() {
    const HUGE: usize = 1 << 60;
    refused("a buffer", || Aligned::<f32>::zeroed((1 << 62) + 16));
    refused("tiles", || Transformed::<f32>::new(GRID, HUGE, 16));
    refused("other tiles", || Transformed::<f32>::new(GRID, 1, 16).reshape(HUGE, 16));
    refused("sums", || PointSums::new(HUGE, 16));
    refused("other sums", || PointSums::new(16, 16).reshape(HUGE, 16));
    refused("a convolution", || Convolution::zeroed(HUGE, 16));
    refused("a convolution of as many inputs as there are numbers", || Convolution::zeroed(16, usize::MAX));
    refused("a matrix", || Matrix::pack(HUGE, 16, &[]));
    refused("bf16 images", || Bf16Images::new(GRID, HUGE, 32));
    refused("a bf16 convolution", || Bf16Convolution::zeroed(HUGE, 32, 3));
    refused("a bf16 convolution of as many outputs as there are numbers", || {
        Bf16Convolution::zeroed(usize::MAX, 32, 3)
    });
    refused("a bf16 convolution at points", || Bf16PointConvolution::pack(HUGE, 16, &[]));
    refused("bf16 gradients", || Bf16WeightGradient::new(GRID, HUGE, 32, 32));
    refused("a grid", || Grid::new(3 << 62, 3 << 62));
}
