//! The kernels in integers give the same numbers at every level, and they are near those in f32.

use proptest::prelude::*;
use tablut_kernels::{Grid, GridLines, Int8Depthwise, Int8Matrix, Kernels, Simd, nearest};

/// Numbers from -1 to 1 that depend on the seed.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Activations of 0 to 127 steps.
fn activations(n: usize, seed: u64) -> Vec<u8> {
    numbers(n, seed).into_iter().map(|x| (x.max(-0.2) * 106.0 + 21.0) as u8).collect()
}

fn levels() -> impl Iterator<Item = Kernels> {
    Simd::ALL.into_iter().filter_map(|simd| Kernels::new(simd).ok())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn products_are_those_of_numbers_rounded(
        seed in 0u64..1000, n in 0usize..20, inputs in 1usize..5, outputs in 1usize..4, scale in 0.001f32..3.0,
    ) {
        let (inputs, outputs) = (32 * inputs, 32 * outputs);
        let weights: Vec<f32> = numbers(inputs * outputs, seed).iter().map(|w| w * scale / inputs as f32 * 8.0).collect();
        let rows = activations(n * inputs, seed + 1);
        let bias = numbers(outputs, seed + 2);
        let units: Vec<f32> = (0..outputs).map(|output| [32.0, 64.0][output / 16 % 2]).collect();
        let matrix = Int8Matrix::pack([outputs, inputs], &weights, &units);
        let mut starts = vec![0; outputs];
        matrix.starts(&bias, &mut starts);
        let mut first = None;
        for kernels in levels() {
            let (mut out, mut image) = (vec![0; n * outputs], activations(n * outputs, seed + 3));
            kernels.int8_product(&rows, &matrix, &starts, &mut out);
            kernels.int8_product_onto(&rows, &matrix, &starts, &mut image);
            let first = first.get_or_insert_with(|| (out.clone(), image.clone()));
            prop_assert_eq!(&(out, image), first, "{}", kernels.simd());
        }
        let (out, image) = first.expect("the plain level");
        let before = activations(n * outputs, seed + 3);
        for (at, &found) in out.iter().enumerate() {
            let (row, output) = (&rows[at / outputs * inputs..][..inputs], at % outputs);
            let terms = row.iter().zip(&weights[output * inputs..]).map(|(&x, w)| f32::from(x) / 32.0 * w);
            let expected = (terms.sum::<f32>() + bias[output]) * units[output];
            // Weights are off by half a step, which is at least 1/256 of what the output's step allows.
            let step = weights[output * inputs..][..inputs].iter().fold(0.0_f32, |m, w| m.max(w.abs())) / 127.0;
            let sum: f32 = row.iter().map(|&x| f32::from(x) / 32.0).sum();
            let step = step.max(128.0 / 32768.0 / (inputs as f32 / 2.0) * 32.0 / units[output]);
            let most = sum * step * 0.52 * units[output] + expected.abs() * 0.001 + 2.0;
            prop_assert!((f32::from(found) - expected).abs() <= most, "{found}, expected {expected} within {most}");
            if units[output] == 32.0 {
                let expected = (i32::from(before[at]) + i32::from(found)).clamp(0, 127);
                prop_assert_eq!(i32::from(image[at]), expected);
            }
        }
    }

    #[test]
    fn depthwise_convolutions_are_those_of_numbers_rounded(
        seed in 0u64..1000, groups in 1usize..4, height in 1usize..12, width in 1usize..12, scale in 0.01f32..4.0,
    ) {
        let (channels, grid) = (32 * groups, Grid::new(height, width));
        let weights: Vec<f32> = numbers(9 * channels, seed).iter().map(|w| w * scale).collect();
        let image = activations(grid.squares() * channels, seed + 1);
        let bias = numbers(channels, seed + 2);
        let layer = Int8Depthwise::pack(&weights);
        let mut starts = vec![0; channels];
        layer.starts(&bias, &mut starts);
        let mut first = None;
        for kernels in levels() {
            let mut out = vec![0; image.len()];
            kernels.int8_depthwise(grid, &image, &layer, &starts, &mut out);
            let first = first.get_or_insert_with(|| out.clone());
            prop_assert_eq!(&out, first, "{}", kernels.simd());
        }
        let floats: Vec<f32> = image.iter().map(|&x| f32::from(x) / 32.0).collect();
        let mut expected = vec![0.0; image.len()];
        Kernels::new(Simd::Plain).unwrap().depthwise(grid, &floats, [&weights, &bias], false, &mut expected);
        for (at, (&found, expected)) in first.expect("the plain level").iter().zip(expected).enumerate() {
            let sum: f32 = weights[at % channels..].iter().step_by(channels).map(|w| w.abs()).sum();
            // Nine taps of up to four, each off by half a step.
            let most = 9.0 * 4.0 * 0.52 * (sum / 240.0).max(1.0 / 250.0) * 32.0 + 2.0;
            let expected = (expected * 32.0).clamp(0.0, 127.0);
            prop_assert!((f32::from(found) - expected).abs() <= most, "{found}, expected {expected} within {most}");
        }
    }

    #[test]
    fn sums_are_cut_off_and_pooled_the_same_at_every_level(seed in 0u64..1000, squares in 1usize..90, groups in 1usize..4) {
        let channels = 32 * groups;
        let sums: Vec<i16> = numbers(squares * channels, seed).iter().map(|x| (x * 32767.0) as i16 >> 3).collect();
        let mut first = None;
        for kernels in levels() {
            let (mut image, mut pooled) = (vec![0; sums.len()], vec![0.0; 2 * channels]);
            kernels.int8_clip(&sums, 3, &mut image);
            kernels.int8_pool(&image, &mut pooled);
            let first = first.get_or_insert_with(|| (image.clone(), pooled.clone()));
            prop_assert_eq!(&(image, pooled), first, "{}", kernels.simd());
        }
        let (image, pooled) = first.expect("the plain level");
        for (x, sum) in image.iter().zip(&sums) {
            prop_assert_eq!(i32::from(*x), (f32::from(*sum) / 8.0 + 0.5).floor().clamp(0.0, 127.0) as i32);
        }
        for channel in 0..channels {
            let values: Vec<f32> = image[channel..].iter().step_by(channels).map(|&x| f32::from(x) / 32.0).collect();
            let mean = values.iter().sum::<f32>() / squares as f32;
            prop_assert!((pooled[channel] - mean).abs() <= mean * 2.0_f32.powi(-12) + 1e-6, "rounded to twelve bits");
            prop_assert_eq!(pooled[channels + channel], values.iter().copied().fold(0.0, f32::max));
        }
    }

    #[test]
    fn lines_say_the_same_about_squares_at_every_level(
        seed in 0u64..1000, height in 1usize..10, width in 1usize..10, groups in 1usize..3,
    ) {
        let (n, squares, stride) = (16 * groups, height * width, 16 * groups + 32);
        // Some sums are cut off.
        let whole = |n, seed| -> Vec<i16> { numbers(n, seed).iter().map(|x| (x * 20000.0) as i16).collect() };
        let [rows, columns] = [height, width].map(|lines| whole(lines * 9 * stride, seed + lines as u64));
        let [rows, columns] = [&rows, &columns].map(|lines| lines.chunks_exact(9 * stride).collect::<Vec<_>>());
        let lines = GridLines { rows: &rows, columns: &columns, stride };
        let (bias, own, shift) = (whole(n, seed + 20), whole(squares * stride, seed + 21), whole(16, seed + 22));
        let shift: &[i16; 16] = shift[..].try_into().unwrap();
        for kernels in levels() {
            let (mut sums, mut pairs) = (vec![0; squares * n], vec![0; 2 * squares * 16]);
            let mut rest = vec![0; squares * (stride - 32)];
            kernels.int8_line_sums(lines, &bias, &mut sums);
            kernels.int8_line_pairs(lines, &own, (4095, shift), &mut pairs, &mut rest);
            for square in 0..squares {
                let (row, column) = (square / width, square % width);
                let [along, across] = [&rows[row][column * stride..], &columns[column][row * stride..]];
                for k in 0..n {
                    let expected = along[k].saturating_add(across[k]).saturating_add(bias[k]);
                    prop_assert_eq!(sums[square * n + k], expected);
                }
                let own = &own[square * stride..];
                for k in 0..16 {
                    let pair = |own: i16, along: i16, across: i16| {
                        own.saturating_add(along).saturating_add(across).clamp(0, 4095).wrapping_add(shift[k])
                    };
                    let of_row = pair(own[k], along[k], across[16 + k]);
                    let of_column = pair(own[16 + k], across[k], along[16 + k]);
                    let found = (pairs[square * 16 + k], pairs[(squares + square) * 16 + k]);
                    prop_assert_eq!(found, (of_row, of_column), "{}", kernels.simd());
                }
                for k in 32..stride {
                    prop_assert_eq!(rest[square * (stride - 32) + k - 32], own[k].clamp(0, 127) as u8);
                }
            }
        }
    }
}

#[test]
fn sums_of_a_depthwise_convolution_fit_whatever_the_weights() {
    let grid = Grid::new(9, 9);
    let image = vec![127; grid.squares() * 32];
    for weight in [0.1, 3.0, 30.0, 300.0, 1e30] {
        let layer = Int8Depthwise::pack(&[weight; 9 * 32]);
        for kernels in levels() {
            let mut out = vec![0; image.len()];
            kernels.int8_depthwise(grid, &image, &layer, &[0; 32], &mut out);
            // Four products are the fewest, in a corner.
            let expected = (weight * 4.0 * 127.0).min(127.0) as u8;
            assert!(out.iter().all(|&x| x >= expected - expected / 20), "{weight}: {}", kernels.simd());
        }
    }
}

#[test]
fn the_nearest_whole_number_is_found() {
    for at in -1000..1000 {
        let value = at as f32 / 8.0;
        assert_eq!(nearest(value), value.round_ties_even(), "{value}");
    }
}

#[test]
fn sums_of_very_large_weights_do_not_wrap() {
    let (grid, channels) = (Grid::new(3, 3), 32);
    let image = vec![127; grid.squares() * channels];
    for weight in [20.0, 300.0, 1e30] {
        // Positive weights give the largest activation, and negative ones none.
        for (sign, expected) in [(1.0, 127), (-1.0, 0)] {
            let layer = Int8Depthwise::pack(&vec![sign * weight; 9 * channels]);
            let mut starts = vec![0; channels];
            layer.starts(&vec![0.0; channels], &mut starts);
            for kernels in levels() {
                let mut out = vec![1; image.len()];
                kernels.int8_depthwise(grid, &image, &layer, &starts, &mut out);
                assert!(out.iter().all(|&x| x == expected), "{} at {}: {out:?}", sign * weight, kernels.simd());
            }
        }
    }
}
