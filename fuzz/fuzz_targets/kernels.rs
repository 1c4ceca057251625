//! Calls the kernels' public functions with arbitrary shapes. They reject wrong shapes with a panic and must not access
//! other memory. `SANITIZE=1 fuzz/run 600 kernels` builds with AddressSanitizer, which finds such accesses.
#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use tablut_kernels::{Aligned, Grid, Int8Depthwise, Int8Matrix, Kernels, Matrix, Rows, Simd};

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
    let (inputs, outputs) = (sizes.channels(), sizes.channels());
    let small = |size: usize| size <= 1 << 16;
    match sizes.byte() % 12 {
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
        3 => drop(Aligned::<f32>::zeroed(if small(inputs) { inputs } else { inputs | 1 << 61 })),
        4 => {
            let (lefts, rights, count) = (sizes.channels(), sizes.channels(), sizes.count());
            let (left, right) = (sizes.values(times(lefts, count)), sizes.values(times(rights, count)));
            let mut sums = sizes.values(times(inputs, rights));
            let rows = |values, stride| Rows { values, stride, count };
            kernels.outer(&[[rows(&left, lefts), rows(&right, rights)]], inputs, sizes.byte() % 2 == 0, &mut sums);
        }
        5 => {
            let (grid, image) = images(sizes, inputs);
            let weights = sizes.values(times(9, inputs));
            let bias = sizes.values(Some(inputs));
            let mut out = image.clone();
            kernels.depthwise(grid, &image, [&weights, &bias], sizes.byte() % 2 == 0, &mut out);
        }
        6 => {
            let (grid, image) = images(sizes, inputs);
            let gradient = sizes.values(Some(image.len()));
            let mut sums = sizes.values(times(9, inputs));
            kernels.depthwise_gradient(grid, &image, &gradient, &mut sums);
        }
        7 => {
            let (_, mut image) = images(sizes, inputs);
            let active = sizes.values(Some(image.len()));
            let mut sums = sizes.values(Some(inputs));
            kernels.gate(&mut image, &active, 1.0, &mut sums);
        }
        8 => {
            let (_, mut image) = images(sizes, inputs);
            let active = sizes.values(Some(image.len()));
            let (maxima, gradient) = (sizes.values(Some(inputs)), sizes.values(Some(inputs)));
            let first = if sizes.byte() % 8 == 0 { sizes.count() } else { 0 };
            kernels.add_at_maxima(&active, &maxima, &gradient, [inputs, first], &mut image);
        }
        _ if small(inputs) && small(outputs) => integers(kernels, sizes, [2 * inputs, 2 * outputs]),
        _ => {}
    }
}

/// A grid, and an image that seldom has another size.
fn images(sizes: &mut Sizes<'_>, channels: usize) -> (Grid, Vec<f32>) {
    let grid = sizes.grid();
    let image = sizes.values(times(grid.squares(), channels));
    (grid, image)
}

/// The layers in integers.
fn integers(kernels: Kernels, sizes: &mut Sizes<'_>, [inputs, outputs]: [usize; 2]) {
    let bytes = |values: Vec<f32>| values.into_iter().map(|value| (value * 99.0) as u8).collect::<Vec<_>>();
    let grid = sizes.grid();
    let mut image = bytes(sizes.values(times(grid.squares(), inputs)));
    if sizes.byte() % 2 == 0 {
        let layer = Int8Depthwise::pack(&sizes.values(times(9, inputs)));
        let starts: Vec<i16> = sizes.values(Some(inputs)).into_iter().map(|value| value as i16).collect();
        let mut out = image.clone();
        kernels.int8_depthwise(grid, &image, &layer, &starts, &mut out);
        let mut pooled = sizes.values(times(2, inputs));
        kernels.int8_pool(&out, &mut pooled);
        return;
    }
    let matrix = Int8Matrix::pack([outputs, inputs], &sizes.values(times(inputs, outputs)), &vec![32.0; outputs]);
    let starts: Vec<i32> = sizes.values(Some(outputs)).into_iter().map(|value| value as i32).collect();
    let mut sums: Vec<i16> =
        sizes.values(times(grid.squares(), outputs)).into_iter().map(|value| value as i16).collect();
    kernels.int8_product(&image, &matrix, &starts, &mut sums);
    kernels.int8_clip(&sums, sizes.byte() as u32, &mut bytes(sizes.values(Some(sums.len()))));
    let rows = image.clone();
    kernels.int8_product_onto(&rows, &matrix, &starts, &mut image);
}

fuzz_target!(|bytes: &[u8]| {
    // The kernels reject wrong shapes with a panic, so a panic is not a finding.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let mut sizes = Sizes(bytes);
    let levels = [Simd::Plain, Simd::Avx2, Simd::Avx512];
    let Ok(kernels) = Kernels::new(levels[sizes.byte() % levels.len()]) else { return };
    let _ = catch_unwind(AssertUnwindSafe(|| call(kernels, &mut sizes)));
});
