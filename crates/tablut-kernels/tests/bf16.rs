//! Compares convolutions in bf16 with plain arithmetic on rounded numbers. On machines without AMX, only the kernels
//! without its registers are tested.

use tablut_kernels::{Bf16Convolution, Bf16Epilogue, Bf16Images, Bf16Kernels, Grid, reference};

/// The kernels without the registers, and those with them if the machine has them.
fn all_kernels() -> Vec<Bf16Kernels> {
    let registers = Bf16Kernels::request();
    if registers.is_none() {
        eprintln!("skipped for the matrix registers: this machine has no AMX");
    }
    [Bf16Kernels::without_registers()].into_iter().chain(registers).collect()
}

/// `len` numbers in -1..1 that bf16 represents exactly, computed from `seed`.
fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 56) as f32 / 128.0 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

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
fn an_image_has_the_same_bits_in_any_company() {
    all_kernels().into_iter().for_each(has_the_same_bits_in_any_company);
}

fn has_the_same_bits_in_any_company(kernels: Bf16Kernels) {
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
