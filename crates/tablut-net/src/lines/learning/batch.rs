//! The distinct lines of a batch, and its positions' activations.

use std::collections::HashMap;

use crate::board::{SIZE, SQUARES};

use super::shard::Shard;
use crate::batch::InputBatch;
use crate::lines::dense::add;
use crate::lines::description::{BOTH, ENDS, LineLayers, PAIRS};
use crate::lines::patterns::{Classes, LINES, SeenLine};

/// Positions that a thread runs through the trunk together.
const SHARD: usize = 16;

#[derive(Default)]
pub(super) struct Batch {
    pub(super) n: usize,
    pub(super) classes: Classes,
    pub(super) lines: Vec<SeenLine>,
    /// Each position's lines, as indices of `lines`.
    pub(super) of_row: Vec<[u32; LINES]>,
    /// The outputs of the line network, `[lines][9][out_width]`.
    pub(super) table: Vec<f32>,
    /// What the line network's backward pass needs.
    pub(super) kept: Vec<f32>,
    pub(super) shards: Vec<Shard>,
}

impl Batch {
    /// Finds the lines of a new batch, and makes room for its positions.
    pub(super) fn begin(&mut self, layers: &LineLayers, input: &InputBatch) {
        self.classes = Classes::default();
        self.lines.clear();
        let mut found = HashMap::new();
        let Self { classes, lines, .. } = self;
        let of_row = (0..input.n).map(|row| {
            let (planes, features) = input.position(row);
            classes.lines(planes, features).map(|line| {
                *found.entry(line.key()).or_insert_with(|| {
                    lines.push(line);
                    lines.len() as u32 - 1
                })
            })
        });
        self.of_row = of_row.collect();
        if self.n != input.n || self.shards.is_empty() {
            self.n = input.n;
            let shard = |first: usize| Shard::new(layers, first..(first + SHARD).min(input.n));
            self.shards = (0..input.n).step_by(SHARD).map(shard).collect();
        }
    }

    /// For each line, the positions that have it, and its place among the lines of the position.
    pub(super) fn users(&self) -> Vec<Vec<(u32, u8)>> {
        let mut users = vec![Vec::new(); self.lines.len()];
        for (row, lines) in self.of_row.iter().enumerate() {
            for (at, &line) in lines.iter().enumerate() {
                users[line as usize].push((row as u32, at as u8));
            }
        }
        users
    }

    /// Sums the gradient of a line's output over the positions that have it.
    pub(super) fn gather(&self, c: usize, width: usize, users: &[(u32, u8)], gradient: &mut [f32]) {
        gradient.fill(0.0);
        for &(row, at) in users {
            let (row, at) = (row as usize, usize::from(at));
            let (shard, row) = (&self.shards[row / SHARD], row % SHARD);
            let along_row = at < SIZE;
            for (place, gradient) in gradient.chunks_exact_mut(width).enumerate() {
                let square = if along_row { at * SIZE + place } else { place * SIZE + at - SIZE };
                add(&mut gradient[..c], &shard.to_trunk[(row * SQUARES + square) * c..][..c], 1.0);
                let pairs = &shard.to_pairs[(row * SQUARES + square) * PAIRS..][..PAIRS];
                let (on_rows, on_columns) = pairs.split_at(BOTH);
                let (along, across) = if along_row { (on_rows, on_columns) } else { (on_columns, on_rows) };
                add(&mut gradient[c..c + BOTH], along, 1.0);
                add(&mut gradient[c + BOTH..c + PAIRS], across, 1.0);
                let ends = &shard.to_ends[((row * LINES + at) * SIZE + place) * ENDS..][..ENDS];
                add(&mut gradient[c + PAIRS..c + PAIRS + ENDS], ends, 1.0);
            }
        }
    }
}
