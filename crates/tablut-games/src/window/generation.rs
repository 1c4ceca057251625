//! The packed positions of one generation.

use tablut_rules::{Position, Side};

/// A packed training position. Its legal moves are generated again when it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) position: Position,
    pub(super) rules: u16,
    pub(super) occurrences: u8,
    pub(super) plies_since_capture: u16,
    pub(super) moves_left: u16,
    pub(super) outcome: Option<Side>,
    pub(super) value: f32,
    pub(super) policy: Box<[u16]>,
    /// Whether the sides of the game were not equal.
    pub(super) unequal: bool,
}

/// The positions of some games, in order.
#[derive(Default)]
pub(super) struct Generation {
    pub(super) samples: Vec<Sample>,
    /// The weights of all draws up to each position, this one included. Empty if all are equally likely.
    pub(super) weight_sums: Vec<u64>,
}

impl Generation {
    pub(super) fn append(&mut self, mut other: Self) {
        let before = self.weight();
        self.samples.append(&mut other.samples);
        self.weight_sums.extend(other.weight_sums.iter().map(|sum| before + sum));
    }

    pub(super) fn weight(&self) -> u64 {
        self.weight_sums.last().copied().unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        let of_samples = self.samples.iter().map(|sample| size_of::<Sample>() + size_of_val(&*sample.policy));
        of_samples.sum::<usize>() + size_of_val(&*self.weight_sums)
    }
}
