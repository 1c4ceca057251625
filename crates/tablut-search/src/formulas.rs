//! The search's formulas, one function each. They return the parts of the result too, for tests and displays.
//!
//! Q-values and values here are from the mover's view: +1 if the side to move wins, −1 if it loses.

pub mod completed_q;
pub mod halving;
pub mod improved_policy;
pub mod interior;
pub mod moves_left;
pub mod noise;
pub mod puct;
pub mod softmax;
pub mod temperature;

/// One visited move, as the formulas need it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visited {
    /// Policy probability of the move.
    pub prior: f32,
    /// N: simulations through the move.
    pub visits: u32,
    /// Q: mean value of those simulations in [−1, 1], in the mover's view.
    pub q: f32,
}

/// The unvisited moves of a node. They all share one estimated value, so only the one with the highest prior can be
/// chosen next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unvisited {
    /// Policy probability of the best unvisited move.
    pub prior: f32,
    /// Total policy probability of all unvisited moves.
    pub sum_prior: f32,
}

/// The index of the highest score, the first if several are equal, or `None` if there are no scores. NaN never wins.
pub fn first_max(scores: impl IntoIterator<Item = f32>) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (index, score) in scores.into_iter().enumerate() {
        if best.is_none_or(|(_, highest)| score > highest || highest.is_nan()) {
            best = Some((index, score));
        }
    }
    best.map(|(index, _)| index)
}
