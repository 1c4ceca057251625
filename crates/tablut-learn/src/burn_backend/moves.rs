//! The moves of a batch as indices into tensors on a device. Only the logits of these moves are computed.

use tablut_net::lines::{DISTANCES, ENDS, Entry, entries};
use tablut_net::{InputBatch, PolicyIndex};
use tablut_rules::BoardSize;

/// Biases of the moves along a board's lines: for each line, start and kind of end.
pub(super) const fn line_ends(size: BoardSize) -> usize {
    2 * size.n_squares() * ENDS
}

/// Rows of moves are padded to a multiple of this, so that few tensor shapes occur.
const WIDTH_STEP: usize = 32;

/// The rows' moves, each padded to `width`. All rows have boards of one size.
pub(super) struct MoveIndices {
    pub width: usize,
    /// Places of the vectors of the squares that moves leave, `[n, width]`.
    pub from: Vec<i32>,
    /// Places of the vectors of the squares that moves reach, `[n, width]`.
    pub to: Vec<i32>,
    /// Places of three biases of each move, `[n, 3, width]`, among those of the lines, of the chosen captures, of the distances,
    /// and a zero.
    pub biases: Vec<i32>,
}

impl MoveIndices {
    pub fn new(size: BoardSize, input: &InputBatch) -> Self {
        let entries = entries(size);
        let nothing = (line_ends(size) + size.n_squares() + DISTANCES) as i32;
        let longest = (0..input.n).map(|row| input.move_range(row).len()).max().unwrap_or(0);
        let width = longest.next_multiple_of(WIDTH_STEP).max(WIDTH_STEP);
        let padding = || vec![0; input.n * width];
        let mut indices = Self { width, from: padding(), to: padding(), biases: vec![nothing; 3 * input.n * width] };
        for row in 0..input.n {
            for (place, index) in input.moves[input.move_range(row)].iter().enumerate() {
                indices.set(size, row, place, *index, &entries);
            }
        }
        indices
    }

    fn set(&mut self, size: BoardSize, row: usize, place: usize, index: PolicyIndex, entries: &[Entry]) {
        let squares = size.n_squares();
        let at = row * self.width + place;
        let bias = |kind: usize| (3 * row + kind) * self.width + place;
        if let Entry::Move(entry) = &entries[usize::from(index.entry)] {
            // A square has vectors for moves along its row and along its column, each from and to.
            let vector = |square: usize, end: usize| (square % squares * 4 + square / squares * 2 + end) as i32;
            self.from[at] = vector(entry.from, 0);
            self.to[at] = vector(entry.to, 1);
            self.biases[bias(0)] = (entry.line * size.width() * ENDS + entry.end) as i32;
            self.biases[bias(1)] = (line_ends(size) + squares + entry.distance) as i32;
        }
        if index.choice != PolicyIndex::NO_CHOICE
            && let Entry::Choice(square) = entries[usize::from(index.choice)]
        {
            self.biases[bias(2)] = (line_ends(size) + square) as i32;
        }
    }
}
