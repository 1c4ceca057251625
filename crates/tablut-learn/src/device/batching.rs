//! Joins the batches of several threads into one for the device, and splits its outputs.

use tablut_net::{FEATURES, InputBatch, MOVES_LEFT_UNIT, OutputBatch, PLANES};
use tablut_rules::Bitboard;

/// Values per position in addition to the moves' logits: three for the outcome, and the moves left.
pub(super) const OTHERS: usize = 4;
/// The number of moves per position is rounded up to a multiple of this, so that few tensor shapes occur.
pub(super) const MOVES_STEP: usize = 32;

/// One batch of all batches in their order, padded with zeros to [`padded`] rows.
pub(super) fn joined<'a>(inputs: impl Iterator<Item = &'a InputBatch>) -> InputBatch {
    let mut whole = InputBatch::default();
    inputs.for_each(|input| whole.append(input));
    let rows = padded(whole.n);
    whole.planes.resize(rows * PLANES, Bitboard::EMPTY);
    whole.features.resize(rows * FEATURES, 0.0);
    whole
}

/// Rows of the device's batch for `n` positions. It is rounded up, by at most a quarter or seven rows, so that few
/// tensor shapes occur.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of((n.next_power_of_two() / 8).max(8))
}

/// The outputs of each batch, from the device's values `[rows, width + OTHERS]`.
///
/// # Panics
/// If there are too few values.
pub(super) fn divided<'a>(
    values: &[f32],
    width: usize,
    inputs: impl Iterator<Item = &'a InputBatch>,
) -> Vec<OutputBatch> {
    let mut rows = values.chunks_exact(width + OTHERS);
    let one = |input: &InputBatch| {
        let mut output = OutputBatch::default();
        for row in 0..input.n {
            let (logits, others) = rows.next().expect("a row for each position").split_at(width);
            output.logits.extend_from_slice(&logits[..input.move_range(row).len()]);
            output.wdl.push([others[0], others[1], others[2]]);
            output.moves_left.push(others[3] * MOVES_LEFT_UNIT);
        }
        output
    };
    inputs.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_net::PolicyIndex;

    fn input(moves: &[usize]) -> InputBatch {
        let mut input = InputBatch { n: moves.len(), ..InputBatch::default() };
        input.planes = vec![Bitboard::FULL; moves.len() * PLANES];
        input.features = vec![1.0; moves.len() * FEATURES];
        for &count in moves {
            input.moves.extend((0..count).map(|at| PolicyIndex { entry: at as u16, choice: PolicyIndex::NO_CHOICE }));
            input.move_ends.push(input.moves.len() as u32);
        }
        input
    }

    #[test]
    fn batches_are_joined_in_order_and_divided_again() {
        let inputs = [input(&[2, 0]), input(&[]), input(&[1])];
        let whole = joined(inputs.iter());
        assert_eq!((whole.n, &whole.move_ends[..]), (3, &[2, 2, 3][..]));
        assert_eq!(whole.features.len(), padded(3) * FEATURES);
        assert!(whole.features[3 * FEATURES..].iter().all(|&value| value == 0.0));
        let values: Vec<f32> = (0..18).map(|value| value as f32).collect();
        let outputs = divided(&values, 2, inputs.iter());
        assert_eq!(outputs[0].logits, [0.0, 1.0]);
        assert_eq!(outputs[0].wdl, [[2.0, 3.0, 4.0], [8.0, 9.0, 10.0]]);
        assert_eq!(outputs[1], OutputBatch::default());
        assert_eq!((&outputs[2].logits[..], outputs[2].moves_left[0]), (&[12.0][..], 17.0 * MOVES_LEFT_UNIT));
    }

    #[test]
    fn padding_adds_at_most_a_quarter_or_seven_rows() {
        for n in 1..5000 {
            let rows = padded(n);
            // Small batches may grow by up to seven rows.
            assert!(rows >= n && rows.is_multiple_of(8) && (rows - n < 8 || 4 * (rows - n) < n), "{n}: {rows}");
        }
    }
}
