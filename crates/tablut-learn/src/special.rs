//! The handicaps of a generation's games, from the results of the last generations.

use tablut_games::{Endings, Handicap};

use crate::run::Run;

/// The number of draws added to the results of a rule set, so that a few games do not look unbalanced.
const DRAWS_ADDED: f64 = 8.0;
/// The maximum ratio of the losing side's simulations to the winning side's.
const MOST_RATIO: f64 = 16.0;

/// The handicaps of each rule set's games in `generation`. They depend on the config and the games of earlier
/// generations.
pub(crate) fn handicaps(run: &Run, generation: u64) -> Vec<Handicap> {
    let band = f64::from(run.config.selfplay.balance);
    if band <= 0.0 {
        return Vec::new();
    }
    let full = run.config.schedule.simulations_at(generation);
    let of_set = |place| Handicap { simulations: simulations_by_side(run.history.results(place), band, full) };
    (0..run.rules.len()).map(of_set).collect()
}

/// Simulations per search of attackers and defenders, if the lead of one side in `results` exceeds `band`. The ratio
/// grows from 1 at the band's edge to [`MOST_RATIO`] if one side wins all games. Both sides together have as many
/// simulations as two sides with `full`. A band of 0 switches this off.
fn simulations_by_side(results: Endings, band: f64, full: u32) -> Option<[u32; 2]> {
    let (attackers, defenders) = (results.attackers_won as f64, results.defenders_won as f64);
    let lead = (attackers - defenders) / (results.games() as f64 + DRAWS_ADDED);
    let excess = (lead.abs() - band) / (1.0 - band);
    if band <= 0.0 || excess <= 0.0 {
        return None;
    }
    let ratio = 1.0 + (MOST_RATIO - 1.0) * excess;
    let both = 2.0 * f64::from(full);
    let losing = (both * ratio / (1.0 + ratio)).round().min(both - 1.0) as u32;
    let winning = 2 * full - losing;
    let by_side = if lead > 0.0 { [winning, losing] } else { [losing, winning] };
    (losing > winning).then_some(by_side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_losing_side_thinks_longer_the_more_it_loses() {
        let of = |attackers_won, defenders_won, full| {
            let drawn = 92 - attackers_won - defenders_won;
            simulations_by_side(Endings { attackers_won, drawn, defenders_won }, 0.3, full)
        };
        // A lead of 30 in 100 games is the band's edge. Eight draws are added to the 92 games.
        assert_eq!(of(31, 1, 32), None);
        assert_eq!(of(0, 92, 1), None, "nobody can have less than one simulation");
        assert_eq!(of(65, 0, 32), Some([7, 57]));
        assert_eq!(of(0, 65, 32), Some([57, 7]));
        assert_eq!(of(92, 0, 32), Some([4, 60]));
        assert_eq!(simulations_by_side(Endings { attackers_won: 3, ..Endings::default() }, 0.3, 32), None);
        let results = Endings { attackers_won: 900, ..Endings::default() };
        assert_eq!(simulations_by_side(results, 0.0, 32), None);
        for full in 2..200 {
            let [attackers, defenders] = simulations_by_side(results, 0.3, full).unwrap();
            assert!(attackers >= 1 && attackers < defenders && attackers + defenders == 2 * full);
        }
    }
}
