//! The rating games of a generation's net: the number of pairs, their rules and their opponents.

use std::sync::Arc;

use tablut_rules::Rules;

use crate::config::TrainConfig;

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
    /// The net before the first generation.
    Untrained,
    /// The net of an earlier generation.
    Generation(u64),
}

/// The pairs of `generation`. `against` are the indices of the players of `evaluation.against` that can be opponents.
pub fn rating_pairs(
    config: &TrainConfig,
    rules: &[Arc<Rules>],
    against: &[usize],
    generation: u64,
) -> Vec<RatingPairs> {
    let before = |generation: u64| {
        let games = f64::from(config.evaluation.rating_share) * config.schedule.games as f64 * generation as f64;
        (games / 2.0) as u64
    };
    let mut found: Vec<RatingPairs> = Vec::new();
    let n_opponents = against.len() as u64 + 2;
    for number in before(generation)..before(generation + 1) {
        let set = number % rules.len().max(1) as u64;
        let turn = number / rules.len().max(1) as u64 % n_opponents;
        let opponent = match against.get(turn as usize) {
            Some(&place) => RatingOpponent::Against(place),
            None if turn + 1 == n_opponents && generation > 0 => RatingOpponent::Generation((generation - 1) / 2),
            None => RatingOpponent::Untrained,
        };
        let Some(rules) = rules.get(set as usize) else { continue };
        let same = |known: &&mut RatingPairs| known.rules.name() == rules.name() && known.opponent == opponent;
        if let Some(known) = found.iter_mut().find(same) {
            known.n_pairs += 1;
        } else {
            let seed = seed(config.seed, number);
            found.push(RatingPairs { rules: rules.clone(), opponent, n_pairs: 1, seed });
        }
    }
    found
}

/// The seed of the pair with index `number` in a run, by `SplitMix64`'s finaliser.
fn seed(run: u64, number: u64) -> u64 {
    let mut z = run.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl RatingOpponent {
    /// The name in the metrics. `against` are the names of the players of `evaluation.against`.
    pub fn name(&self, against: &[String]) -> String {
        match self {
            Self::Against(place) => against.get(*place).cloned().unwrap_or_default(),
            Self::Untrained => "untrained".to_owned(),
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
    use super::RatingOpponent::{Against, Generation, Untrained};
    use super::*;
    use std::path::Path;

    #[test]
    fn rule_sets_and_opponents_take_turns_and_shares_add_up() {
        let text = "rules = [\"kvasir\", \"ashton\"]\nshape = \"lines32x1\"\n[schedule]\ngames = 30\n\
                    [evaluation]\nrating_share = 0.1\n";
        let config = TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap();
        let rules: Vec<Arc<Rules>> = ["kvasir", "ashton"].map(|name| Arc::new(Rules::named(name).unwrap())).into();
        // A tenth of thirty games is three, one pair and a half.
        let of = |generation| rating_pairs(&config, &rules, &[0, 1], generation);
        let counts = |generation| of(generation).iter().map(|pairs| pairs.n_pairs).sum::<usize>();
        assert_eq!((0..6).map(counts).collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2]);
        let met: Vec<_> = (0..6).flat_map(of).map(|pairs| (pairs.rules.name().to_owned(), pairs.opponent)).collect();
        let opponents: Vec<_> = met.iter().map(|(_, opponent)| opponent.clone()).collect();
        let expected = [
            Against(0),
            Against(0),
            Against(1),
            Against(1),
            Untrained,
            Untrained,
            Generation(1),
            Generation(2),
            Against(0),
        ];
        assert_eq!(opponents, expected);
        assert!(met.iter().enumerate().all(|(at, pair)| pair.0 == ["kvasir", "ashton"][at % 2]));
        let seeds: std::collections::BTreeSet<u64> = (0..6).flat_map(of).map(|pairs| pairs.seed).collect();
        assert_eq!(seeds.len(), 9);
    }

    #[test]
    fn without_a_share_nothing_is_played() {
        let text = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n[evaluation]\nrating_share = 0.0\n";
        let config = TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap();
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        assert!((0..100).all(|generation| rating_pairs(&config, &rules, &[0], generation).is_empty()));
    }
}
