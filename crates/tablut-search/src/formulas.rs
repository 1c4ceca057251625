//! The search's formulas, one function each, returning its parts, so that tests and pages can show them.
//!
//! Q-values and values are in the mover's view here: +1 when the side to move wins, −1 when it loses.

pub mod completed_q;
pub mod halving;
pub mod improved_policy;
pub mod interior;
pub mod moves_left;
pub mod noise;
pub mod puct;
pub mod softmax;
pub mod temperature;

/// What the formulas know of one visited move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visited {
    /// Policy probability of the move.
    pub prior: f32,
    /// N: simulations through the move.
    pub visits: u32,
    /// Q: mean value of those simulations in [−1, 1], in the mover's view.
    pub q: f32,
}

/// The best of the moves that were never visited. Only the one with the highest prior can be chosen next, since
/// they all share one estimated value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unvisited {
    /// Policy probability of the best unvisited move.
    pub prior: f32,
    /// Policy probability of all unvisited moves together.
    pub sum_prior: f32,
}

/// The index of the highest score, the first of equals; `None` for no scores. NaN never wins.
pub fn first_max(scores: impl IntoIterator<Item = f32>) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (index, score) in scores.into_iter().enumerate() {
        if best.is_none_or(|(_, highest)| score > highest || highest.is_nan()) {
            best = Some((index, score));
        }
    }
    best.map(|(index, _)| index)
}
