//! The kernels' arithmetic in its simplest form, in f64. The tests of every level compare with it.

use crate::Grid;

/// A 3×3 convolution with zero padding of one image `[square][inputs]` by weights `[outputs, inputs, 3, 3]`; returns
/// `[square][outputs]`.
pub fn convolution(grid: Grid, image: &[f32], weights: &[f32], outputs: usize, inputs: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(grid.squares() * outputs);
    for y in 0..grid.height() {
        for x in 0..grid.width() {
            for output in 0..outputs {
                let mut sum = 0.0;
                for tap in 0..9 {
                    // Squares outside the grid are zero. A row or column of -1 wraps to a huge number, which also fails
                    // the test.
                    let (row, column) = ((y + tap / 3).wrapping_sub(1), (x + tap % 3).wrapping_sub(1));
                    if row < grid.height() && column < grid.width() {
                        for input in 0..inputs {
                            let weight = weights[(output * inputs + input) * 9 + tap];
                            let value = image[(row * grid.width() + column) * inputs + input];
                            sum += f64::from(weight) * f64::from(value);
                        }
                    }
                }
                out.push(sum as f32);
            }
        }
    }
    out
}

/// `init + weights · row` for every row, with `weights` `[outputs, inputs]`; returns `[row][outputs]`.
pub fn product(rows: &[f32], weights: &[f32], init: &[f32], inputs: usize) -> Vec<f32> {
    let mut out = Vec::new();
    for row in rows.chunks_exact(inputs) {
        for (line, &start) in weights.chunks_exact(inputs).zip(init) {
            let terms = line.iter().zip(row).map(|(&w, &x)| f64::from(w) * f64::from(x));
            out.push((f64::from(start) + terms.sum::<f64>()) as f32);
        }
    }
    out
}

/// The means of an image's channels, followed by the maxima.
pub fn pool(image: &[f32], channels: usize) -> Vec<f32> {
    let channel = |c: usize| image.iter().skip(c).step_by(channels);
    let squares = (image.len() / channels) as f64;
    let mean = |c| (channel(c).copied().map(f64::from).sum::<f64>() / squares) as f32;
    let max = |c| channel(c).copied().fold(f32::NEG_INFINITY, f32::max);
    (0..channels).map(mean).chain((0..channels).map(max)).collect()
}
