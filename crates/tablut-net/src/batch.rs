//! Batches: the inputs and outputs of a net as flat arrays.

use std::ops::Range;

use crate::board::{BOARD, SQUARES};
use crate::error::NetError;
use crate::features::{FEATURES, PLANES};
use crate::policy::{POLICY_ENTRIES, PolicyIndex};
use tablut_rules::Bitboard;

/// Encoded positions and, for each, the moves whose logits are needed.
#[derive(Clone, Debug, Default)]
pub struct InputBatch {
    /// Number of rows (positions).
    pub n: usize,
    /// Input planes, `[n, PLANES]`: the squares where a plane is 1. [`InputBatch::plane_values`] has them as numbers.
    pub planes: Vec<Bitboard>,
    /// Scalar features, `[n, FEATURES]`.
    pub features: Vec<f32>,
    /// Policy indices of the moves of all rows, row by row.
    pub moves: Vec<PolicyIndex>,
    /// For each row, the end of its moves in `moves`, `[n]`.
    pub move_ends: Vec<u32>,
}

impl InputBatch {
    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.n = 0;
        self.planes.clear();
        self.features.clear();
        self.moves.clear();
        self.move_ends.clear();
    }

    /// Appends the rows of `other`.
    pub fn append(&mut self, other: &Self) {
        let moves_before = self.moves.len() as u32;
        self.n += other.n;
        self.planes.extend_from_slice(&other.planes);
        self.features.extend_from_slice(&other.features);
        self.moves.extend_from_slice(&other.moves);
        self.move_ends.extend(other.move_ends.iter().map(|end| moves_before + end));
    }

    /// The planes as numbers, 0 or 1, `[n, PLANES, 81]`.
    pub fn plane_values(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.planes.len() * SQUARES];
        for (plane, values) in self.planes.iter().zip(values.chunks_exact_mut(SQUARES)) {
            for square in *plane {
                values[BOARD.place(square)] = 1.0;
            }
        }
        values
    }

    pub(crate) fn position(&self, row: usize) -> (&[Bitboard], &[f32]) {
        (&self.planes[row * PLANES..][..PLANES], &self.features[row * FEATURES..][..FEATURES])
    }

    /// The range of row `row`'s moves in [`InputBatch::moves`].
    pub fn move_range(&self, row: usize) -> Range<usize> {
        self.moves_of_rows(&(row..row + 1))
    }

    pub(crate) fn moves_of_rows(&self, rows: &Range<usize>) -> Range<usize> {
        let before = |row: usize| if row == 0 { 0 } else { self.move_ends[row - 1] as usize };
        before(rows.start)..before(rows.end)
    }

    /// Checks that the arrays have the lengths required by `n`.
    ///
    /// # Errors
    /// If an array has another length.
    pub fn validate(&self) -> Result<(), NetError> {
        let complain = |what: &'static str, found: usize, expected: usize| {
            if found == expected { Ok(()) } else { Err(NetError::Batch { what, found, expected }) }
        };
        complain("planes", self.planes.len(), self.n * PLANES)?;
        complain("feature values", self.features.len(), self.n * FEATURES)?;
        complain("move ends", self.move_ends.len(), self.n)?;
        complain("moves", self.moves.len(), self.move_ends.last().map_or(0, |&end| end as usize))
    }

    /// Checks the indices of the moves: the moves of each row end where those of the next row start, and every entry is
    /// inside the policy table.
    ///
    /// # Errors
    /// If an index is wrong.
    pub fn validate_moves(&self) -> Result<(), NetError> {
        if let Some(pair) = self.move_ends.windows(2).find(|pair| pair[0] > pair[1]) {
            return Err(NetError::Batch {
                what: "moves up to a row",
                found: pair[1] as usize,
                expected: pair[0] as usize,
            });
        }
        let in_table = |entry: u16| usize::from(entry) < POLICY_ENTRIES;
        let good = |index: &&PolicyIndex| {
            in_table(index.entry) && (index.choice == PolicyIndex::NO_CHOICE || in_table(index.choice))
        };
        match self.moves.iter().find(|index| !good(index)) {
            None => Ok(()),
            Some(index) => Err(NetError::Inference(format!(
                "policy index {index:?} is outside the table of {POLICY_ENTRIES} entries"
            ))),
        }
    }
}

/// A net's outputs for each row of an [`InputBatch`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputBatch {
    /// Policy logits, one for each entry of [`InputBatch::moves`], in the same order.
    pub logits: Vec<f32>,
    /// Probabilities that the attackers win, that the game is drawn, and that the defenders win, `[n]`.
    pub wdl: Vec<[f32; 3]>,
    /// Expected plies until the end, at least 0, `[n]`.
    pub moves_left: Vec<f32>,
}

impl OutputBatch {
    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.logits.clear();
        self.wdl.clear();
        self.moves_left.clear();
    }
}

/// A net's raw outputs for each row of a batch during training, or a gradient with respect to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// Policy logits, one for each of the batch's moves.
    pub logits: Vec<f32>,
    /// Logits of attackers win, draw, defenders win, `[n][3]`.
    pub wdl: Vec<f32>,
    /// Plies to the end in units of 32, at least 0, `[n]`.
    pub moves_left: Vec<f32>,
}

/// Runs a net forward: the CPU engine, or burn on another device.
///
/// A row's outputs depend only on that row, to the bit. They do not depend on the other rows, their number, or the
/// threads.
pub trait Inference: Send {
    /// Evaluates every row of `input` and replaces the contents of `output`.
    ///
    /// # Errors
    /// If the batch is not valid or the device fails.
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError>;
}
