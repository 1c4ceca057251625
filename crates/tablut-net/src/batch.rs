//! Batches: the inputs and outputs of a net as flat arrays.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::NetError;
use crate::features::{FEATURES, PLANES};
use crate::policy::{PolicyIndex, policy_entries};
use tablut_rules::{Bitboard, BoardSize};

/// Encoded positions and, for each, the moves whose logits are needed.
#[derive(Clone, Debug, Default)]
pub struct InputBatch {
    /// Number of rows (positions).
    pub n: usize,
    /// The size of each row's board, `[n]`.
    pub sizes: Vec<BoardSize>,
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
        self.sizes.clear();
        self.planes.clear();
        self.features.clear();
        self.moves.clear();
        self.move_ends.clear();
    }

    /// Appends the rows of `other`.
    pub fn append(&mut self, other: &Self) {
        let moves_before = self.moves.len() as u32;
        self.n += other.n;
        self.sizes.extend_from_slice(&other.sizes);
        self.planes.extend_from_slice(&other.planes);
        self.features.extend_from_slice(&other.features);
        self.moves.extend_from_slice(&other.moves);
        self.move_ends.extend(other.move_ends.iter().map(|end| moves_before + end));
    }

    /// The planes as numbers, 0 or 1, `[n, PLANES, squares]` if all rows have boards of one size.
    pub fn plane_values(&self) -> Vec<f32> {
        let len = self.sizes.iter().map(|size| PLANES * size.n_squares()).sum();
        let (mut values, mut first) = (vec![0.0; len], 0);
        for (planes, size) in self.planes.chunks_exact(PLANES).zip(&self.sizes) {
            for plane in planes {
                for square in *plane {
                    values[first + size.place(square)] = 1.0;
                }
                first += size.n_squares();
            }
        }
        values
    }

    /// Appends one of the rows of `other`.
    pub fn push_row(&mut self, other: &Self, row: usize) {
        let SeenRow { size, planes, features } = other.row(row);
        self.n += 1;
        self.sizes.push(size);
        self.planes.extend_from_slice(planes);
        self.features.extend_from_slice(features);
        self.moves.extend_from_slice(&other.moves[other.move_range(row)]);
        self.move_ends.push(self.moves.len() as u32);
    }

    pub(crate) fn row(&self, row: usize) -> SeenRow<'_> {
        SeenRow {
            size: self.sizes[row],
            planes: &self.planes[row * PLANES..][..PLANES],
            features: &self.features[row * FEATURES..][..FEATURES],
        }
    }

    /// The rows with boards of each size that occurs. A batch with boards of one size is its only part.
    pub fn parts(&self) -> Vec<BatchPart<'_>> {
        let rows_of = |size: BoardSize| (0..self.n).filter(move |&row| self.sizes[row] == size);
        let part = |size: BoardSize| {
            let rows: Vec<usize> = rows_of(size).collect();
            let input = if rows.len() == self.n { Cow::Borrowed(self) } else { Cow::Owned(self.of_rows(&rows)) };
            BatchPart { size, rows, input }
        };
        BoardSize::ALL.into_iter().filter(|&size| rows_of(size).next().is_some()).map(part).collect()
    }

    fn of_rows(&self, rows: &[usize]) -> InputBatch {
        let mut part = InputBatch::default();
        for &row in rows {
            part.push_row(self, row);
        }
        part
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
        complain("sizes of boards", self.sizes.len(), self.n)?;
        complain("planes", self.planes.len(), self.n * PLANES)?;
        complain("feature values", self.features.len(), self.n * FEATURES)?;
        complain("move ends", self.move_ends.len(), self.n)?;
        complain("moves", self.moves.len(), self.move_ends.last().map_or(0, |&end| end as usize))
    }

    /// Checks the indices of the moves: the moves of each row end where those of the next row start, and every entry is
    /// inside the policy table of the row's board.
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
        for (row, &size) in self.sizes.iter().enumerate() {
            let entries = policy_entries(size);
            let in_table = |entry: u16| usize::from(entry) < entries;
            let good = |index: &&PolicyIndex| {
                in_table(index.entry) && (index.choice == PolicyIndex::NO_CHOICE || in_table(index.choice))
            };
            if let Some(index) = self.moves[self.move_range(row)].iter().find(|index| !good(index)) {
                let reason = format!("policy index {index:?} is outside the table of {entries} entries");
                return Err(NetError::Inference(reason));
            }
        }
        Ok(())
    }
}

/// The rows of a batch with boards of one size.
pub struct BatchPart<'a> {
    /// That size.
    pub size: BoardSize,
    /// The rows' numbers in the whole batch.
    pub rows: Vec<usize>,
    /// The rows' inputs.
    pub input: Cow<'a, InputBatch>,
}

/// The inputs of one row.
#[derive(Copy, Clone)]
pub(crate) struct SeenRow<'a> {
    pub size: BoardSize,
    /// `[PLANES]`
    pub planes: &'a [Bitboard],
    /// `[FEATURES]`
    pub features: &'a [f32],
}

impl SeenRow<'_> {
    /// 0 if the attackers move, 1 if the defenders do.
    pub fn side(self) -> usize {
        usize::from(self.planes[3].is_empty())
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

impl Predictions {
    /// Those of a whole batch, from those of its parts.
    pub(crate) fn joined(input: &InputBatch, parts: &[BatchPart<'_>], mut each: Vec<Self>) -> Self {
        if let [_] = parts {
            return each.remove(0);
        }
        let (logits, n) = (vec![0.0; input.moves.len()], input.n);
        let mut whole = Self { logits, wdl: vec![0.0; 3 * n], moves_left: vec![0.0; n] };
        for (part, own) in parts.iter().zip(each) {
            for (at, &row) in part.rows.iter().enumerate() {
                whole.logits[input.move_range(row)].copy_from_slice(&own.logits[part.input.move_range(at)]);
                whole.wdl[3 * row..][..3].copy_from_slice(&own.wdl[3 * at..][..3]);
                whole.moves_left[row] = own.moves_left[at];
            }
        }
        whole
    }

    /// Those of one part of a batch.
    pub(crate) fn part(&self, input: &InputBatch, part: &BatchPart<'_>) -> Cow<'_, Self> {
        if part.rows.len() == input.n {
            return Cow::Borrowed(self);
        }
        let mut own = Self::default();
        for &row in &part.rows {
            own.logits.extend_from_slice(&self.logits[input.move_range(row)]);
            own.wdl.extend_from_slice(&self.wdl[3 * row..][..3]);
            own.moves_left.push(self.moves_left[row]);
        }
        Cow::Owned(own)
    }
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
