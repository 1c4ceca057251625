//! Calls the kernels' public functions with arbitrary shapes. They reject wrong shapes with a panic and must not access
//! other memory. `SANITIZE=1 fuzz/run 600 kernels` builds with AddressSanitizer, which finds such accesses.
#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use tablut_kernels::{Aligned, Convolution, Epilogue, Grid, Kernels, Matrix, PointSums, Rows, Simd, Transformed};

static QUIET: Once = Once::new();

/// Reads sizes from the input. Most are small and match each other, some are wrong, some are huge.
struct Sizes<'a>(&'a [u8]);

impl Sizes<'_> {
    fn byte(&mut self) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first.into()
    }

    /// A multiple of 16, seldom another number.
    fn channels(&mut self) -> usize {
        match self.byte() {
            byte @ 0..=239 => 16 * (byte % 4 + 1),
            240..=247 => self.byte(),
            _ => usize::MAX >> (self.byte() % 64),
        }
    }

    /// A small number, seldom a huge one.
    fn count(&mut self) -> usize {
        match self.byte() {
            byte @ 0..=247 => byte % 5,
            _ => usize::MAX >> (self.byte() % 64),
        }
    }

    /// A slice of the expected length, seldom of another one. No slice is longer than 1 MiB.
    fn values(&mut self, expected: Option<usize>) -> Vec<f32> {
        let length = match self.byte() {
            0..=239 => expected.unwrap_or(0),
            _ => self.byte() * 8 + self.byte() % 8,
        };
        vec![0.5; length.min(1 << 18)]
    }

    fn grid(&mut self) -> Grid {
        match self.byte() {
            0..=127 => Grid::new(9, 9),
            128..=239 => Grid::new(self.byte() % 12, self.byte() % 12),
            _ => Grid::new(self.count(), self.count()),
        }
    }
}

/// The product, or `None` if it overflows.
fn times(a: usize, b: usize) -> Option<usize> {
    a.checked_mul(b)
}

fn call(kernels: Kernels, sizes: &mut Sizes<'_>) {
    let (inputs, outputs, images, index) = (sizes.channels(), sizes.channels(), sizes.count(), sizes.count());
    let small = |size: usize| size <= 1 << 16;
    match sizes.byte() % 8 {
        0 if small(inputs) && small(outputs) => {
            let weights = sizes.values(times(inputs, outputs));
            let matrix = Matrix::pack(outputs, inputs, &weights);
            let (stride, count) = (sizes.channels(), sizes.count());
            let values = sizes.values(times(stride, count));
            let init = sizes.values(Some(outputs));
            let mut out = sizes.values(times(outputs, count));
            let relu = sizes.byte() % 2 == 0;
            kernels.product(Rows { values: &values, stride, count }, &matrix, &init, relu, &mut out);
        }
        1 => {
            let (stride, count) = (sizes.channels(), sizes.count());
            let values = sizes.values(times(stride, count));
            let mut pooled = sizes.values(times(2, inputs));
            kernels.pool(Rows { values: &values, stride, count }, inputs, &mut pooled);
        }
        2 => {
            let (a, b) = (sizes.values(Some(inputs)), sizes.values(Some(inputs)));
            kernels.dot(&a, &b);
        }
        3 => drop(Aligned::<f32>::zeroed(if small(inputs) { inputs } else { inputs | 1 << 61 })),
        4 => {
            let (lefts, rights, count) = (sizes.channels(), sizes.channels(), sizes.count());
            let (left, right) = (sizes.values(times(lefts, count)), sizes.values(times(rights, count)));
            let mut sums = sizes.values(times(inputs, rights));
            let rows = |values, stride| Rows { values, stride, count };
            kernels.outer(&[[rows(&left, lefts), rows(&right, rights)]], inputs, sizes.byte() % 2 == 0, &mut sums);
        }
        _ => convolve(kernels, sizes, [inputs, outputs], images, index),
    }
}

/// A convolution forward and backward. The sizes of each step may not match.
fn convolve(kernels: Kernels, sizes: &mut Sizes<'_>, [inputs, outputs]: [usize; 2], images: usize, index: usize) {
    let grid = sizes.grid();
    // A size that fits into the address space but not into memory would make the allocator abort. So sizes are either
    // small, or their number of bytes overflows.
    let fits = |grid: Grid, channels| {
        times(images, channels).and_then(|n| times(n, grid.squares())).is_some_and(|n| n < 1 << 20)
    };
    let overflows = |channels: usize| times(images, channels).is_none_or(|n| n > 1 << 61);
    if [inputs, outputs].into_iter().any(|channels| !fits(grid, channels) && !overflows(channels)) {
        return;
    }
    let mut tiles = Transformed::<f32>::new(grid, images, inputs);
    let image = sizes.values(times(grid.squares(), inputs));
    kernels.transform_input(&image, index, &mut tiles);
    if inputs > 1 << 10 || outputs > 1 << 10 {
        return;
    }
    let mut convolution = Convolution::zeroed(outputs, inputs);
    let weights = sizes.values(times(9 * inputs, outputs));
    kernels.repack(&weights, &mut convolution);
    let (other, channels) = (sizes.grid(), sizes.channels());
    let differs = sizes.byte() % 8 == 0 && fits(other, channels);
    let (grid, outputs_of_products) = if differs { (other, channels) } else { (grid, outputs) };
    let mut products = Transformed::<f32>::new(grid, images, outputs_of_products);
    kernels.multiply(&convolution, &tiles, &mut products);
    let bias = sizes.values(Some(products.channels()));
    let mut image = sizes.values(times(products.grid().squares(), products.channels()));
    let mut pooled = sizes.values(times(2, products.channels()));
    let pooled = (sizes.byte() % 2 == 0).then_some(&mut pooled[..]);
    let residual = sizes.byte() % 2 == 0;
    kernels.transform_output(&products, index, Epilogue { bias: &bias, residual, pooled }, &mut image);
    kernels.spread_gradient(&image, index, &mut products);
    let mut sums = PointSums::new(sizes.channels().min(1 << 10), outputs);
    if sizes.byte() % 8 > 0 {
        sums.reshape(inputs, outputs);
    }
    kernels.accumulate(&tiles, &products, sizes.byte() % 2 == 0, &mut sums);
    let mut taps = sizes.values(times(9 * inputs, outputs));
    kernels.weight_gradient(&sums, &mut taps);
}

fuzz_target!(|bytes: &[u8]| {
    // The kernels reject wrong shapes with a panic, so a panic is not a finding.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let mut sizes = Sizes(bytes);
    let levels = [Simd::Plain, Simd::Avx2, Simd::Avx512];
    let Ok(kernels) = Kernels::new(levels[sizes.byte() % levels.len()]) else { return };
    let _ = catch_unwind(AssertUnwindSafe(|| call(kernels, &mut sizes)));
});
