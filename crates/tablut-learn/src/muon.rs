//! Muon: momentum whose direction is made orthogonal by Newton-Schulz iterations (Jordan 2024, "Muon: An optimizer for
//! hidden layers in neural networks"), with updates of the size of `AdamW`'s (Liu et al. 2025, "Muon is scalable for
//! LLM training").

use tablut_kernels::{Kernels, Matrix, Rows};

/// Decay of the momentum (Jordan 2024).
pub(crate) const MOMENTUM: f32 = 0.95;
/// The odd polynomial `a x + b x³ + c x⁵` that takes singular values in (0, 1] near to 1 when it is applied repeatedly
/// (Jordan 2024).
pub(crate) const COEFFICIENTS: [f32; 3] = [3.4445, -4.7750, 2.0315];
/// How often it is applied.
pub(crate) const ITERATIONS: usize = 5;
/// Root mean square of an update's values, about that of `AdamW`'s (Liu et al. 2025, section 2.2).
const UPDATE_SIZE: f32 = 0.2;

/// Adds a gradient times `clip` to the momentum of a matrix of `[rows, columns]`, and returns the update for a learning
/// rate of 1: Nesterov's momentum made orthogonal, times `0.2 · √max(rows, columns)`.
pub(crate) fn update(
    momentum: &mut [f32],
    gradient: &[f32],
    clip: f32,
    [rows, columns]: [usize; 2],
    kernels: Kernels,
) -> Vec<f32> {
    assert_eq!((momentum.len(), gradient.len()), (rows * columns, rows * columns), "values of a matrix");
    let mut direction = Vec::with_capacity(gradient.len());
    for (m, &g) in momentum.iter_mut().zip(gradient) {
        let g = g * clip;
        *m = MOMENTUM * *m + g;
        direction.push(MOMENTUM * *m + g);
    }
    let size = update_size(rows, columns);
    let mut update = if rows <= columns {
        orthogonal(direction, rows, columns, kernels)
    } else {
        transposed(&orthogonal(transposed(&direction, rows, columns), columns, rows, kernels), columns, rows)
    };
    for value in &mut update {
        *value *= size;
    }
    update
}

/// What an orthogonal matrix is multiplied by.
pub(crate) fn update_size(rows: usize, columns: usize) -> f32 {
    UPDATE_SIZE * (rows.max(columns) as f32).sqrt()
}

/// Approximately the orthogonal matrix `U Vᵀ` with the singular vectors of `x`, `[m, n]` with `m ≤ n`. Its singular
/// values are between 0.7 and 1.2, or 0 if those of `x` are 0.
fn orthogonal(mut x: Vec<f32>, m: usize, n: usize, kernels: Kernels) -> Vec<f32> {
    let [a, b, c] = COEFFICIENTS;
    let norm = x.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
    let scale = (1.0 / (norm + 1e-20)) as f32;
    for value in &mut x {
        *value *= scale;
    }
    for _ in 0..ITERATIONS {
        // X ← a X + (b A + c A²) X with A = X Xᵀ, [m, m]. A is symmetric, so its rows are its columns.
        let gram = product(&x, m, n, &Matrix::pack(m, n, &x), m, kernels);
        let mut factor = product(&gram, m, m, &Matrix::pack(m, m, &gram), m, kernels);
        for (value, &gram) in factor.iter_mut().zip(&gram) {
            *value = b * gram + c * *value;
        }
        let columns = Matrix::pack(n, m, &transposed(&x, m, n));
        let change = product(&factor, m, m, &columns, n, kernels);
        for (value, change) in x.iter_mut().zip(change) {
            *value = a * *value + change;
        }
    }
    x
}

/// `rows · weightsᵀ`: `[count, width]` → `[count, outputs]`.
fn product(rows: &[f32], count: usize, width: usize, weights: &Matrix, outputs: usize, kernels: Kernels) -> Vec<f32> {
    let padded = weights.padded_outputs();
    let mut out = vec![0.0; count * padded];
    kernels.product(Rows { values: rows, stride: width, count }, weights, &[], false, &mut out);
    out.chunks_exact(padded).flat_map(|row| &row[..outputs]).copied().collect()
}

/// The transpose of a row-major matrix `[rows, columns]`.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|at| values[at % rows * columns + at / rows]).collect()
}

#[cfg(test)]
mod tests {
    use tablut_kernels::Simd;

    use super::*;

    /// Pseudo-random values between -1 and 1.
    fn values(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        std::iter::repeat_with(next).take(n).collect()
    }

    /// `a · b` for `a` of `[m, k]` and `b` of `[k, n]`, by the definition and in f64.
    fn times(a: &[f64], b: &[f64], [m, k, n]: [usize; 3]) -> Vec<f64> {
        let element = |at: usize| (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum();
        (0..m * n).map(element).collect()
    }

    fn flipped(a: &[f64], [m, n]: [usize; 2]) -> Vec<f64> {
        (0..m * n).map(|at| a[at % m * n + at / m]).collect()
    }

    /// The update by the papers' formulas, in f64.
    fn reference(momentum: &mut [f64], gradient: &[f32], [rows, columns]: [usize; 2]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::new();
        for (m, &g) in momentum.iter_mut().zip(gradient) {
            *m = 0.95 * *m + f64::from(g);
            x.push(0.95 * *m + f64::from(g));
        }
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        for v in &mut x {
            *v /= norm;
        }
        for _ in 0..5 {
            let gram = times(&x, &flipped(&x, [rows, columns]), [rows, columns, rows]);
            let square = times(&gram, &gram, [rows, rows, rows]);
            let factor: Vec<f64> = gram.iter().zip(&square).map(|(g, s)| -4.7750 * g + 2.0315 * s).collect();
            let change = times(&factor, &x, [rows, rows, columns]);
            x = x.iter().zip(&change).map(|(x, change)| 3.4445 * x + change).collect();
        }
        x.iter().map(|v| v * 0.2 * (rows.max(columns) as f64).sqrt()).collect()
    }

    #[test]
    fn updates_are_those_of_a_plain_reference_for_matrices_of_any_shape() {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let kernels = Kernels::new(simd).unwrap();
            for dims @ [rows, columns] in [[2, 2], [3, 40], [40, 3], [16, 16], [33, 20], [32, 288]] {
                let mut momentum = vec![0.0; rows * columns];
                let mut plain = vec![0.0; rows * columns];
                for seed in 1..4 {
                    let gradient = values(rows * columns, seed);
                    let found = update(&mut momentum, &gradient, 1.0, dims, kernels);
                    let expected = reference(&mut plain, &gradient, dims);
                    let largest = expected.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
                    for (found, expected) in found.iter().zip(&expected) {
                        let off = (f64::from(*found) - expected).abs();
                        assert!(off < 1e-3 * largest, "{simd}, {dims:?}: {found}, not {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_updates_rows_are_nearly_orthogonal_whatever_the_gradients_scale() {
        let kernels = Kernels::from_env().unwrap();
        let gradient: Vec<f32> = values(8 * 72, 9);
        let once = update(&mut vec![0.0; 8 * 72], &gradient, 1.0, [8, 72], kernels);
        let scaled: Vec<f32> = gradient.iter().map(|g| g * 1024.0).collect();
        assert_eq!(update(&mut vec![0.0; 8 * 72], &scaled, 1.0 / 1024.0, [8, 72], kernels), once);
        let unit = 0.2 * 72.0_f32.sqrt();
        for a in 0..8 {
            for b in 0..8 {
                let rows = [a, b].map(|row: usize| &once[row * 72..(row + 1) * 72]);
                let dot: f32 = rows[0].iter().zip(rows[1]).map(|(x, y)| x * y / unit / unit).sum();
                let expected = if a == b { 0.4..1.6 } else { -0.4..0.4 };
                assert!(expected.contains(&dot), "rows {a} and {b}: {dot}");
            }
        }
    }

    #[test]
    fn no_gradient_moves_nothing() {
        let kernels = Kernels::from_env().unwrap();
        assert_eq!(update(&mut [0.0; 6], &[0.0; 6], 1.0, [2, 3], kernels), [0.0; 6]);
    }
}
