//! How many positions the replay window keeps: a fixed number, or one that grows with the positions seen.

/// Positions that are all kept before the window grows more slowly. `KataGo` used 250,000, in runs of hundreds of
/// millions of samples; runs of this program are far shorter.
const ALL_UP_TO: f64 = 25_000.0;
/// How fast the window grows when it begins to fall behind: so many positions for each new one (as in `KataGo`).
const FIRST_SLOPE: f64 = 0.4;

/// Positions that a window keeps after `seen` positions, at most `most`.
///
/// With `power` 0 it is `most`. Above 0, to 1, it is `c · (1 + β · ((seen / c)^power − 1) / power)` with c = 25,000 and
/// β = 0.4, and at least c (Wu 2019, "Accelerating Self-Play Learning in Go", training details). It never grows by more
/// than β per new position, so what has left the window stays out.
pub(crate) fn window_size(seen: u64, power: f32, most: usize) -> usize {
    if power <= 0.0 {
        return most;
    }
    let (ratio, power) = ((seen as f64 / ALL_UP_TO).max(1.0), f64::from(power));
    let size = ALL_UP_TO * (1.0 + FIRST_SLOPE * (ratio.powf(power) - 1.0) / power);
    (size.round() as usize).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_as_a_power_up_to_its_bound() {
        assert_eq!([0, 1, 10_000_000].map(|seen| window_size(seen, 0.0, 7)), [7; 3]);
        assert_eq!([0, 20_000, 25_000].map(|seen| window_size(seen, 0.5, 1_000_000)), [25_000; 3]);
        // Four times the first size: 25,000 · (1 + 0.4 · (2 − 1) / 0.5); sixteen times: 1 + 0.4 · 3 / 0.5.
        assert_eq!([100_000, 400_000].map(|seen| window_size(seen, 0.5, 1_000_000)), [45_000, 85_000]);
        assert_eq!(window_size(400_000, 0.5, 60_000), 60_000);
        assert_eq!(window_size(125_000, 1.0, 1_000_000), 65_000);
        for power in [0.01, 0.6, 1.0] {
            let sizes: Vec<usize> = (0..400).map(|step| window_size(step * 1_000, power, usize::MAX)).collect();
            assert!(sizes.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] <= pair[0] + 401), "power {power}");
        }
    }
}
