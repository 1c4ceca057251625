//! Compares every level with plain f64 arithmetic, and checks that results are reproducible to the bit.

mod checksum;

use proptest::prelude::*;
use tablut_kernels::{Kernels, Matrix, Rows, Simd};

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

/// `init + weights · row` for every row, in f64, with `weights` `[outputs, inputs]`; returns `[row][outputs]`.
fn product(rows: &[f32], weights: &[f32], init: &[f32], inputs: usize) -> Vec<f32> {
    let mut out = Vec::new();
    for row in rows.chunks_exact(inputs) {
        for (line, &start) in weights.chunks_exact(inputs).zip(init) {
            let terms = line.iter().zip(row).map(|(&w, &x)| f64::from(w) * f64::from(x));
            out.push((f64::from(start) + terms.sum::<f64>()) as f32);
        }
    }
    out
}

/// The means of an image's channels in f64, followed by the maxima.
fn pool(image: &[f32], channels: usize) -> Vec<f32> {
    let channel = |c: usize| image.iter().skip(c).step_by(channels);
    let squares = (image.len() / channels) as f64;
    let mean = |c| (channel(c).copied().map(f64::from).sum::<f64>() / squares) as f32;
    let max = |c| channel(c).copied().fold(f32::NEG_INFINITY, f32::max);
    (0..channels).map(mean).chain((0..channels).map(max)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn products_agree_and_have_fixed_bits(
        seed in 0u64..1000, rows in 1usize..40, inputs in 1usize..70, outputs in 1usize..70, relu: bool,
    ) {
        let weights = numbers(inputs * outputs, seed);
        let matrix = Matrix::pack(outputs, inputs, &weights);
        let values = numbers(rows * inputs, seed + 1);
        let width = matrix.padded_outputs();
        let mut init = numbers(outputs, seed + 2);
        let mut expected = product(&values, &weights, &init, inputs);
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
const FUSED: u64 = 15_667_950_610_089_800_700;
/// The checksum of the other levels.
const SEPARATE: u64 = 6_640_613_448_562_520_083;

#[test]
fn bits_are_the_same_at_every_level_and_on_every_machine() {
    for kernels in levels() {
        let mut sum = checksum::Checksum::default();
        for seed in 0..24 {
            let (rows, inputs, outputs) = (5 + seed as usize, 53, 37);
            let matrix = Matrix::pack(outputs, inputs, &numbers(inputs * outputs, seed + 300));
            let mut out = vec![0.0; rows * matrix.padded_outputs()];
            let values = numbers(rows * inputs, seed + 400);
            let init = numbers(matrix.padded_outputs(), seed + 500);
            kernels.product(Rows { values: &values, stride: inputs, count: rows }, &matrix, &init, true, &mut out);
            sum.add(&out);
            let image = numbers(81 * 48, seed + 100);
            let mut pooled = vec![0.0; 96];
            kernels.pool(Rows { values: &image, stride: 48, count: 81 }, 48, &mut pooled);
            sum.add(&pooled);
        }
        let expected = if kernels.simd().is_fused() { FUSED } else { SEPARATE };
        assert_eq!(sum.value(), expected, "{}", kernels.simd());
    }
}

#[test]
fn pooling_agrees_at_every_level() {
    let image = numbers(81 * 48, 11);
    let expected = pool(&image, 48);
    for kernels in levels() {
        let mut pooled = vec![0.0; 96];
        kernels.pool(Rows { values: &image, stride: 48, count: 81 }, 48, &mut pooled);
        assert_close(&pooled, &expected, 1e-6, &kernels.simd().to_string());
        // Pools only the last 16 of the 48 channels.
        let mut some = vec![0.0; 32];
        kernels.pool(Rows { values: &image[32..], stride: 48, count: 81 }, 16, &mut some);
        assert_eq!(some, [&pooled[32..48], &pooled[80..]].concat());
    }
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
