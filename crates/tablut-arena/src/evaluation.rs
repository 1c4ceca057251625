//! Several matches: the evaluation of a net, and tournaments.

use crate::ladder::{Ladder, LadderPlayer, NamedAnchor, ladder};
use crate::tally::MatchReport;
use serde::{Deserialize, Serialize};

/// A net's matches, in which it is the first player: `evaluation.json` of a run, and what `tablut evaluate --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationReport {
    pub model: String,
    /// The rule set of the matches, if they have the same.
    pub rules: String,
    /// The net's simulations per move.
    pub simulations: u32,
    /// One for each opponent and rule set.
    pub matches: Vec<MatchReport>,
}

/// Matches between several players under one rule set: what `tablut match --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Tournament {
    pub rules: String,
    /// The ratings, or `None` if no pair of games was played.
    #[serde(flatten)]
    pub ladder: Option<Ladder>,
    /// One for every two players.
    pub matches: Vec<MatchReport>,
}

impl EvaluationReport {
    /// The names of the rule sets, in order of their first match.
    pub fn rule_sets(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for report in &self.matches {
            if !names.contains(&report.rules.as_str()) {
                names.push(&report.rules);
            }
        }
        names
    }

    pub fn matches_of<'a>(&'a self, rules: &'a str) -> impl Iterator<Item = &'a MatchReport> {
        self.matches.iter().filter(move |report| report.rules == rules)
    }

    /// The net and its opponents under one rule set, the strongest first. The first opponent is the anchor at 0.
    ///
    /// Opponents that won or lost every game are left out, because such a match gives no Elo difference. Empty if no
    /// opponent is left.
    pub fn ladder(&self, rules: &str) -> Vec<LadderPlayer> {
        let is_contested =
            |report: &&MatchReport| report.total.score.is_some_and(|score| score.mean > 0.0 && score.mean < 1.0);
        let contested: Vec<MatchReport> = self.matches_of(rules).filter(is_contested).cloned().collect();
        let Some(first) = contested.first() else { return Vec::new() };
        let anchor = NamedAnchor { player: first.opponent().to_owned(), elo: 0.0 };
        ladder(&contested, &[anchor]).map(|ladder| ladder.players).unwrap_or_default()
    }
}
