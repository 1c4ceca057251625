//! Compares gradients through convolutions in bf16 with sums in f64 over the same rounded numbers. On machines without
//! the matrix registers only the form without them is tested.

mod bf16_numbers;

use bf16_numbers::{all_kernels, numbers};
use tablut_kernels::{Bf16Convolution, Bf16GradientEpilogue, Bf16Images, Bf16Kernels, Bf16WeightGradient, Grid};

/// For every square, tap and neighbouring square that the tap reads: `each(square, tap, neighbour)`.
fn taps(grid: Grid, mut each: impl FnMut(usize, usize, usize)) {
    let (height, width) = (grid.height() as isize, grid.width() as isize);
    for square in 0..height * width {
        for tap in 0..9 {
            let (row, column) = (square / width + tap / 3 - 1, square % width + tap % 3 - 1);
            if (0..height).contains(&row) && (0..width).contains(&column) {
                each(square as usize, tap as usize, (row * width + column) as usize);
            }
        }
    }
}

fn assert_close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0f64, |m, x| m.max(x.abs()));
    for (at, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(*f) - e).abs() <= 1e-5 * scale, "{what}, at {at}: {f}, expected {e} (of {scale})");
    }
}

const SHAPES: [(Grid, usize, usize); 4] =
    [(Grid::new(9, 9), 32, 32), (Grid::new(9, 9), 64, 32), (Grid::new(9, 9), 32, 96), (Grid::new(3, 6), 32, 32)];

#[test]
fn gradients_of_weights_are_the_sums_over_squares_and_images() {
    for kernels in all_kernels() {
        for (grid, inputs, outputs) in SHAPES {
            // The buffers have room for a fourth image, which is not used.
            let (n, room) = (3, 4);
            let (x, g) = (numbers(n * grid.squares() * inputs, 1), numbers(n * grid.squares() * outputs, 2));
            let (mut from, mut with) = (Bf16Images::new(grid, room, inputs), Bf16Images::new(grid, room, outputs));
            kernels.set_images(&mut from, &x);
            kernels.set_images(&mut with, &g);
            let mut space = Bf16WeightGradient::new(grid, room, inputs, outputs);
            // The layer can have fewer inputs than the images have channels. The other channels are padding.
            for n_inputs in [inputs, inputs - 16] {
                let mut found = vec![9.0; n_inputs * 9 * outputs];
                kernels.weight_gradient(&from, &with, n, &mut space, &mut found);
                let mut expected = vec![0.0; found.len()];
                for image in 0..n {
                    taps(grid, |square, tap, neighbour| {
                        for input in 0..n_inputs {
                            let x = x[(image * grid.squares() + neighbour) * inputs + input];
                            let g = &g[(image * grid.squares() + square) * outputs..][..outputs];
                            let to = &mut expected[(input * 9 + tap) * outputs..][..outputs];
                            to.iter_mut().zip(g).for_each(|(to, g)| *to += f64::from(x) * f64::from(*g));
                        }
                    });
                }
                assert_close(&found, &expected, &format!("{grid:?}, {n_inputs} of {inputs} to {outputs}"));
            }
        }
    }
}

#[test]
fn gradients_of_inputs_pass_through_the_adjoint_and_the_rectifier() {
    for kernels in all_kernels() {
        for (grid, inputs, outputs) in SHAPES {
            let (n, squares) = (2, grid.squares());
            let weights = numbers(outputs * inputs * 9, 3);
            let mut adjoint = Bf16Convolution::zeroed(inputs, outputs, 3);
            adjoint.repack_adjoint([outputs, inputs], &weights);
            let g = numbers(n * squares * outputs, 4);
            let mut from = Bf16Images::new(grid, n, outputs);
            kernels.set_images(&mut from, &g);
            let active = numbers(n * squares * inputs, 5);
            let before = numbers(n * squares * inputs, 6);
            for (onto, rows) in [(false, n), (true, 1)] {
                let what = format!("{grid:?}, {inputs} from {outputs}, onto: {onto}");
                let bias = numbers(rows * inputs, 7);
                let mut expected = vec![0.0; active.len()];
                for image in 0..n {
                    // The gradient of an output flows back to every neighbour that the output reads.
                    taps(grid, |square, tap, neighbour| {
                        for (input, output) in (0..inputs).flat_map(|i| (0..outputs).map(move |o| (i, o))) {
                            let weight = weights[(output * inputs + input) * 9 + tap];
                            let g = g[(image * squares + square) * outputs + output];
                            expected[(image * squares + neighbour) * inputs + input] +=
                                f64::from(weight) * f64::from(g);
                        }
                    });
                }
                let mut sums = vec![0.0; n * inputs];
                for (at, value) in expected.iter_mut().enumerate() {
                    let (image, input) = (at / inputs / squares, at % inputs);
                    *value += f64::from(bias[if rows == 1 { input } else { image * inputs + input }]);
                    *value += if onto { f64::from(before[at]) } else { 0.0 };
                    *value = if active[at] > 0.0 { *value } else { 0.0 };
                    sums[image * inputs + input] += *value;
                }
                let (mut full, mut rounded) = (before.clone(), Bf16Images::new(grid, n, inputs));
                let mut found_sums = vec![8.0; n * inputs];
                let epilogue = Bf16GradientEpilogue {
                    bias: &bias,
                    onto,
                    active: &active,
                    full: &mut full,
                    rounded: &mut rounded,
                    sums: &mut found_sums,
                };
                kernels.convolve_gradient(&adjoint, &from, n, epilogue);
                assert_close(&full, &expected, &what);
                assert_close(&found_sums, &sums, &what);
                // The rounded gradient is the same as the result that is rounded afterwards: both have the same sums.
                let mut again = Bf16Images::new(grid, n, inputs);
                kernels.set_images(&mut again, &full);
                let mut space = Bf16WeightGradient::new(grid, n, inputs, outputs);
                let [found, expected] = [&rounded, &again].map(|images| {
                    let mut taps = vec![0.0; inputs * 9 * outputs];
                    kernels.weight_gradient(images, &from, n, &mut space, &mut taps);
                    taps
                });
                assert_eq!(found, expected, "{what}");
            }
        }
    }
}

#[test]
fn repacked_weights_are_those_that_were_packed() {
    let weights = numbers(64 * 32 * 9, 8);
    let image = numbers(81 * 32, 9);
    let grid = Grid::new(9, 9);
    let mut from = Bf16Images::new(grid, 1, 32);
    Bf16Kernels::without_registers().set_images(&mut from, &image);
    let run = |convolution: &Bf16Convolution| {
        let mut full = vec![0.0; 81 * 64];
        let epilogue = tablut_kernels::Bf16Epilogue {
            bias: &[0.5; 64],
            residual: false,
            full: Some(&mut full),
            rounded: None,
            pooled: None,
        };
        Bf16Kernels::without_registers().convolve(convolution, &from, 1, epilogue);
        full
    };
    let mut repacked = Bf16Convolution::zeroed(64, 32, 3);
    repacked.repack([64, 32], &weights);
    assert_eq!(run(&repacked), run(&Bf16Convolution::pack(64, 32, 3, &weights)));
}
