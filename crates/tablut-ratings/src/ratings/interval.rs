//! Profile-likelihood intervals, and the normal distribution.

use super::model::Model;
use crate::score::Z_95;

/// Half the 95 % point of the chi-squared distribution with one degree of freedom.
const PROFILE_DROP: f64 = Z_95 * Z_95 / 2.0;

/// The two values of parameter `k` at which the best fit of the others is worse by `effect` times [`PROFILE_DROP`].
/// `deviation` is roughly the parameter's standard deviation.
pub(super) fn profile(model: &Model<'_>, best: &[f64], k: usize, effect: f64, deviation: f64) -> (f64, f64) {
    let drop = effect * PROFILE_DROP;
    let target = model.log_posterior(best) - drop;
    let mut ends = [0.0; 2];
    for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
        let mut theta = best.to_vec();
        let mut excess = |distance: f64| {
            let held = model.with_held(k, best[k] + sign * distance);
            theta = held.maximise(held.start_near(&theta));
            model.log_posterior(&theta) - target
        };
        let (mut near, mut far) = (0.0, Z_95 * deviation.max(1e-6));
        let (mut near_excess, mut far_excess) = (drop, excess(far));
        while far_excess > 0.0 {
            (near, near_excess) = (far, far_excess);
            far *= 2.0;
            far_excess = excess(far);
        }
        *end = best[k] + sign * crossing([(near, near_excess), (far, far_excess)], excess);
    }
    (ends[0], ends[1])
}

/// The zero of `f` between two points with values above and below it. The method is false position with the Illinois
/// rule, which halves the value of an end that does not move. The result is exact to a fiftieth of an Elo point.
fn crossing([mut above, mut below]: [(f64, f64); 2], mut f: impl FnMut(f64) -> f64) -> f64 {
    while below.0 - above.0 > 1e-4 {
        let x = (above.0 * below.1 - below.0 * above.1) / (below.1 - above.1);
        let value = f(x);
        if value.abs() < 1e-6 {
            return x;
        }
        if value > 0.0 {
            above = (x, value);
            below.1 /= 2.0;
        } else {
            below = (x, value);
            above.1 /= 2.0;
        }
    }
    f64::midpoint(above.0, below.0)
}

/// The cumulative distribution function of the normal distribution.
pub(super) fn normal_below(z: f64) -> f64 {
    libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::normal_below;

    #[test]
    fn normal_distribution_at_known_points() {
        for (z, below) in [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-2.0, 0.022_750_131_948_179_2)] {
            assert!((normal_below(z) - below).abs() < 1e-14, "{z}: {}", normal_below(z));
        }
        // Far from 0 the relative error counts, not the absolute one.
        assert!((normal_below(-8.0) / 6.220_960_574_271_785e-16 - 1.0).abs() < 1e-12);
    }
}
