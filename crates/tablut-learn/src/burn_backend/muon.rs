//! Muon's update in burn's operations.

use burn::tensor::Tensor;

use super::product_net::Multiply;
use super::tensors::sum_of;
use crate::muon::{COEFFICIENTS, ITERATIONS, MOMENTUM, update_size};

/// The momentum with a gradient added, and the update for a learning rate of 1, as [`crate::muon::update`] has them. All
/// are flat; the gradient is clipped.
pub(super) fn update(
    momentum: Tensor<1>,
    gradient: Tensor<1>,
    [rows, columns]: [usize; 2],
    multiply: Multiply,
) -> (Tensor<1>, Tensor<1>) {
    let momentum = momentum * MOMENTUM + gradient.clone();
    let direction = (momentum.clone() * MOMENTUM + gradient).reshape([rows, columns]);
    let update = if rows <= columns {
        orthogonal(direction, multiply)
    } else {
        orthogonal(direction.transpose(), multiply).transpose()
    };
    (momentum, update.reshape([rows * columns]) * update_size(rows, columns))
}

/// The matrix nearest to an orthogonal one with the singular vectors of `x`, `[m, n]` with `m ≤ n`.
fn orthogonal(x: Tensor<2>, multiply: Multiply) -> Tensor<2> {
    let [a, b, c] = COEFFICIENTS;
    let norm = sum_of(x.clone() * x.clone()).sqrt().add_scalar(1e-20);
    let mut x = x / norm.reshape([1, 1]);
    for _ in 0..ITERATIONS {
        let gram = multiply.product(x.clone(), x.clone().transpose());
        let factor = gram.clone() * b + multiply.product(gram.clone(), gram) * c;
        x = x.clone() * a + multiply.product(factor, x);
    }
    x
}
