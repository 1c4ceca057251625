//! `evaluation.json`: the net's scores against fixed opponents, and the ratings that follow from them.

use serde::Deserialize;
use tablut_ratings::{Anchor, PairTable, Rating, ScoreEstimate, elo, pairings_by_name, rate};

use crate::metrics::distinct;

/// A run's evaluation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct EvaluationFile {
    /// The model that was measured.
    pub model: String,
    /// The net's simulations a move.
    pub simulations: u32,
    /// One for each opponent.
    pub matches: Vec<EvaluationMatch>,
}

/// One match of the net, the first player, against an opponent.
#[derive(Clone, Debug, Deserialize)]
pub struct EvaluationMatch {
    /// The rule set's name.
    #[serde(default)]
    pub rules: String,
    /// The net and its opponent.
    pub players: [String; 2],
    /// Games played.
    #[serde(default)]
    pub games: u32,
    /// All games.
    pub total: SideScore,
    /// The games in which the net had the attackers.
    pub as_attackers: SideScore,
    /// The games in which the net had the defenders.
    pub as_defenders: SideScore,
    /// How often each pair of results occurred in a pair of games.
    #[serde(default)]
    pub pairs: PairTable,
    /// Games that were stopped at the ply limit. Each is half a point in the scores.
    #[serde(default)]
    pub unfinished: usize,
}

/// The net's score with one side or both.
#[derive(Copy, Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SideScore {
    /// The mean score, 0 to 1, with its 95 % interval. `None` if no game was played.
    pub score: Option<ScoreEstimate>,
}

/// A player of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// The player's name.
    pub name: String,
    /// Whether it is the net that the run has trained.
    pub is_net: bool,
    /// Whether this player's rating is fixed at 0.
    pub is_anchor: bool,
    /// The rating in Elo. The anchor's interval has no width.
    pub rating: Rating,
}

impl EvaluationFile {
    /// The names of the rule sets, in order of their first match.
    pub fn rule_sets(&self) -> Vec<&str> {
        distinct(self.matches.iter().map(|found| found.rules.as_str()))
    }

    /// The matches under one rule set.
    pub fn matches_of<'a>(&'a self, rules: &'a str) -> impl Iterator<Item = &'a EvaluationMatch> {
        self.matches.iter().filter(move |found| found.rules == rules)
    }

    /// The net and its opponents under one rule set, the strongest first. The first opponent is the anchor at 0.
    ///
    /// Opponents that won or lost every game are left out, because such a match gives no Elo difference. Empty if no
    /// opponent is left.
    pub fn ladder(&self, rules: &str) -> Vec<Rung> {
        let matches: Vec<&EvaluationMatch> = self.matches_of(rules).filter(|found| found.is_contested()).collect();
        let (names, pairings) = pairings_by_name(matches.iter().map(|found| (&found.players, found.pairs)));
        let Some(anchor) = pairings.first().map(|first| first.second) else { return Vec::new() };
        let anchors = [Anchor { player: anchor, elo: 0.0 }];
        let Ok(ratings) = rate(names.len(), &anchors, &pairings) else { return Vec::new() };
        let net = matches.first().map(|found| found.players[0].as_str());
        let rung = |(at, rating): (usize, &Rating)| Rung {
            name: names[at].to_owned(),
            is_net: Some(names[at]) == net,
            is_anchor: at == anchor,
            rating: *rating,
        };
        let mut ladder: Vec<Rung> = ratings.players.iter().enumerate().map(rung).collect();
        ladder.sort_by(|a, b| b.rating.elo.total_cmp(&a.rating.elo));
        ladder
    }
}

impl EvaluationMatch {
    /// The opponent's name.
    pub fn opponent(&self) -> &str {
        &self.players[1]
    }

    /// Whether both players scored.
    fn is_contested(&self) -> bool {
        self.total.score.is_some_and(|score| score.mean > 0.0 && score.mean < 1.0)
    }

    /// The Elo difference to the opponent, positive if the net is stronger: lower end, mean, upper end. Each may be
    /// infinite. `None` if no game was played.
    pub fn elo(&self) -> Option<[f64; 3]> {
        let score = self.total.score?;
        Some([score.low, score.mean, score.high].map(elo::difference))
    }
}
