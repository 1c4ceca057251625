//! Compares every level with plain f64 arithmetic, and checks that results are reproducible to the bit.

mod checksum;

use proptest::prelude::*;
use tablut_kernels::{Convolution, Epilogue, Grid, Kernels, Matrix, Rows, Simd, Transformed, reference};

/// The levels of this machine.
fn levels() -> Vec<Kernels> {
    Simd::ALL.into_iter().filter_map(|simd| Kernels::new(simd).ok()).collect()
}

/// `len` numbers in -1..1 that depend only on `seed`.
fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// Asserts that `found` is within `tolerance` of `expected`, relative to the largest magnitude of `expected`.
fn assert_close(found: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * scale, "{what}: {f} at {i}, expected {e} (of {scale})");
    }
}

/// Replaces negative values by zero.
fn rectify(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}

/// One convolution of `images`. Each result is rectified after adding `bias` and, if `residual`, the old content.
struct Layer {
    grid: Grid,
    weights: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Layer {
    fn random(grid: Grid, inputs: usize, outputs: usize, seed: u64) -> Layer {
        Layer { grid, weights: numbers(inputs * outputs * 9, seed), bias: numbers(outputs, seed + 1), inputs, outputs }
    }

    /// The images after the layer and their pooled values.
    fn run(&self, kernels: Kernels, images: &[Vec<f32>], onto: Option<&[Vec<f32>]>) -> Vec<[Vec<f32>; 2]> {
        let convolution = Convolution::pack(self.outputs, self.inputs, &self.weights);
        let n = images.len();
        let mut tiles = Transformed::new(self.grid, n, self.inputs);
        let mut products = Transformed::new(self.grid, n, self.outputs);
        for (i, image) in images.iter().enumerate() {
            kernels.transform_input(image, i, &mut tiles);
        }
        kernels.multiply(&convolution, &tiles, &mut products);
        (0..n)
            .map(|i| {
                let mut out = match onto {
                    Some(onto) => onto[i].clone(),
                    None => vec![0.0; self.grid.squares() * self.outputs],
                };
                let mut pooled = vec![0.0; 2 * self.outputs];
                let epilogue = Epilogue { bias: &self.bias, residual: onto.is_some(), pooled: Some(&mut pooled) };
                kernels.transform_output(&products, i, epilogue, &mut out);
                [out, pooled]
            })
            .collect()
    }

    /// The same with the reference.
    fn reference(&self, image: &[f32], onto: Option<&[f32]>) -> [Vec<f32>; 2] {
        let mut out = reference::convolution(self.grid, image, &self.weights, self.outputs, self.inputs);
        for (i, value) in out.iter_mut().enumerate() {
            *value = (*value + self.bias[i % self.outputs] + onto.map_or(0.0, |o| o[i])).max(0.0);
        }
        let pooled = reference::pool(&out, self.outputs);
        [out, pooled]
    }
}

#[test]
fn a_convolution_agrees_with_the_direct_form_at_every_level() {
    for (grid, inputs, outputs) in
        [(Grid::new(9, 9), 16, 32), (Grid::new(9, 9), 64, 64), (Grid::new(9, 9), 128, 48), (Grid::new(3, 12), 32, 16)]
    {
        let layer = Layer::random(grid, inputs, outputs, 5);
        let size = grid.squares();
        let images: Vec<_> = (0..3).map(|i| numbers(size * inputs, 70 + i)).collect();
        let onto: Vec<_> = (0..3).map(|i| numbers(size * outputs, 80 + i)).collect();
        for kernels in levels() {
            let what = format!("{} {grid:?} {inputs} to {outputs}", kernels.simd());
            let plain = layer.run(kernels, &images, None);
            let added = layer.run(kernels, &images, Some(&onto));
            for i in 0..images.len() {
                let [image, pooled] = layer.reference(&images[i], None);
                assert_close(&plain[i][0], &image, 1e-5, &what);
                assert_close(&plain[i][1], &pooled, 1e-5, &what);
                let [image, pooled] = layer.reference(&images[i], Some(&onto[i]));
                assert_close(&added[i][0], &image, 1e-5, &what);
                assert_close(&added[i][1], &pooled, 1e-5, &what);
            }
        }
    }
}

#[test]
fn inputs_that_fill_no_sixteen_are_padded() {
    let (grid, inputs, outputs) = (Grid::new(9, 9), 13, 16);
    let weights = numbers(inputs * outputs * 9, 3);
    let convolution = Convolution::pack(outputs, inputs, &weights);
    assert_eq!(convolution.inputs(), 16);
    let image = numbers(grid.squares() * inputs, 4);
    let padded: Vec<f32> =
        image.chunks_exact(inputs).flat_map(|square| square.iter().copied().chain([0.0; 3])).collect();
    let mut expected = reference::convolution(grid, &image, &weights, outputs, inputs);
    rectify(&mut expected);
    for kernels in levels() {
        let mut tiles = Transformed::new(grid, 1, 16);
        let mut products = Transformed::new(grid, 1, outputs);
        kernels.transform_input(&padded, 0, &mut tiles);
        kernels.multiply(&convolution, &tiles, &mut products);
        let mut out = vec![0.0; grid.squares() * outputs];
        let epilogue = Epilogue { bias: &[0.0; 16], residual: false, pooled: None };
        kernels.transform_output(&products, 0, epilogue, &mut out);
        assert_close(&out, &expected, 1e-5, &kernels.simd().to_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn an_image_has_the_same_bits_in_any_batch(seed in 0u64..1000, n in 1usize..20, place in 0usize..20) {
        let place = place % n;
        let layer = Layer::random(Grid::new(9, 9), 32, 48, seed);
        let images: Vec<_> = (0..n as u64).map(|i| numbers(81 * 32, seed + 100 + i)).collect();
        for kernels in levels() {
            let together = layer.run(kernels, &images, None);
            let alone = layer.run(kernels, &images[place..=place], None);
            prop_assert_eq!(&together[place], &alone[0], "{}", kernels.simd());
        }
    }

    #[test]
    fn products_agree_and_have_fixed_bits(
        seed in 0u64..1000, rows in 1usize..40, inputs in 1usize..70, outputs in 1usize..70, relu: bool,
    ) {
        let weights = numbers(inputs * outputs, seed);
        let matrix = Matrix::pack(outputs, inputs, &weights);
        let values = numbers(rows * inputs, seed + 1);
        let width = matrix.padded_outputs();
        let mut init = numbers(outputs, seed + 2);
        let mut expected = reference::product(&values, &weights, &init, inputs);
        if relu {
            rectify(&mut expected);
        }
        init.resize(width, 0.0);
        for kernels in levels() {
            let mut out = vec![0.0; rows * width];
            let all = Rows { values: &values, stride: inputs, count: rows };
            kernels.product(all, &matrix, &init, relu, &mut out);
            let real: Vec<f32> = out.chunks(width).flat_map(|row| &row[..outputs]).copied().collect();
            assert_close(&real, &expected, 1e-5, &kernels.simd().to_string());
            let mut alone = vec![0.0; width];
            let last = Rows { values: &values[(rows - 1) * inputs..], stride: inputs, count: 1 };
            kernels.product(last, &matrix, &init, relu, &mut alone);
            prop_assert_eq!(&alone[..], &out[(rows - 1) * width..]);
        }
    }
}

/// The checksum of the levels that round a product and a sum [together](Simd::is_fused), on every machine.
const FUSED: u64 = 13_888_153_801_455_243_618;
/// The checksum of the other levels.
const SEPARATE: u64 = 13_641_947_717_839_783_387;

#[test]
fn bits_are_the_same_at_every_level_and_on_every_machine() {
    for kernels in levels() {
        let mut sum = checksum::Checksum::default();
        for seed in 0..24 {
            let layer = Layer::random(Grid::new(9, 9), 48, 32, seed);
            let images: Vec<_> = (0..3).map(|i| numbers(81 * 48, seed + 100 + i)).collect();
            let onto: Vec<_> = (0..3).map(|i| numbers(81 * 32, seed + 200 + i)).collect();
            layer.run(kernels, &images, Some(&onto)).iter().flatten().for_each(|values| sum.add(values));
            let (rows, inputs, outputs) = (5 + seed as usize, 53, 37);
            let matrix = Matrix::pack(outputs, inputs, &numbers(inputs * outputs, seed + 300));
            let mut out = vec![0.0; rows * matrix.padded_outputs()];
            let values = numbers(rows * inputs, seed + 400);
            let init = numbers(matrix.padded_outputs(), seed + 500);
            kernels.product(Rows { values: &values, stride: inputs, count: rows }, &matrix, &init, true, &mut out);
            sum.add(&out);
            sum.add(&[kernels.dot(&images[0][..320], &images[1][..320])]);
        }
        let expected = if kernels.simd().is_fused() { FUSED } else { SEPARATE };
        assert_eq!(sum.value(), expected, "{}", kernels.simd());
    }
}

#[test]
fn pooling_and_scalar_products_agree_at_every_level() {
    let image = numbers(81 * 48, 11);
    let expected = reference::pool(&image, 48);
    let sum: f64 = (0..48).map(|i| f64::from(image[i]) * f64::from(image[48 + i])).sum();
    for kernels in levels() {
        let mut pooled = vec![0.0; 96];
        kernels.pool(Rows { values: &image, stride: 48, count: 81 }, 48, &mut pooled);
        assert_close(&pooled, &expected, 1e-6, &kernels.simd().to_string());
        // Pools only the last 16 of the 48 channels.
        let mut some = vec![0.0; 32];
        kernels.pool(Rows { values: &image[32..], stride: 48, count: 81 }, 16, &mut some);
        assert_eq!(some, [&pooled[32..48], &pooled[80..]].concat());
        let dot = kernels.dot(&image[..48], &image[48..96]);
        assert!((f64::from(dot) - sum).abs() < 1e-5, "{}: {dot} for {sum}", kernels.simd());
    }
}

#[test]
#[should_panic(expected = "size of an image")]
fn an_image_of_another_size_is_refused() {
    let kernels = Kernels::new(Simd::best()).expect("the best level is available");
    let mut tiles = Transformed::new(Grid::new(9, 9), 1, 16);
    kernels.transform_input(&[0.0; 80 * 16], 0, &mut tiles);
}

#[test]
#[should_panic(expected = "fit its matrix")]
fn rows_that_end_too_soon_are_refused() {
    let kernels = Kernels::new(Simd::best()).expect("the best level is available");
    let matrix = Matrix::pack(16, 8, &[0.0; 128]);
    let rows = Rows { values: &[0.0; 23], stride: 8, count: 3 };
    kernels.product(rows, &matrix, &[], false, &mut [0.0; 48]);
}

#[test]
#[should_panic(expected = "fit its matrix")]
fn a_stride_whose_rows_end_past_the_end_of_memory_is_refused() {
    let kernels = Kernels::new(Simd::best()).expect("the best level is available");
    let matrix = Matrix::pack(16, 8, &[0.0; 128]);
    // Twice this overflows to zero in 64 bits.
    let rows = Rows { values: &[0.0; 8], stride: 1 << (usize::BITS - 1), count: 3 };
    kernels.product(rows, &matrix, &[], false, &mut [0.0; 48]);
}
