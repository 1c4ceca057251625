//! Compares convolutions in bf16 with plain arithmetic. Direct convolutions are compared with arithmetic on rounded
//! numbers. Winograd convolutions round between their steps, so they are compared with exact arithmetic. On machines
//! without the instructions, only the kernels without them are tested.

mod bf16_numbers;

use bf16_numbers::{all_kernels, numbers};
use tablut_kernels::{
    Bf16Convolution, Bf16Epilogue, Bf16Images, Bf16Kernels, Bf16PointConvolution, Bf16Tiles, Bf16Vectors, Epilogue,
    Grid, Kernels, Transformed, reference,
};

/// `[channel][square]` of an image `[square][channel]`.
fn planes(image: &[f32], channels: usize) -> Vec<f32> {
    (0..channels).flat_map(|channel| image.iter().skip(channel).step_by(channels).copied()).collect()
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-5 * scale, "{what}: {f}, expected {e} (of {scale})");
    }
}

/// The reference result for one image: `relu(onto + convolution + bias)`.
fn expected(grid: Grid, side: usize, image: &[f32], weights: &[f32], bias: &[f32], onto: &[f32]) -> Vec<f32> {
    let (outputs, inputs) = (bias.len(), image.len() / grid.squares());
    let mut out = if side == 3 {
        reference::convolution(grid, image, weights, outputs, inputs)
    } else {
        reference::product(image, weights, &vec![0.0; outputs], inputs)
    };
    for (i, value) in out.iter_mut().enumerate() {
        *value = (*value + bias[i % outputs] + onto[i]).max(0.0);
    }
    out
}

#[test]
fn convolutions_agree_with_the_plain_form() {
    all_kernels().into_iter().for_each(agrees_with_the_plain_form);
}

fn agrees_with_the_plain_form(kernels: Bf16Kernels) {
    for (grid, side, inputs, outputs) in [
        (Grid::new(9, 9), 3, 64, 64),
        (Grid::new(9, 9), 3, 32, 96),
        (Grid::new(9, 9), 1, 64, 32),
        (Grid::new(3, 6), 3, 32, 32),
        (Grid::new(12, 15), 3, 32, 32),
    ] {
        let what = format!("{grid:?} side {side}, {inputs} to {outputs}");
        let weights = numbers(outputs * inputs * side * side, 1);
        let n = 3;
        let bias = numbers(n * outputs, 2);
        let size = grid.squares() * outputs;
        let onto = numbers(n * size, 3);
        let convolution = Bf16Convolution::pack(outputs, inputs, side, &weights);
        let mut from = Bf16Images::new(grid, n, inputs);
        let images: Vec<_> = (0..n as u64).map(|i| numbers(grid.squares() * inputs, 10 + i)).collect();
        for (i, image) in images.iter().enumerate() {
            from.set_planes(i, &planes(image, inputs));
        }
        let mut full = onto.clone();
        let mut rounded = Bf16Images::new(grid, n, outputs);
        let mut pooled = vec![0.0; n * 2 * outputs];
        let epilogue = Bf16Epilogue {
            bias: &bias,
            residual: true,
            full: Some(&mut full),
            rounded: Some(&mut rounded),
            pooled: Some(&mut pooled),
        };
        kernels.convolve(&convolution, &from, n, epilogue);
        for (i, image) in images.iter().enumerate() {
            let (bias, onto) = (&bias[i * outputs..][..outputs], &onto[i * size..][..size]);
            let expected = expected(grid, side, image, &weights, bias, onto);
            assert_close(&full[i * size..][..size], &expected, &what);
            let expected = reference::pool(&expected, outputs);
            assert_close(&pooled[i * 2 * outputs..][..2 * outputs], &expected, &what);
        }
        // The next convolution reads the rounded images. So read them through the identity.
        let mut identity = vec![0.0; outputs * outputs];
        (0..outputs).for_each(|i| identity[i * outputs + i] = 1.0);
        let identity = Bf16Convolution::pack(outputs, outputs, 1, &identity);
        let mut back = vec![0.0; n * size];
        let epilogue = Bf16Epilogue {
            bias: &vec![0.0; outputs],
            residual: false,
            full: Some(&mut back),
            rounded: None,
            pooled: None,
        };
        kernels.convolve(&identity, &rounded, n, epilogue);
        for (back, full) in back.iter().zip(&full) {
            assert!((back - full).abs() <= full.abs() / 256.0, "{what}: {full} rounded to {back}");
        }
    }
}

#[test]
fn an_image_has_the_same_bits_in_any_batch() {
    all_kernels().into_iter().for_each(has_the_same_bits_in_any_batch);
}

fn has_the_same_bits_in_any_batch(kernels: Bf16Kernels) {
    let grid = Grid::new(9, 9);
    let convolution = Bf16Convolution::pack(32, 32, 3, &numbers(32 * 32 * 9, 4));
    let image = numbers(81 * 32, 5);
    let run = |n: usize, place: usize| {
        let mut from = Bf16Images::new(grid, n, 32);
        for i in 0..n {
            from.set_planes(i, &numbers(81 * 32, 90 + i as u64));
        }
        from.set_planes(place, &image);
        let mut full = vec![0.0; n * 81 * 32];
        let epilogue =
            Bf16Epilogue { bias: &[0.5; 32], residual: false, full: Some(&mut full), rounded: None, pooled: None };
        kernels.convolve(&convolution, &from, n, epilogue);
        full[place * 81 * 32..][..81 * 32].to_vec()
    };
    let alone = run(1, 0);
    for (n, place) in [(2, 1), (5, 0), (9, 8)] {
        assert_eq!(run(n, place), alone, "{place} of {n}");
    }
}

#[test]
#[should_panic(expected = "multiples of 32")]
fn channels_that_fill_no_tile_are_refused() {
    let _ = Bf16Images::new(Grid::new(9, 9), 1, 48);
}

/// The vector kernels without their instructions, and those with them if the machine has them.
fn all_vectors() -> Vec<Bf16Vectors> {
    let vectors = Bf16Vectors::request();
    if vectors.is_none() {
        eprintln!("skipped for the vectors: this machine has no AVX-512 with bf16");
    }
    [Bf16Vectors::without_vectors()].into_iter().chain(vectors).collect()
}

/// `relu(convolution + bias)` of each image by Winograd's points with rounded products, `[image][square][output]`.
fn by_points(vectors: Bf16Vectors, grid: Grid, images: &[Vec<f32>], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let (n, outputs, size) = (images.len(), bias.len(), grid.squares() * bias.len());
    let inputs = images[0].len() / grid.squares();
    let convolution = Bf16PointConvolution::pack(outputs, inputs, weights);
    let mut tiles = Bf16Tiles::new(grid, n, inputs);
    let mut products = Transformed::new(grid, n, outputs);
    for (index, image) in images.iter().enumerate() {
        vectors.transform_input(image, index, &mut tiles);
    }
    vectors.multiply(&convolution, &tiles, &mut products);
    let kernels = Kernels::from_env().expect("a level");
    let mut out = vec![0.0; n * size];
    for (index, out) in out.chunks_exact_mut(size).enumerate() {
        kernels.transform_output(&products, index, Epilogue { bias, residual: false, pooled: None }, out);
    }
    out
}

/// Numbers in -1..1 of full precision, like activations and weights.
fn full_numbers(len: usize, seed: u64) -> Vec<f32> {
    numbers(len, seed).into_iter().zip(numbers(len, seed + 1000)).map(|(high, low)| high + low / 256.0).collect()
}

/// Tiles and weights have eight bits of precision. Winograd's output transform enlarges the error of their products:
/// six times on average. The largest error stays below a thirtieth of the largest output, and its root mean square
/// below a fiftieth of the outputs' own.
#[test]
fn convolutions_by_points_are_near_the_exact_ones() {
    let shapes = [
        (Grid::new(9, 9), 64, 64),
        (Grid::new(9, 9), 32, 48),
        (Grid::new(9, 9), 48, 16),
        (Grid::new(3, 6), 16, 32),
        (Grid::new(12, 15), 32, 32),
    ];
    for (grid, inputs, outputs) in shapes {
        let weights = full_numbers(outputs * inputs * 9, 1);
        let bias = full_numbers(outputs, 2);
        let images: Vec<_> = (0..3).map(|i| full_numbers(grid.squares() * inputs, 10 + i)).collect();
        for vectors in all_vectors() {
            let what = format!("{grid:?}, {inputs} to {outputs}, {vectors:?}");
            let found = by_points(vectors, grid, &images, &weights, &bias);
            let size = grid.squares() * outputs;
            let (mut error, mut square, mut scale) = (0.0, 0.0, 0f32);
            for (found, image) in found.chunks_exact(size).zip(&images) {
                let expected = expected(grid, 3, image, &weights, &bias, &vec![0.0; size]);
                scale = expected.iter().fold(scale, |m, x| m.max(x.abs()));
                for (f, e) in found.iter().zip(&expected) {
                    assert!((f - e).abs() <= scale / 30.0, "{what}: {f}, expected {e} (of {scale})");
                    error += f64::from(f - e).powi(2);
                    square += f64::from(*e).powi(2);
                }
            }
            assert!((error / square).sqrt() < 0.02, "{what}: {}", (error / square).sqrt());
            assert!(error > 0.0, "{what}: nothing was rounded");
        }
    }
}

/// Both round the same tiles and weights, and differ only in the order of sums.
#[test]
fn vectors_agree_with_their_plain_form() {
    let Some(vectors) = Bf16Vectors::request() else {
        eprintln!("skipped: this machine has no AVX-512 with bf16");
        return;
    };
    let grid = Grid::new(9, 9);
    // The numbers have few bits, so that the tiles are exact before they are rounded.
    let images: Vec<_> = (0..4).map(|i| numbers(81 * 32, 20 + i)).collect();
    let (weights, bias) = (full_numbers(48 * 32 * 9, 3), vec![0.0; 48]);
    let found = by_points(vectors, grid, &images, &weights, &bias);
    let expected = by_points(Bf16Vectors::without_vectors(), grid, &images, &weights, &bias);
    assert_close(&found, &expected, "vectors");
}

#[test]
fn an_image_has_the_same_bits_by_points_in_any_batch() {
    let grid = Grid::new(9, 9);
    let (weights, bias) = (full_numbers(48 * 32 * 9, 4), full_numbers(48, 5));
    let image = full_numbers(81 * 32, 6);
    for vectors in all_vectors() {
        let run = |n: usize, place: usize| {
            let mut images: Vec<_> = (0..n as u64).map(|i| full_numbers(81 * 32, 90 + i)).collect();
            images[place].clone_from(&image);
            by_points(vectors, grid, &images, &weights, &bias)[place * 81 * 48..][..81 * 48].to_vec()
        };
        let alone = run(1, 0);
        for (n, place) in [(2, 1), (5, 0), (9, 8)] {
            assert_eq!(run(n, place), alone, "{place} of {n} {vectors:?}");
        }
    }
}
