//! The rating games of a generation's net: the number of pairs, their rules and their opponents.

use std::sync::Arc;

use tablut_games::{GenerationMetrics, SHIPPED};
use tablut_ratings::PairTable;
use tablut_rules::Rules;

use crate::config::TrainConfig;

/// An opponent is settled under a rule set if the nets of this many latest generations won or lost all of at least
/// [`PAIRS_TO_SETTLE`] pairs against it.
const GENERATIONS_TO_SETTLE: usize = 8;
const PAIRS_TO_SETTLE: u32 = 3;
/// Opponents of this generation and later ones are multiples of it, so that few nets have to be kept.
pub(crate) const KEPT_EVERY: u64 = 10;

/// Pairs of rating games under one rule set against one opponent.
#[derive(Clone, Debug)]
pub struct RatingPairs {
    pub rules: Arc<Rules>,
    pub opponent: RatingOpponent,
    pub n_pairs: usize,
    pub seed: u64,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RatingOpponent {
    /// A player of `evaluation.against`, by its index.
    Against(usize),
    /// The net that the run began with.
    Start,
    /// The net that comes with the program.
    Shipped,
    /// The net of an earlier generation.
    Generation(u64),
}

/// The pairs of `generation`, whose earlier generations have these metrics. `opponents` are the possible opponents
/// besides earlier nets. They take turns, except those that are settled.
pub fn rating_pairs(
    config: &TrainConfig,
    rules: &[Arc<Rules>],
    opponents: &[RatingOpponent],
    generation: u64,
    metrics: &[GenerationMetrics],
) -> Vec<RatingPairs> {
    let before = |generation: u64| {
        let games = f64::from(config.evaluation.rating_share) * config.schedule.games_before(generation) as f64;
        (games / 2.0) as u64
    };
    let earlier = opponent_generation(generation).map(RatingOpponent::Generation);
    let all: Vec<RatingOpponent> = opponents.iter().cloned().chain(earlier).collect();
    let open: Vec<Vec<&RatingOpponent>> = rules
        .iter()
        .map(|rules| {
            let is_open = |opponent: &&RatingOpponent| !is_settled(config, rules, opponent, metrics);
            let open: Vec<_> = all.iter().filter(is_open).collect();
            if open.is_empty() { all.iter().collect() } else { open }
        })
        .collect();
    let mut found: Vec<RatingPairs> = Vec::new();
    for number in before(generation)..before(generation + 1) {
        let set = (number % rules.len().max(1) as u64) as usize;
        let turn = (number / rules.len().max(1) as u64) as usize;
        let (Some(rules), Some(open)) = (rules.get(set), open.get(set)) else { continue };
        let Some(&opponent) = open.get(turn % open.len().max(1)) else { continue };
        let same = |known: &&mut RatingPairs| known.rules.name() == rules.name() && known.opponent == *opponent;
        if let Some(known) = found.iter_mut().find(same) {
            known.n_pairs += 1;
        } else {
            let (opponent, seed) = (opponent.clone(), seed(config.seed, number));
            found.push(RatingPairs { rules: rules.clone(), opponent, n_pairs: 1, seed });
        }
    }
    found
}

/// The earlier generation whose net is an opponent of `generation`, if there is one.
pub(crate) fn opponent_generation(generation: u64) -> Option<u64> {
    let half = generation.checked_sub(1)? / 2;
    Some(if half < KEPT_EVERY { half } else { half - half % KEPT_EVERY })
}

/// Whether games against the opponent tell nothing now, because the latest nets won or lost all of them.
fn is_settled(config: &TrainConfig, rules: &Rules, opponent: &RatingOpponent, metrics: &[GenerationMetrics]) -> bool {
    let name = opponent.name(config);
    let latest = metrics.iter().rev().take(GENERATIONS_TO_SETTLE).filter_map(|line| line.rating.as_ref());
    let matches = latest.flat_map(|rating| &rating.matches);
    let tables = matches.filter(|found| found.rules == rules.name() && found.opponent == name).map(|found| found.pairs);
    let tables: Vec<PairTable> = tables.collect();
    let pairs: u32 = tables.iter().map(PairTable::pairs).sum();
    let at = |half_points: usize| tables.iter().map(|table| table.pentanomial().counts[half_points]).sum::<u32>();
    pairs >= PAIRS_TO_SETTLE && [at(0), at(4)].contains(&pairs)
}

/// The seed of the pair with index `number` in a run, by `SplitMix64`'s finaliser.
fn seed(run: u64, number: u64) -> u64 {
    let mut z = run.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl RatingOpponent {
    /// The name in the metrics and in the final match.
    pub fn name(&self, config: &TrainConfig) -> String {
        match self {
            Self::Against(place) => config.evaluation.against.get(*place).cloned().unwrap_or_default(),
            Self::Start if config.start.is_none() => "untrained".to_owned(),
            Self::Start => "start".to_owned(),
            Self::Shipped => SHIPPED.to_owned(),
            Self::Generation(generation) => format!("generation {generation}"),
        }
    }

    /// The generation, if the opponent is a net of this run's earlier generations.
    pub fn generation(&self) -> Option<u64> {
        match self {
            Self::Generation(generation) => Some(*generation),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RatingOpponent::{Against, Generation, Shipped, Start};
    use super::*;
    use std::path::Path;
    use tablut_ratings::{HalfPoints, RatedGeneration, RatedMatch};

    fn config(rules: &str, games: u32) -> TrainConfig {
        let text = format!(
            "rules = {rules}\nshape = \"lines32x1\"\n[schedule]\ngames = {games}\n[evaluation]\nrating_share = 0.1\n"
        );
        TrainConfig::parse(&text, Path::new("test.toml"), &[]).unwrap()
    }

    #[test]
    fn rule_sets_and_opponents_take_turns_and_shares_add_up() {
        let config = config("[\"kvasir\", \"ashton\"]", 30);
        let rules: Vec<Arc<Rules>> = ["kvasir", "ashton"].map(|name| Arc::new(Rules::named(name).unwrap())).into();
        // A tenth of thirty games is three, one pair and a half.
        let of = |generation| rating_pairs(&config, &rules, &[Start, Against(0)], generation, &[]);
        let counts = |generation| of(generation).iter().map(|pairs| pairs.n_pairs).sum::<usize>();
        assert_eq!((0..6).map(counts).collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2]);
        let met: Vec<_> = (0..6).flat_map(of).map(|pairs| (pairs.rules.name().to_owned(), pairs.opponent)).collect();
        let opponents: Vec<_> = met.iter().map(|(_, opponent)| opponent.clone()).collect();
        let expected = [Start, Start, Against(0), Against(0), Generation(1), Generation(1), Start, Start, Against(0)];
        assert_eq!(opponents, expected);
        assert!(met.iter().enumerate().all(|(at, pair)| pair.0 == ["kvasir", "ashton"][at % 2]));
        let seeds: std::collections::BTreeSet<u64> = (0..6).flat_map(of).map(|pairs| pairs.seed).collect();
        assert_eq!(seeds.len(), 9);
    }

    #[test]
    fn games_go_to_opponents_that_are_not_always_beaten() {
        let config = config("\"kvasir\"", 120);
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        let line = |generation, opponent: RatingOpponent, points: &[HalfPoints]| {
            let mut pairs = PairTable::default();
            for &points in points {
                pairs.record(points, points);
            }
            let found = RatedMatch {
                rules: "kvasir".to_owned(),
                opponent: opponent.name(&config),
                pairs,
                ..RatedMatch::default()
            };
            let rating = Some(RatedGeneration { matches: vec![found], ..RatedGeneration::default() });
            GenerationMetrics { generation, rating, ..GenerationMetrics::default() }
        };
        let opponents = [Start, Shipped, Against(0)];
        let (win, loss) = (HalfPoints::Win, HalfPoints::Loss);
        let met = |metrics: &[GenerationMetrics]| -> Vec<RatingOpponent> {
            rating_pairs(&config, &rules, &opponents, 0, metrics).into_iter().map(|pairs| pairs.opponent).collect()
        };
        assert_eq!(met(&[]), opponents);
        assert_eq!(met(&[line(0, Start, &[win; 2])]), opponents, "two pairs say little");
        let mut metrics = vec![line(0, Start, &[win; 3]), line(1, Shipped, &[win, win, loss])];
        assert_eq!(met(&metrics), [Shipped, Against(0)]);
        metrics.push(line(2, Against(0), &[loss; 4]));
        assert_eq!(met(&metrics), [Shipped]);
        metrics.extend((3..12).map(|generation| line(generation, Shipped, &[win; 3])));
        assert_eq!(met(&metrics), [Start, Against(0)], "after some generations they are met again");
    }

    #[test]
    fn later_opponents_are_multiples_of_ten() {
        let generations = [0, 1, 2, 20, 21, 40, 41, 100].map(opponent_generation);
        assert_eq!(generations, [None, Some(0), Some(0), Some(9), Some(10), Some(10), Some(20), Some(40)]);
    }

    #[test]
    fn without_a_share_nothing_is_played() {
        let text = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n[evaluation]\nrating_share = 0.0\n";
        let config = TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap();
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        assert!((0..100).all(|generation| rating_pairs(&config, &rules, &[Start], generation, &[]).is_empty()));
    }
}
