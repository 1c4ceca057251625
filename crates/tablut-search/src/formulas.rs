//! The search's formulas, one function each. They return the parts of the result too, for tests and displays.
//!
//! Q-values and values here are from the mover's view: +1 if the side to move wins, −1 if it loses.

pub mod completed_q;
pub mod halving;
pub mod improved_policy;
pub mod interior;
pub mod puct;
pub mod sampling;
pub mod softmax;

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

/// Bonus per ply by which the game becomes shorter or longer.
const MOVES_LEFT_SLOPE: f32 = 0.003;
/// The bonus applies only above this |Q|, and grows in proportion to the excess.
const MOVES_LEFT_THRESHOLD: f32 = 0.6;

/// The bonus for moves that shorten a won game and lengthen a lost one (Lc0's moves-left utility). It is added to a
/// move's Q. The move's node has `parent` plies left, and the move leads to a node with `child` plies left.
///
/// `q` is in the mover's view. The bonus is 0 up to |q| = `MOVES_LEFT_THRESHOLD`. At |q| = 1 it is `MOVES_LEFT_SLOPE`
/// per ply. It is never more than `max_effect`. It is 0 if the move leads to the number of plies that the node expects.
pub fn moves_left_bonus(max_effect: f32, q: f32, child: f32, parent: f32) -> f32 {
    let above = (q.abs() - MOVES_LEFT_THRESHOLD) / (1.0 - MOVES_LEFT_THRESHOLD);
    if above <= 0.0 {
        return 0.0;
    }
    let plies_longer = child + 1.0 - parent;
    let effect = (MOVES_LEFT_SLOPE * plies_longer).clamp(-max_effect, max_effect);
    -effect * q.signum() * above.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_wins_and_long_losses_are_preferred() {
        #[rustfmt::skip]
        let table = [
            // q, child, parent, bonus
            ( 1.0, 10.0, 15.0,  0.012), // four plies shorter
            ( 1.0, 14.0, 15.0,  0.0),   // as long as expected
            ( 1.0, 20.0, 15.0, -0.018),
            (-1.0, 10.0, 15.0, -0.012),
            (-1.0, 20.0, 15.0,  0.018),
            ( 0.8, 10.0, 15.0,  0.006), // half of what is above the threshold
            ( 0.6, 10.0, 15.0,  0.0),
            (-0.3, 90.0, 15.0,  0.0),
            ( 1.0,  0.0, 90.0,  0.1),   // never more than the most
        ];
        for (q, child, parent, bonus) in table {
            let found = moves_left_bonus(0.1, q, child, parent);
            assert!((found - bonus).abs() < 1e-6, "{q} {child} {parent}: {found}");
        }
    }
}
