//! Small linear systems, by elimination with pivoting.

/// Solves `matrix · x = right` for a square matrix that is not singular.
pub(super) fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, &r)| row.iter().copied().chain([r]).collect()).collect();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .expect("the range holds at least `column`");
        rows.swap(column, pivot);
        let (done, below) = rows.split_at_mut(column + 1);
        let lead = &done[column];
        for row in below {
            let factor = row[column] / lead[column];
            for (slot, value) in row.iter_mut().zip(lead).skip(column) {
                *slot -= factor * value;
            }
        }
    }
    let mut x = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| rows[row][k] * x[k]).sum();
        x[row] = (rows[row][size] - known) / rows[row][row];
    }
    x
}

/// The inverse of a symmetric matrix that is not singular.
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..matrix.len())
        .map(|k| {
            let unit: Vec<f64> = (0..matrix.len()).map(|i| f64::from(u8::from(i == k))).collect();
            solve(matrix, &unit)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{inverse, solve};

    #[test]
    fn solves_a_system_that_needs_a_pivot() {
        let matrix = vec![vec![0.0, 2.0], vec![3.0, 4.0]];
        assert_eq!(solve(&matrix, &[4.0, 11.0]), [1.0, 2.0]);
    }

    #[test]
    fn inverse_times_matrix_is_identity() {
        let matrix = vec![vec![4.0, 1.0], vec![1.0, 3.0]];
        let inverse = inverse(&matrix);
        for (i, row) in matrix.iter().enumerate() {
            for (j, column) in inverse.iter().enumerate() {
                // The inverse of a symmetric matrix is symmetric, so its rows are its columns.
                let cell: f64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
                assert!((cell - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }
}
