//! Checks that invalid sizes panic. A kernel could otherwise read or write out of bounds.

use std::panic::catch_unwind;

use tablut_kernels::{Aligned, Grid, Int8Depthwise, Int8Matrix, Kernels, Matrix, Rows, Simd};

const GRID: Grid = Grid::new(9, 9);

/// Asserts that `make` panics.
fn refused<T>(what: &str, make: impl FnOnce() -> T + std::panic::UnwindSafe) {
    assert!(catch_unwind(make).is_err(), "{what} is accepted");
}

#[test]
fn channels_that_do_not_come_in_sixteens_are_refused() {
    let kernels = Kernels::new(Simd::best()).expect("the best level is available");
    let (image, weights) = ([0.0; 81 * 17], [0.0; 9 * 17]);
    refused("an image of 17 channels", || {
        kernels.depthwise(GRID, &image, [&weights, &[]], false, &mut [0.0; 81 * 17]);
    });
    refused("its gradient", || kernels.depthwise_gradient(GRID, &image, &image, &mut [0.0; 9 * 17]));
    refused("pooling of 17 channels", || {
        kernels.pool(Rows { values: &image, stride: 17, count: 81 }, 17, &mut [0.0; 34]);
    });
    refused("a gate of 17 channels", || kernels.gate(&mut [0.0; 81 * 17], &image, 1.0, &mut [0.0; 17]));
    refused("sums of 17 outputs", || {
        let rows = |stride| Rows { values: &image, stride, count: 1 };
        kernels.outer(&[[rows(16), rows(17)]], 16, false, &mut [0.0; 16 * 17]);
    });
    refused("weights in integers of 16 channels", || Int8Depthwise::pack(&[0.0; 9 * 16]));
    refused("a matrix in integers of 16 inputs", || Int8Matrix::pack([32, 16], &[0.0; 512], &[1.0; 32]));
}

#[test]
fn sizes_whose_product_overflows_are_refused() {
    const HUGE: usize = 1 << 60;
    refused("a buffer", || Aligned::<f32>::zeroed((1 << 62) + 16));
    refused("a matrix", || Matrix::pack(HUGE, 16, &[]));
    refused("a grid", || Grid::new(3 << 62, 3 << 62));
    refused("an empty grid", || Grid::new(9, 0));
}
