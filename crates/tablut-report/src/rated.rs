//! A run's rating games: the strength of the newest nets by rule set and side, and the rating over the run.

use std::collections::BTreeMap;

use tablut_arena::{EvaluationReport, MatchReport};
use tablut_games::GenerationMetrics;
use tablut_ratings::{Anchor, PairTable, Pairing, RatedMatch, Rating, rate};

use crate::metrics::distinct;

const MOST_STRETCHES: usize = 8;
/// Minimum number of pairs of games in a stretch, if there is more than one stretch.
const PAIRS_OF_A_STRETCH: u32 = 24;
pub const ALL_RULES: &str = "all rule sets";

/// Consecutive generations whose nets are rated as one player.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedStretch {
    pub generations: (u64, u64),
    pub games: u32,
    /// The rating in Elo above the anchor.
    pub rating: Rating,
}

/// A run's ratings under one rule set, or under all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RatedProgress {
    /// The player whose rating is 0.
    pub anchor: String,
    /// The stretches, the oldest first.
    pub stretches: Vec<RatedStretch>,
    /// The fixed opponents with their ratings, the strongest first, including the anchor.
    pub frozen: Vec<(String, Rating)>,
}

/// The matches of some lines, under one rule set or under all.
fn matches<'a>(lines: &'a [GenerationMetrics], rules: Option<&'a str>) -> impl Iterator<Item = (u64, &'a RatedMatch)> {
    let of_line = |line: &'a GenerationMetrics| {
        line.rating.iter().flat_map(|rating| &rating.matches).map(|m| (line.generation, m))
    };
    lines.iter().flat_map(of_line).filter(move |(_, found)| rules.is_none_or(|rules| found.rules == rules))
}

fn pairs_of(lines: &[GenerationMetrics], rules: Option<&str>) -> u32 {
    matches(lines, rules).map(|(_, found)| found.pairs.pairs()).sum()
}

pub fn is_rated(lines: &[GenerationMetrics]) -> bool {
    pairs_of(lines, None) > 0
}

/// The fixed opponent against whom the results tell most: the most pairs at a score near 50 %. A rating relative to an
/// opponent that always loses would have a wide interval.
pub fn most_telling<'a>(lines: &'a [GenerationMetrics], rules: Option<&'a str>) -> Option<&'a str> {
    let mut tables: Vec<(&str, PairTable)> = Vec::new();
    for (_, found) in matches(lines, rules).filter(|(_, found)| found.generation.is_none()) {
        match tables.iter_mut().find(|known| known.0 == found.opponent) {
            Some(known) => add(&mut known.1, &found.pairs),
            None => tables.push((&found.opponent, found.pairs)),
        }
    }
    let information = |table: &PairTable| {
        let score = table.pentanomial().estimate().mean;
        f64::from(table.pairs()) * score * (1.0 - score)
    };
    tables.iter().rev().max_by(|a, b| information(&a.1).total_cmp(&information(&b.1))).map(|found| found.0)
}

/// The rating of each generation's net, which is that of its stretch, with the number of games in it.
pub fn by_generation(
    lines: &[GenerationMetrics],
    rules: Option<&str>,
    anchor: Option<&str>,
) -> Vec<(u64, Rating, u32)> {
    let stretches = progress(lines, rules, anchor).stretches;
    let of_stretch = |stretch: &RatedStretch| {
        let (first, last) = stretch.generations;
        let generations =
            lines.iter().map(|line| line.generation).filter(move |generation| (first..=last).contains(generation));
        let (rating, games) = (stretch.rating, stretch.games);
        generations.map(move |generation| (generation, rating, games)).collect::<Vec<_>>()
    };
    stretches.iter().flat_map(of_stretch).collect()
}

/// The rating of the run's nets in each stretch, under the rule set `rules` or all, relative to `anchor` or else to the
/// [`most_telling`] opponent. Empty if no rating can be computed.
pub fn progress(lines: &[GenerationMetrics], rules: Option<&str>, anchor: Option<&str>) -> RatedProgress {
    let n_pairs = pairs_of(lines, rules);
    let n = ((n_pairs / PAIRS_OF_A_STRETCH) as usize).clamp(1, MOST_STRETCHES).min(lines.len().max(1));
    let stretch_of = |generation: u64| {
        let place =
            lines.iter().position(|line| line.generation >= generation).unwrap_or(lines.len().saturating_sub(1));
        place * n / lines.len().max(1)
    };
    let that_stay = matches(lines, rules).filter(|(_, found)| found.generation.is_none());
    let frozen: Vec<&str> = distinct(that_stay.map(|(_, found)| found.opponent.as_str()));
    // The players are the fixed opponents, then the stretches.
    let mut tables: BTreeMap<(usize, usize), PairTable> = BTreeMap::new();
    for (generation, found) in matches(lines, rules) {
        let net = frozen.len() + stretch_of(generation);
        let opponent = match found.generation {
            Some(earlier) => frozen.len() + stretch_of(earlier),
            None => frozen.iter().position(|name| *name == found.opponent).unwrap_or_default(),
        };
        if net != opponent {
            add(tables.entry((net, opponent)).or_default(), &found.pairs);
        }
    }
    let anchor = anchor.or_else(|| most_telling(lines, rules));
    let Some(anchor) = frozen.iter().position(|name| Some(*name) == anchor) else {
        return RatedProgress::default();
    };
    let pairings: Vec<Pairing> =
        tables.iter().map(|(&(first, second), &pairs)| Pairing { first, second, pairs }).collect();
    let Ok(ratings) = rate(frozen.len() + n, &[Anchor { player: anchor, elo: 0.0 }], &pairings) else {
        return RatedProgress::default();
    };
    let stretches = (0..n).filter_map(|stretch| {
        let of_stretch: Vec<u64> =
            lines.iter().map(|line| line.generation).filter(|&generation| stretch_of(generation) == stretch).collect();
        let player = frozen.len() + stretch;
        let games: u32 = tables.iter().filter(|(key, _)| key.0 == player).map(|(_, pairs)| 2 * pairs.pairs()).sum();
        let generations = (*of_stretch.first()?, *of_stretch.last()?);
        (games > 0).then(|| RatedStretch { generations, games, rating: ratings.players[player] })
    });
    let mut rated: Vec<(String, Rating)> =
        frozen.iter().enumerate().map(|(at, name)| ((*name).to_owned(), ratings.players[at])).collect();
    rated.sort_by(|a, b| b.1.elo.total_cmp(&a.1.elo));
    RatedProgress { anchor: frozen[anchor].to_owned(), stretches: stretches.collect(), frozen: rated }
}

fn add(table: &mut PairTable, more: &PairTable) {
    for (row, others) in table.counts.iter_mut().zip(&more.counts) {
        for (count, other) in row.iter_mut().zip(others) {
            *count += other;
        }
    }
}

/// The last lines, whose nets are scored as one player: a quarter of the run, and at least six generations.
pub fn latest(lines: &[GenerationMetrics]) -> &[GenerationMetrics] {
    let n = (lines.len() / 4).max(6).min(lines.len());
    &lines[lines.len() - n..]
}

/// The scores of the last nets against the fixed opponents, for each rule set if `by_rules`, else for all together.
pub fn scores(lines: &[GenerationMetrics], by_rules: bool) -> EvaluationReport {
    let lines = latest(lines);
    let mut tables: Vec<(String, String, PairTable, usize)> = Vec::new();
    for (_, found) in matches(lines, None).filter(|(_, found)| found.generation.is_none()) {
        let rules = if by_rules { found.rules.as_str() } else { ALL_RULES };
        match tables.iter_mut().find(|known| known.0 == rules && known.1 == found.opponent) {
            Some(known) => {
                add(&mut known.2, &found.pairs);
                known.3 += found.unfinished;
            }
            None => tables.push((rules.to_owned(), found.opponent.clone(), found.pairs, found.unfinished)),
        }
    }
    tables.sort_by(|a, b| a.0.cmp(&b.0));
    let net = "the newest nets".to_owned();
    let matches = tables.into_iter().map(|(rules, opponent, pairs, unfinished)| {
        let players = [net.clone(), opponent];
        MatchReport { rules, players, unfinished, ..MatchReport::of_pairs(pairs) }
    });
    let matches = matches.collect();
    let simulations = lines.iter().rev().find_map(|line| line.rating.as_ref()).map_or(0, |rating| rating.simulations);
    EvaluationReport { model: net, simulations, matches, ..EvaluationReport::default() }
}

/// The matches ordered by rule set, then by opponent, the strongest first. With several rule sets, the first list has
/// each rule set's strongest opponent and the second list has the others.
pub fn strongest_apart<'a>(
    found: &'a EvaluationReport,
    whole: &RatedProgress,
) -> (Vec<&'a MatchReport>, Vec<&'a MatchReport>) {
    let names = found.rule_sets();
    let rules = |of: &MatchReport| names.iter().position(|name| *name == of.rules);
    let rank = |of: &MatchReport| whole.frozen.iter().position(|(name, _)| name == of.opponent());
    let mut sorted: Vec<&MatchReport> = found.matches.iter().collect();
    sorted.sort_by_key(|of| (rules(of), rank(of).unwrap_or(usize::MAX)));
    if names.len() < 2 {
        return (sorted, Vec::new());
    }
    let (mut strongest, mut others) = (Vec::<&MatchReport>::new(), Vec::new());
    for of in sorted {
        let known = strongest.last().is_some_and(|last| last.rules == of.rules);
        if known { others.push(of) } else { strongest.push(of) }
    }
    (strongest, others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_ratings::{HalfPoints, RatedGeneration};

    /// Twenty generations that always beat `random`. The first ones lose to `greedy`, and the last ones beat it.
    fn lines() -> Vec<GenerationMetrics> {
        let pairs = |won: u32, lost: u32| {
            let mut table = PairTable::default();
            (0..won).for_each(|_| table.record(HalfPoints::Win, HalfPoints::Win));
            (0..lost).for_each(|_| table.record(HalfPoints::Loss, HalfPoints::Loss));
            table
        };
        let line = |generation: u64| {
            let found = |opponent: &str, earlier, pairs| RatedMatch {
                rules: if generation.is_multiple_of(2) { "kvasir" } else { "ashton" }.to_owned(),
                opponent: opponent.to_owned(),
                generation: earlier,
                pairs,
                unfinished: 1,
            };
            let matches = vec![
                found("random", None, pairs(3, 1)),
                found("greedy", None, pairs(generation as u32 / 4, 4 - generation as u32 / 5)),
                found("generation 0", Some(generation / 3), pairs(2, 1)),
            ];
            let rating = Some(RatedGeneration { simulations: 32, seconds: 1.0, matches });
            GenerationMetrics { generation, rating, ..GenerationMetrics::default() }
        };
        (0..20).map(line).collect()
    }

    #[test]
    fn a_run_that_grows_stronger_is_seen_to() {
        let found = progress(&lines(), None, None);
        assert_eq!((found.anchor.as_str(), found.frozen.len()), ("greedy", 2));
        assert!(found.stretches.len() >= 4, "{found:?}");
        let [first, last] = [found.stretches.first().unwrap(), found.stretches.last().unwrap()];
        assert_eq!((first.generations.0, last.generations.1), (0, 19));
        assert!(last.rating.low > first.rating.elo && first.games > 0, "{found:?}");
        assert!(progress(&lines(), Some("kvasir"), None).stretches.len() < found.stretches.len());
        assert_eq!(progress(&lines(), None, Some("random")).anchor, "random");
        assert_eq!(progress(&[], None, None), RatedProgress::default());
        let ratings = by_generation(&lines(), None, None);
        assert_eq!(ratings.iter().map(|found| found.0).collect::<Vec<_>>(), (0..20).collect::<Vec<u64>>());
        assert_eq!((ratings[19].1, ratings[19].2), (last.rating, last.games));
        assert!(!is_rated(&[GenerationMetrics::default()]) && is_rated(&lines()));
    }

    #[test]
    fn scores_are_of_the_last_nets_against_players_that_stay() {
        let all = scores(&lines(), false);
        assert_eq!(all.matches.iter().map(|found| found.players[1].as_str()).collect::<Vec<_>>(), ["random", "greedy"]);
        assert_eq!((all.matches[0].games, all.rule_sets(), all.simulations), (48, vec![ALL_RULES], 32));
        assert_eq!(all.matches[0].unfinished, 6);
        assert!(all.matches[1].total.score.unwrap().mean > 0.7);
        let by_rules = scores(&lines(), true);
        assert_eq!(by_rules.rule_sets(), ["ashton", "kvasir"]);
        assert_eq!(
            by_rules.matches.iter().map(|found| found.games).sum::<u32>(),
            all.matches.iter().map(|m| m.games).sum::<u32>()
        );
    }

    #[test]
    fn each_rule_sets_strongest_opponent_stands_apart() {
        let (found, whole) = (scores(&lines(), true), progress(&lines(), None, None));
        assert_eq!(whole.frozen.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["greedy", "random"]);
        let names = |matches: &[&MatchReport]| -> Vec<String> {
            matches.iter().map(|of| format!("{} {}", of.rules, of.opponent())).collect()
        };
        let (strongest, others) = strongest_apart(&found, &whole);
        assert_eq!(names(&strongest), ["ashton greedy", "kvasir greedy"]);
        assert_eq!(names(&others), ["ashton random", "kvasir random"]);
        let found = scores(&lines(), false);
        let (all, none) = strongest_apart(&found, &whole);
        assert_eq!((all.len(), none.len()), (2, 0));
    }
}
