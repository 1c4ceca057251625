//! The outputs of the line network for a batch's lines.

use crate::lines::description::{BOTH, ENDS, PAIRS};

pub(super) struct Tables<'a> {
    /// `[lines][squares][width]`
    pub(super) values: &'a [f32],
    /// Squares of a line.
    pub(super) squares: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
}

impl Tables<'_> {
    /// What a line says about one of its squares.
    fn square(&self, line: u32, place: usize) -> &[f32] {
        &self.values[(line as usize * self.squares + place) * self.width..][..self.width]
    }

    pub(super) fn trunk(&self, line: u32, place: usize) -> &[f32] {
        &self.square(line, place)[..self.channels]
    }

    pub(super) fn along(&self, line: u32, place: usize) -> &[f32] {
        &self.square(line, place)[self.channels..][..BOTH]
    }

    pub(super) fn across(&self, line: u32, place: usize) -> &[f32] {
        &self.square(line, place)[self.channels + BOTH..][..BOTH]
    }

    pub(super) fn end(&self, line: u32, end: usize) -> f32 {
        self.square(line, end / ENDS)[self.channels + PAIRS + end % ENDS]
    }
}
