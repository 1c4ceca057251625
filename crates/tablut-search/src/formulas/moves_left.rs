//! The bonus for moves that shorten a won game and lengthen a lost one (Lc0's moves-left utility).

use crate::config::MovesLeftConfig;

/// The bonus that is added to a move's Q. The move's node has `parent` plies left, and the move leads to a node with
/// `child` plies left.
///
/// `q` is in the mover's view. The bonus is 0 up to |q| = `threshold` and grows in proportion to the excess. At |q| = 1
/// it is `slope` per ply. It is never more than `max_effect`. It is 0 for a move after which as many plies are left as
/// the node expects.
pub fn moves_left_bonus(config: &MovesLeftConfig, q: f32, child: f32, parent: f32) -> f32 {
    let above = (q.abs() - config.threshold) / (1.0 - config.threshold).max(f32::MIN_POSITIVE);
    if above <= 0.0 {
        return 0.0;
    }
    let plies_longer = child + 1.0 - parent;
    let effect = (config.slope * plies_longer).clamp(-config.max_effect, config.max_effect);
    -effect * q.signum() * above.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_wins_and_long_losses_are_preferred() {
        let config = MovesLeftConfig { max_effect: 0.1, slope: 0.01, threshold: 0.5 };
        #[rustfmt::skip]
        let table = [
            // q, child, parent, bonus
            ( 1.0, 10.0, 15.0,  0.04), // four plies shorter
            ( 1.0, 14.0, 15.0,  0.0),  // as long as expected
            ( 1.0, 20.0, 15.0, -0.06),
            (-1.0, 10.0, 15.0, -0.04),
            (-1.0, 20.0, 15.0,  0.06),
            ( 0.75, 10.0, 15.0, 0.02), // half of what is above the threshold
            ( 0.5, 10.0, 15.0,  0.0),
            (-0.3, 90.0, 15.0,  0.0),
            ( 1.0,  0.0, 90.0,  0.1),  // never more than the most
        ];
        for (q, child, parent, bonus) in table {
            let found = moves_left_bonus(&config, q, child, parent);
            assert!((found - bonus).abs() < 1e-6, "{q} {child} {parent}: {found}");
        }
    }
}
