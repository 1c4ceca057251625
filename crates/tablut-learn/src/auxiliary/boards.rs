//! Heads that predict something for every square: who stands there at the end, which pieces are captured soon.

use burn::tensor::activation::softplus;
use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::Parameter;
use tablut_rules::{Bitboard, SIZE, SQUARES};

use super::head::{AuxiliaryHead, on_squares, square_layer};
use crate::model::tensor;
use crate::sums::{mean_of, sum_of};

/// Final ownership of squares (Wu 2019, section 4.1). For every square it predicts the chance that an attacker stands
/// there at the end of the game, and the chance that a defender or the king does. It is a 1×1 convolution of the
/// trunk's output. Its loss is the mean cross-entropy over the squares.
pub(super) struct Ownership;

impl AuxiliaryHead for Ownership {
    fn name(&self) -> &'static str {
        "ownership"
    }

    fn parameters(&self, channels: usize) -> Vec<Parameter> {
        square_layer("aux.ownership", 2, channels)
    }

    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1> {
        let n = trunk.dims()[0];
        let logits = on_squares(trunk, parameters, 2); // [n, 2, 9, 9]
        let owned = tensor(planes(batch.ownership.as_flattened(), 2 * n), [n, 2, SIZE, SIZE], device);
        // The cross-entropy of the sigmoid of x with target t is ln(1 + exp(x)) - x t.
        mean_of(softplus(logits.clone(), 1.0) - logits * owned)
    }
}

/// For every piece on the board, the king included, the chance that it is captured within the next
/// [`tablut_games::CAPTURE_PLIES`] plies. It is a 1×1 convolution of the trunk's output, read at the piece's square. Its
/// loss is the mean cross-entropy over the pieces.
pub(super) struct Captures;

impl AuxiliaryHead for Captures {
    fn name(&self) -> &'static str {
        "captures"
    }

    fn parameters(&self, channels: usize) -> Vec<Parameter> {
        square_layer("aux.captures", 1, channels)
    }

    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1> {
        let n = trunk.dims()[0];
        let logits = on_squares(trunk, parameters, 1); // [n, 1, 9, 9]
        let board = |which: usize| {
            let squares: Vec<_> = batch.captures.iter().map(|boards| boards[which]).collect();
            tensor(planes(&squares, n), [n, 1, SIZE, SIZE], device)
        };
        let n_pieces: usize = batch.captures.iter().map(|[pieces, _]| pieces.len()).sum();
        let at_pieces = (softplus(logits.clone(), 1.0) - logits * board(1)) * board(0);
        sum_of(at_pieces).div_scalar(n_pieces.max(1) as f32)
    }
}

/// `n` planes of 81 values: 1 on the squares of each set, 0 elsewhere and in planes without a set.
fn planes(sets: &[Bitboard], n: usize) -> Vec<f32> {
    let mut values = vec![0.0; n * SQUARES];
    for (squares, plane) in sets.iter().zip(values.chunks_exact_mut(SQUARES)) {
        squares.iter().for_each(|square| plane[square.index()] = 1.0);
    }
    values
}
