//! The moves of a batch as indices into tensors on a device. Only the logits of these moves are computed.

use tablut_net::lines::{ENDS, Entry, entries};
use tablut_net::{InputBatch, PolicyIndex};
use tablut_net::{SIZE, SQUARES};

/// Biases of the moves along a board's lines: for each line, start and other end.
pub(super) const LINE_ENDS: usize = 2 * SIZE * SIZE * ENDS;
/// Values that moves read in addition to their vectors: those biases, one of each chosen capture and of each distance, and
/// a zero.
const BIASES: usize = LINE_ENDS + SQUARES + ENDS + 1;
const NOTHING: i32 = BIASES as i32 - 1;
/// Rows of moves are padded to a multiple of this, so that few tensor shapes occur.
const WIDTH_STEP: usize = 32;

/// The rows' moves, each padded to `width`.
pub(super) struct MoveIndices {
    pub width: usize,
    /// Places of the vectors of the squares that moves leave, `[n, width]`.
    pub from: Vec<i32>,
    /// Places of the vectors of the squares that moves reach, `[n, width]`.
    pub to: Vec<i32>,
    /// Places of three biases of each move, `[n, 3, width]`.
    pub biases: Vec<i32>,
}

impl MoveIndices {
    pub fn new(input: &InputBatch) -> Self {
        let entries = entries();
        let longest = (0..input.n).map(|row| input.move_range(row).len()).max().unwrap_or(0);
        let width = longest.next_multiple_of(WIDTH_STEP).max(WIDTH_STEP);
        let padding = || vec![0; input.n * width];
        let mut indices = Self { width, from: padding(), to: padding(), biases: vec![NOTHING; 3 * input.n * width] };
        for row in 0..input.n {
            for (place, index) in input.moves[input.move_range(row)].iter().enumerate() {
                indices.set(row, place, *index, &entries);
            }
        }
        indices
    }

    fn set(&mut self, row: usize, place: usize, index: PolicyIndex, entries: &[Entry]) {
        let at = row * self.width + place;
        let bias = |kind: usize| (3 * row + kind) * self.width + place;
        if let Entry::Move(entry) = &entries[usize::from(index.entry)] {
            // A square has vectors for moves along its row and along its column, each from and to.
            let vector = |square: usize, end: usize| (square % SQUARES * 4 + square / SQUARES * 2 + end) as i32;
            self.from[at] = vector(entry.from, 0);
            self.to[at] = vector(entry.to, 1);
            self.biases[bias(0)] = (entry.line * SIZE * ENDS + entry.end) as i32;
            self.biases[bias(1)] = (LINE_ENDS + SQUARES + entry.distance) as i32;
        }
        if index.choice != PolicyIndex::NO_CHOICE
            && let Entry::Choice(square) = entries[usize::from(index.choice)]
        {
            self.biases[bias(2)] = (LINE_ENDS + square) as i32;
        }
    }
}
