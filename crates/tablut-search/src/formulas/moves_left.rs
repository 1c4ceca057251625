//! The bonus for moves that shorten a won game and lengthen a lost one (Lc0's moves-left utility).

/// Bonus per ply by which the game becomes shorter or longer.
const SLOPE: f32 = 0.003;
/// The bonus applies only above this |Q|, and grows in proportion to the excess.
const THRESHOLD: f32 = 0.6;

/// The bonus that is added to a move's Q. The move's node has `parent` plies left, and the move leads to a node with
/// `child` plies left.
///
/// `q` is in the mover's view. The bonus is 0 up to |q| = `THRESHOLD`. At |q| = 1 it is `SLOPE` per ply. It is never
/// more than `max_effect`. It is 0 for a move after which as many plies are left as the node expects.
pub fn moves_left_bonus(max_effect: f32, q: f32, child: f32, parent: f32) -> f32 {
    let above = (q.abs() - THRESHOLD) / (1.0 - THRESHOLD);
    if above <= 0.0 {
        return 0.0;
    }
    let plies_longer = child + 1.0 - parent;
    let effect = (SLOPE * plies_longer).clamp(-max_effect, max_effect);
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
