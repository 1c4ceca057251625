//! The distinct lines of a batch on boards of one size, and its positions' activations.

use std::collections::HashMap;

use tablut_rules::BoardSize;

use super::shard::Shard;
use crate::batch::InputBatch;
use crate::lines::dense::add;
use crate::lines::description::{BOTH, ENDS, LineLayers, PAIRS};
use crate::lines::patterns::{Classes, MOST_LINES, SeenLine};

/// Positions that a thread runs through the trunk together.
const SHARD: usize = 16;

#[derive(Default)]
pub(super) struct Batch {
    pub(super) n: usize,
    pub(super) classes: Classes,
    pub(super) lines: Vec<SeenLine>,
    /// Each position's lines, as indices of `lines`.
    pub(super) of_row: Vec<[u32; MOST_LINES]>,
    /// The outputs of the line network, `[lines][squares][out_width]`.
    pub(super) table: Vec<f32>,
    /// What the line network's backward pass needs.
    pub(super) kept: Vec<f32>,
    pub(super) shards: Vec<Shard>,
}

impl Batch {
    /// Finds the lines of a new batch, and makes room for its positions.
    pub(super) fn begin(&mut self, layers: &LineLayers, size: BoardSize, input: &InputBatch) {
        self.classes = Classes::default();
        self.lines.clear();
        let mut found = HashMap::new();
        let Self { classes, lines, .. } = self;
        let of_row = (0..input.n).map(|row| {
            let mut of_row = [0; MOST_LINES];
            for (place, line) in of_row.iter_mut().zip(classes.lines(input.row(row))) {
                *place = *found.entry(line.key()).or_insert_with(|| {
                    lines.push(line);
                    lines.len() as u32 - 1
                });
            }
            of_row
        });
        self.of_row = of_row.collect();
        self.n = input.n;
        self.shards.truncate(input.n.div_ceil(SHARD));
        for (index, first) in (0..input.n).step_by(SHARD).enumerate() {
            let rows = first..(first + SHARD).min(input.n);
            match self.shards.get_mut(index) {
                Some(shard) if shard.rows == rows => {}
                Some(shard) => *shard = Shard::new(layers, size, rows),
                None => self.shards.push(Shard::new(layers, size, rows)),
            }
        }
    }

    /// For each line, the positions that have it, and its place among the lines of the position.
    pub(super) fn users(&self, size: BoardSize) -> Vec<Vec<(u32, u8)>> {
        let mut users = vec![Vec::new(); self.lines.len()];
        for (row, lines) in self.of_row.iter().enumerate() {
            for (at, &line) in lines[..2 * size.width()].iter().enumerate() {
                users[line as usize].push((row as u32, at as u8));
            }
        }
        users
    }

    /// Sums the gradient of a line's output over the positions that have it.
    pub(super) fn gather(&self, size: BoardSize, c: usize, users: &[(u32, u8)], gradient: &mut [f32]) {
        let (side, squares) = (size.width(), size.n_squares());
        let width = gradient.len() / side;
        gradient.fill(0.0);
        for &(row, at) in users {
            let (row, at) = (row as usize, usize::from(at));
            let (shard, row) = (&self.shards[row / SHARD], row % SHARD);
            let along_row = at < side;
            for (place, gradient) in gradient.chunks_exact_mut(width).enumerate() {
                let square = if along_row { at * side + place } else { place * side + at - side };
                add(&mut gradient[..c], &shard.to_trunk[(row * squares + square) * c..][..c], 1.0);
                let pairs = &shard.to_pairs[(row * squares + square) * PAIRS..][..PAIRS];
                let (on_rows, on_columns) = pairs.split_at(BOTH);
                let (along, across) = if along_row { (on_rows, on_columns) } else { (on_columns, on_rows) };
                add(&mut gradient[c..c + BOTH], along, 1.0);
                add(&mut gradient[c + BOTH..c + PAIRS], across, 1.0);
                let ends = &shard.to_ends[((row * 2 * side + at) * side + place) * ENDS..][..ENDS];
                add(&mut gradient[c + PAIRS..c + PAIRS + ENDS], ends, 1.0);
            }
        }
    }
}
