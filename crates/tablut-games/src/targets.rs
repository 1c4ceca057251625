//! The targets that need more of a game than one position: values of the plies ahead, proven results.

use tablut_rules::Side;

use crate::record::PlyRecord;

/// Which of its optional targets a replay window makes. All are off by default.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// How many plies the search values of the value target lie ahead on average. With 0 (the default) it is the
    /// position's own value alone. Above 0 it is a weighted mean of this and the following search values of the game,
    /// whose weights fall by `h / (h + 1)` each ply; the game's result stands for all plies after the end (the
    /// short-term values of `KataGo`).
    pub value_horizon: f32,
    /// Whether a result that the search has proven is the whole value target, whatever the game's result was.
    pub proven_values: bool,
    /// Share of the draws that follow the surprise of the search, 0 to 1. The rest is the same for all positions.
    pub surprise_share: f32,
}

impl Targets {
    /// The result that `value` proves, or `None`. A search's value is exactly ±1 if it has proven a win. Proven draws
    /// cannot be told from a value of 0 and count as unproven.
    pub fn proven(&self, value: f32) -> Option<Side> {
        let winner = if value > 0.0 { Side::Attackers } else { Side::Defenders };
        (self.proven_values && value.abs() >= 1.0).then_some(winner)
    }

    /// The value of the search in each ply's value target, absolute. It is 0 for plies without a search.
    ///
    /// A ply without a search lets the weights fall, but has no value of its own; the weights of the others are scaled
    /// up to a sum of 1. If proven results count, the values after a proven position do not: the proof stands for them.
    pub(crate) fn search_values(&self, plies: &[PlyRecord], winner: Option<Side>) -> Vec<f32> {
        let own = |ply: &PlyRecord| ply.search.as_ref().map(|search| search.value);
        if self.value_horizon <= 0.0 {
            return plies.iter().map(|ply| own(ply).unwrap_or_default()).collect();
        }
        let keep = f64::from(self.value_horizon) / (f64::from(self.value_horizon) + 1.0);
        let result = match winner {
            Some(Side::Attackers) => 1.0,
            None => 0.0,
            Some(Side::Defenders) => -1.0,
        };
        let (mut sum, mut weight) = (result, 1.0);
        let mut values = vec![0.0; plies.len()];
        for (target, ply) in values.iter_mut().zip(plies).rev() {
            (sum, weight) = (sum * keep, weight * keep);
            let Some(value) = own(ply) else { continue };
            if self.proven(value).is_some() {
                (sum, weight) = (f64::from(value), 1.0);
            } else {
                sum += (1.0 - keep) * f64::from(value);
                weight += 1.0 - keep;
            }
            *target = (sum / weight) as f32;
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::SearchRecord;

    /// Plies with these search values; `None` for quick plies.
    fn plies(values: &[Option<f32>]) -> Vec<PlyRecord> {
        let search = |value| SearchRecord { value, simulations: 1, policy: Vec::new(), surprise: None };
        let ply = |value: &Option<f32>| PlyRecord { mv: "d1-d3".parse().unwrap(), search: value.map(search) };
        values.iter().map(ply).collect()
    }

    fn targets(value_horizon: f32, proven_values: bool) -> Targets {
        Targets { value_horizon, proven_values, ..Targets::default() }
    }

    fn assert_near(found: &[f32], expected: &[f32]) {
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near && found.len() == expected.len(), "{found:?}, not {expected:?}");
    }

    #[test]
    fn values_ahead_count_by_how_near_they_are() {
        let values = plies(&[Some(0.5), Some(-0.5), Some(0.25)]);
        let of = |horizon, winner| targets(horizon, false).search_values(&values, winner);
        assert_eq!(of(0.0, Some(Side::Attackers)), [0.5, -0.5, 0.25]);
        // With a horizon of 1 each ply has half of the weight of the one before it, and the end has the rest.
        assert_near(
            &of(1.0, Some(Side::Defenders)),
            &[0.25 - 0.125 + 0.25 / 8.0 - 1.0 / 8.0, -0.25 + 0.0625 - 0.25, 0.125 - 0.5],
        );
        assert_near(&of(1.0, None)[2..], &[0.125]);
        // A very long horizon leaves only the result.
        assert_near(&of(1e9, Some(Side::Attackers)), &[1.0; 3]);
    }

    #[test]
    fn the_mean_delay_is_the_horizon() {
        // The value of the last of many plies is 1 and the others are 0, so that a target is the weight of a delay.
        let mut values = vec![Some(0.0); 400];
        values[399] = Some(1.0);
        let weights = targets(6.0, false).search_values(&plies(&values), None);
        let delay: f64 =
            weights.iter().rev().enumerate().map(|(delay, &weight)| delay as f64 * f64::from(weight)).sum();
        assert!((delay - 6.0).abs() < 1e-3, "{delay}");
    }

    #[test]
    fn plies_without_a_search_have_no_value_and_still_pass_time() {
        let found = targets(1.0, false).search_values(&plies(&[Some(0.5), None, Some(-0.5)]), None);
        // Weights 1/2, none, 1/8 and 1/8 for the draw at the end.
        assert_near(&found, &[(0.25 - 0.5 / 8.0) / 0.75, 0.0, -0.25]);
    }

    #[test]
    fn a_proof_stands_for_all_that_came_after_it() {
        let values = plies(&[Some(0.0), Some(1.0), Some(-0.75)]);
        let found = targets(1.0, true).search_values(&values, Some(Side::Defenders));
        assert_near(&found, &[0.5, 1.0, -0.875]);
        assert_near(&targets(1.0, false).search_values(&values, Some(Side::Defenders))[1..2], &[0.5 - 0.1875 - 0.25]);
        assert_eq!(targets(0.0, true).proven(-1.0), Some(Side::Defenders));
        assert_eq!((targets(0.0, true).proven(0.999), targets(0.0, false).proven(1.0)), (None, None));
    }
}
