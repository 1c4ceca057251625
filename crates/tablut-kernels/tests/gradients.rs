//! Tests the kernels for learning at every level: each must agree with its definition in f64, and all levels that round
//! alike must give the same bits.

mod checksum;

use proptest::prelude::*;
use tablut_kernels::{Grid, Kernels, Matrix, Rows, Simd, short};

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn outer_products_are_summed_over_rows(rows in 0usize..20, inputs in 1usize..40, panels in 1usize..6, seed: u64) {
        let outputs = 16 * panels;
        let (left, right) = (numbers(rows * inputs, seed), numbers(rows * outputs, seed ^ 1));
        let start = numbers(inputs * outputs, seed ^ 2);
        for onto in [false, true] {
            let mut expected: Vec<f64> = start.iter().map(|&x| if onto { f64::from(x) } else { 0.0 }).collect();
            for (left, right) in left.chunks_exact(inputs).zip(right.chunks_exact(outputs)) {
                for (at, sum) in expected.iter_mut().enumerate() {
                    *sum += f64::from(left[at / outputs]) * f64::from(right[at % outputs]);
                }
            }
            let expected: Vec<f32> = expected.into_iter().map(|sum| sum as f32).collect();
            for kernels in levels() {
                let mut found = start.clone();
                // Two pairs give the same sums as one.
                let pair = |first: usize, count: usize| {
                    let left = Rows { values: &left[first * inputs..], stride: inputs, count };
                    [left, Rows { values: &right[first * outputs..], stride: outputs, count }]
                };
                kernels.outer(&[pair(0, rows / 2), pair(rows / 2, rows - rows / 2)], inputs, onto, &mut found);
                assert_close(&found, &expected, 1e-5, &kernels.simd().to_string());
            }
        }
    }
}

/// The checksum of the levels that round a product and a sum [together](Simd::is_fused), on every machine.
const FUSED: u64 = 463_424_530_699_171_000;
/// The checksum of the other levels.
const SEPARATE: u64 = 2_523_755_209_206_008_621;

#[test]
fn gradients_have_the_same_bits_at_every_level_and_on_every_machine() {
    let (image, gradient) = (numbers(81 * 48, 1), numbers(81 * 48, 2));
    for kernels in levels() {
        let mut sum = checksum::Checksum::default();
        let rows = |values| Rows { values, stride: 48, count: 81 };
        let mut outer = vec![0.0; 48 * 48];
        kernels.outer(&[[rows(&image), rows(&gradient)]], 48, false, &mut outer);
        let mut taps = vec![0.0; 9 * 48];
        kernels.depthwise_gradient(Grid::new(9, 9), &image, &gradient, &mut taps);
        let (mut gated, mut sums) = (gradient.clone(), vec![0.0; 48]);
        kernels.gate(&mut gated, &image, 0.5, &mut sums);
        for values in [&outer, &taps, &sums] {
            sum.add(values);
        }
        let expected = if kernels.simd().is_fused() { FUSED } else { SEPARATE };
        assert_eq!(sum.value(), expected, "{}", kernels.simd());
    }
}

#[test]
#[should_panic(expected = "fit their sums")]
fn a_stride_whose_rows_end_past_the_end_of_memory_is_refused() {
    let kernels = Kernels::new(Simd::best()).expect("the best level is available");
    let left = Rows { values: &[0.0; 4], stride: 1 << (usize::BITS - 1), count: 3 };
    let right = Rows { values: &[0.0; 48], stride: 16, count: 3 };
    kernels.outer(&[[left, right]], 4, false, &mut [0.0; 64]);
}

#[test]
fn the_gradient_of_a_maximum_goes_to_the_first_square_that_has_it() {
    for kernels in levels() {
        let (squares, width, first) = (7, 48, 16);
        // There are few different values, so that a maximum is often on several squares.
        let active: Vec<f32> = (0..squares * width).map(|at| ((at * 7919 + at / 5) % 4) as f32).collect();
        let column = |channel: usize| active.iter().skip(channel).step_by(width);
        let maxima: Vec<f32> = (first..width).map(|channel| column(channel).copied().fold(0.0, f32::max)).collect();
        let gradient: Vec<f32> = (0..width - first).map(|channel| channel as f32 + 0.5).collect();
        let mut image = vec![1.0; squares * width];
        kernels.add_at_maxima(&active, &maxima, &gradient, [width, first], &mut image);
        let mut expected = vec![1.0; squares * width];
        for channel in first..width {
            let square = column(channel).position(|value| *value == maxima[channel - first]).unwrap();
            expected[square * width + channel] += gradient[channel - first];
        }
        assert_eq!(image, expected);
    }
}

/// Depthwise convolutions and their gradients, by the definition and in f64.
fn depthwise_by_definition(image: &[f32], weights: &[f32], channels: usize) -> Vec<f64> {
    let mut out = vec![0.0; image.len()];
    for (at, out) in out.iter_mut().enumerate() {
        let (square, channel) = (at / channels, at % channels);
        let (row, column) = (square / 9, square % 9);
        for tap in 0..9 {
            let (r, c) = (row + tap / 3, column + tap % 3);
            if (1..=9).contains(&r) && (1..=9).contains(&c) {
                let x = image[((r - 1) * 9 + c - 1) * channels + channel];
                *out += f64::from(x) * f64::from(weights[tap * channels + channel]);
            }
        }
    }
    out
}

#[test]
fn depthwise_convolutions_and_their_gradients_are_the_definitions() {
    let (grid, channels) = (Grid::new(9, 9), 48);
    let [image, gradient] = [1, 2].map(|seed| numbers(81 * channels, seed));
    let (weights, bias) = (numbers(9 * channels, 3), numbers(channels, 4));
    let expected = depthwise_by_definition(&image, &weights, channels);
    let close = |found: f32, expected: f64| (f64::from(found) - expected).abs() < 1e-4;
    let mut fused = None;
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let kernels = Kernels::new(simd).unwrap();
        let mut out = gradient.clone();
        kernels.depthwise(grid, &image, [&weights, &bias], true, &mut out);
        for (at, (&found, expected)) in out.iter().zip(&expected).enumerate() {
            assert!(close(found, expected + f64::from(gradient[at] + bias[at % channels])), "{simd}");
        }
        kernels.depthwise(grid, &image, [&weights, &[]], false, &mut out);
        assert!(out.iter().zip(&expected).all(|(&found, &expected)| close(found, expected)), "{simd}");
        // The convolution is linear in its weights, so the gradient of `gradient · out` is the sum for each weight.
        let mut sums = vec![1.0; 9 * channels];
        kernels.depthwise_gradient(grid, &image, &gradient, &mut sums);
        for (at, &found) in sums.iter().enumerate() {
            let mut one = vec![0.0; 9 * channels];
            one[at] = 1.0;
            let slopes = depthwise_by_definition(&image, &one, channels);
            let slope: f64 = slopes.iter().zip(&gradient).map(|(slope, &gradient)| slope * f64::from(gradient)).sum();
            assert!(close(found, 1.0 + slope), "{simd}: {found}, expected {slope}");
        }
        if simd.is_fused() {
            let fused = fused.get_or_insert_with(|| (out.clone(), sums.clone()));
            assert!(*fused == (out, sums), "{simd}: other bits");
        }
    }
}

#[test]
fn products_of_short_numbers_have_the_same_bits_at_every_level() {
    let rows: Vec<f32> = numbers(13 * 70, 5).into_iter().map(short).collect();
    let weights = numbers(40 * 70, 6);
    let (whole, matrix) = (Matrix::pack(40, 70, &weights), Matrix::pack(40, 70, &weights).shortened());
    let (init, mut first) = (numbers(48, 7), None);
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let kernels = Kernels::new(simd).unwrap();
        let rows = Rows { values: &rows, stride: 70, count: 13 };
        let (mut close, mut out) = (vec![0.0; 13 * 48], vec![0.0; 13 * 48]);
        kernels.product(rows, &whole, &init, true, &mut close);
        kernels.product(rows, &matrix, &init, true, &mut out);
        assert!(out.iter().zip(&close).all(|(a, b)| (a - b).abs() < 1e-2), "{simd}");
        assert!(*first.get_or_insert_with(|| out.clone()) == out, "{simd}: other bits");
    }
}

#[test]
fn a_gate_closes_at_the_top() {
    let active: Vec<f32> = (0..32).map(|at| [0.0, 1.0, 2.0, 3.0][at % 4]).collect();
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let (mut image, mut sums) = (vec![1.0; 32], vec![0.0; 16]);
        Kernels::new(simd).unwrap().gate(&mut image, &active, 2.0, &mut sums);
        let expected = |at: usize| f32::from(u8::from(at % 4 == 1));
        assert!(image.iter().enumerate().all(|(at, &value)| value == expected(at)), "{simd}");
        assert!(sums.iter().enumerate().all(|(at, &sum)| sum == 2.0 * expected(at)), "{simd}");
    }
}
