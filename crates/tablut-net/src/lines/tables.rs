//! The outputs of the line network in sixteen bits, remembered for the lines that have been met.

use tablut_kernels::{Kernels, nearest};
use tablut_rules::{BoardSize, GRID, MAX_DISTANCE};

use super::description::PAIRS;
use super::moves::end_kind;
use super::network::{LineWeights, kept_len};
use super::patterns::{Classes, MOST_LINES, SeenLine};

/// Steps of the trunk's sums and of the ends in 1.
pub const FINE: f32 = 256.0;
/// Steps of the policy's pairs in 1.
pub const COARSE: f32 = 64.0;
/// Entries that fill this much memory are forgotten together, in bytes.
const MOST: usize = 64 << 20;

/// A number in steps, in sixteen bits.
pub fn steps(value: f32, unit: f32) -> i16 {
    nearest((value * unit).clamp(-32767.0, 32767.0)) as i16
}

pub struct Tables {
    channels: usize,
    /// By hash: a line's key plus one (0 if the slot is empty), and where its entry starts.
    slots: Vec<(u64, u32)>,
    n_entries: usize,
    /// An entry has for each square the trunk's channels and the pairs along and across, and then the ends of all squares.
    entries: Vec<i16>,
}

impl Tables {
    /// No entries, for a net with this number of channels.
    pub fn new(channels: usize) -> Self {
        Self { channels, slots: vec![(0, 0); 1 << 10], n_entries: 0, entries: Vec::new() }
    }

    /// The most numbers of an entry for each square.
    fn width(&self) -> usize {
        self.channels + PAIRS + MAX_DISTANCE
    }

    pub fn clear(&mut self) {
        self.slots.fill((0, 0));
        self.n_entries = 0;
        self.entries.clear();
    }

    /// Whether there is no room for the lines of another position.
    pub fn is_full(&self) -> bool {
        (self.entries.len() + MOST_LINES * GRID * self.width()) * size_of::<i16>() > MOST
    }

    /// Where the entry of a line starts. It is computed if it is not known.
    pub fn entry(&mut self, kernels: Kernels, weights: &LineWeights, classes: &Classes, line: SeenLine) -> u32 {
        let key = line.key() + 1;
        let slot = self.slot(key);
        if self.slots[slot].0 == key {
            return self.slots[slot].1;
        }
        let entry = self.entries.len() as u32;
        self.slots[slot] = (key, entry);
        self.n_entries += 1;
        self.compute(kernels, weights, classes, line);
        if self.n_entries * 2 > self.slots.len() {
            let longer = vec![(0, 0); 2 * self.slots.len()];
            for (key, entry) in std::mem::replace(&mut self.slots, longer).into_iter().filter(|(key, _)| *key != 0) {
                let slot = self.slot(key);
                self.slots[slot] = (key, entry);
            }
        }
        entry
    }

    /// The slot that has the key, or the empty one where it belongs.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[slot].0 != key && self.slots[slot].0 != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn compute(&mut self, kernels: Kernels, weights: &LineWeights, classes: &Classes, line: SeenLine) {
        let class = classes.class(line);
        let mut kept = vec![0.0; kept_len(weights.pairs(), class.size)];
        let mut out = vec![0.0; class.size.width() * weights.out_width()];
        weights.forward::<true>(kernels, line, class, &mut kept, &mut out);
        let c = self.channels;
        for square in out.chunks_exact(weights.out_width()) {
            self.entries.extend(square[..c].iter().map(|&value| steps(value, FINE)));
            self.entries.extend(square[c..c + PAIRS].iter().map(|&value| steps(value, COARSE)));
        }
        for (start, square) in out.chunks_exact(weights.out_width()).enumerate() {
            let others = (0..class.size.width()).filter(|&stop| stop != start);
            let ends = others.map(|stop| square[c + PAIRS + end_kind(class.size, start, stop)]);
            self.entries.extend(ends.map(|value| steps(value, FINE)));
        }
    }

    /// What the entries of a position's rows and columns say about squares, from number `first` of the first square on. A
    /// square has the trunk's channels, then the pairs. Arrays are as long as for the largest board.
    pub fn rows_and_columns(&self, size: BoardSize, entries: &[u32], first: usize) -> ([&[i16]; GRID], [&[i16]; GRID]) {
        let squares = size.width() * (self.channels + PAIRS);
        let line = |at: usize| &self.entries[entries[at] as usize..][first..squares];
        let both = [0, size.width()]
            .map(|from| std::array::from_fn(|at| if at < size.width() { line(from + at) } else { &[] }));
        both.into()
    }

    /// The bias of the move at this place among those of the line.
    #[inline]
    pub fn end(&self, size: BoardSize, entry: u32, place: usize) -> i16 {
        self.entries[entry as usize + size.width() * (self.channels + PAIRS) + place]
    }
}
