//! Metrics and games as CSV tables, for notebooks and spreadsheets.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tablut_games::{GameRecord, GenerationMetrics, LossParts, PhaseStatistics, PolicyStatistics, RuleSetStatistics};
use tablut_ratings::Rating;
use tablut_rules::Side;

use crate::metrics::weighted_mean;
use crate::rated::{by_generation, most_telling};

pub const GAME_COLUMNS: &str = "file,game,rules,ply,side,move,searched,value,draw,simulations,legal_moves,entropy,top_probability,winner,reason,plies";

/// A column of [`metrics_csv`]: its name, and its cell in the row of a generation and a rule set.
type Column = (&'static str, fn(&GenerationMetrics, &RuleSetStatistics) -> String);

const COLUMNS: [Column; 32] = [
    ("generation", |line, _| line.generation.to_string()),
    ("simulations", |line, _| line.simulations.to_string()),
    ("rules", |_, set| cell(&set.rules)),
    ("games", |_, set| set.games.to_string()),
    ("attackers", |_, set| set.results.attackers.to_string()),
    ("draws", |_, set| set.results.draws.to_string()),
    ("defenders", |_, set| set.results.defenders.to_string()),
    ("unfinished", |_, set| set.results.unfinished.to_string()),
    ("median_plies", |_, set| set.plies.median.to_string()),
    ("attackers_captures", |_, set| set.attackers.captures.to_string()),
    ("defenders_captures", |_, set| set.defenders.captures.to_string()),
    ("attackers_entropy", |_, set| policy(set, Side::Attackers, |policy| policy.entropy)),
    ("defenders_entropy", |_, set| policy(set, Side::Defenders, |policy| policy.entropy)),
    ("attackers_divergence", |_, set| policy(set, Side::Attackers, |policy| policy.divergence)),
    ("defenders_divergence", |_, set| policy(set, Side::Defenders, |policy| policy.divergence)),
    ("attackers_changed", |_, set| policy(set, Side::Attackers, |policy| policy.changed)),
    ("defenders_changed", |_, set| policy(set, Side::Defenders, |policy| policy.changed)),
    ("net_error", |_, set| error(set, |phase| phase.net_error)),
    ("search_error", |_, set| error(set, |phase| phase.search_error)),
    ("window", |line, _| line.learning.window.to_string()),
    ("steps", |line, _| line.learning.steps.to_string()),
    ("gradient_norm", |line, _| line.learning.gradient_norm.to_string()),
    ("weight_norm", |line, _| line.learning.weight_norm.to_string()),
    ("learning_rate", |line, _| line.learning.learning_rate.to_string()),
    ("selfplay_seconds", |line, _| line.selfplay.seconds.to_string()),
    ("learning_seconds", |line, _| line.learning.seconds.to_string()),
    ("evaluations", |line, _| line.selfplay.evaluations.to_string()),
    // Games with equal searches for both sides.
    ("ordinary_games", |_, set| set.ordinary().games().to_string()),
    ("ordinary_attackers", |_, set| set.ordinary().attackers.to_string()),
    ("ordinary_draws", |_, set| set.ordinary().draws.to_string()),
    ("ordinary_defenders", |_, set| set.ordinary().defenders.to_string()),
    ("ordinary_unfinished", |_, set| set.ordinary().unfinished.to_string()),
];

/// A CSV table with one row for each generation and rule set.
pub fn metrics_csv(lines: &[GenerationMetrics]) -> String {
    let mut table = COLUMNS.map(|(name, _)| name).join(",");
    for (part, _) in LossParts::default().named() {
        let _ = write!(table, ",loss_{part}");
    }
    table += ",rating,rating_low,rating_high,rating_games,rating_anchor\n";
    let mut ratings: BTreeMap<&str, RatedTable> = BTreeMap::new();
    for set in lines.iter().flat_map(|line| &line.rule_sets) {
        ratings.entry(&set.rules).or_insert_with(|| RatedTable::of(lines, &set.rules));
    }
    for line in lines {
        for set in &line.rule_sets {
            table += &COLUMNS.map(|(_, cell)| cell(line, set)).join(",");
            for (_, loss) in line.learning.loss.named() {
                let _ = write!(table, ",{loss}");
            }
            table += &ratings[set.rules.as_str()].cells(line.generation);
            table.push('\n');
        }
    }
    table
}

/// The ratings under one rule set, in Elo above an anchor.
struct RatedTable {
    anchor: String,
    ratings: BTreeMap<u64, (Rating, u32)>,
}

impl RatedTable {
    fn of(lines: &[GenerationMetrics], rules: &str) -> Self {
        let anchor = most_telling(lines, Some(rules)).unwrap_or_default().to_owned();
        let ratings = by_generation(lines, Some(rules), None);
        Self { anchor, ratings: ratings.into_iter().map(|(generation, rating, n)| (generation, (rating, n))).collect() }
    }

    /// The last cells of a generation's row, each after a comma.
    fn cells(&self, generation: u64) -> String {
        self.ratings.get(&generation).map_or_else(
            || ",,,,,".to_owned(),
            |(rating, games)| {
                let Rating { elo, low, high } = rating;
                format!(",{elo:.1},{low:.1},{high:.1},{games},{}", cell(&self.anchor))
            },
        )
    }
}

fn policy(set: &RuleSetStatistics, side: Side, value: fn(&PolicyStatistics) -> f64) -> String {
    text(set.net.as_ref().map(|net| value(net.policy(side))))
}

/// An error of the values, weighted by positions over all phases of the game.
fn error(set: &RuleSetStatistics, value: fn(&PhaseStatistics) -> f64) -> String {
    let phases = set.net.iter().flat_map(|net| &net.phases);
    text(weighted_mean(phases.map(|phase| (phase.positions, value(phase)))))
}

/// CSV rows for a game, one for each ply, with the columns of [`GAME_COLUMNS`] and without a header. `file` is the name
/// of the game's file.
pub fn games_csv(file: &str, game: &GameRecord) -> String {
    let mut text = String::new();
    let mut side = game.start.side_to_move();
    let winner = game.outcome.winner.map_or("", |side| if side == Side::Attackers { "attackers" } else { "defenders" });
    for (ply, record) in game.plies.iter().enumerate() {
        let _ = write!(text, "{},{},{},{ply},{side},{},", cell(file), game.index, cell(&game.rules), record.mv);
        if let Some(search) = &record.search {
            let total = search.policy.iter().map(|&p| f64::from(p)).sum::<f64>().max(1.0);
            let shares = || search.policy.iter().map(|&p| f64::from(p) / total);
            let entropy: f64 = shares().filter(|&p| p > 0.0).map(|p| -p * p.ln()).sum();
            let top = shares().fold(0.0, f64::max);
            let (value, draw, simulations) = (search.chances.value(), search.chances.draw, search.simulations);
            let _ = write!(text, "1,{value},{draw},{simulations},{},{entropy:.4},{top:.4}", search.policy.len());
        } else {
            text.push_str("0,,,,,,");
        }
        let _ = writeln!(text, ",{winner},{},{}", game.outcome.reason, game.plies.len());
        side = side.opponent();
    }
    text
}

/// A value's text, empty for `None`.
fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A cell's text, quoted if it contains a separator, a quote or a line break.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_cells_as_the_heading() {
        let json = "{\"schema\":5,\"generation\":3,\"learning\":{\"loss\":{\"policy\":3.5,\"value\":0.5}},\"rule_sets\":[{\"rules\":\"a,b\",\"games\":5,\
                    \"net\":{\"phases\":[{\"positions\":2,\"net_error\":0.5}]}},{\"rules\":\"kvasir\"}]}";
        let line: GenerationMetrics = serde_json::from_str(json).unwrap();
        let text = metrics_csv(&[line]);
        let mut rows = text.lines();
        let columns = rows.next().unwrap().split(',').count();
        for row in rows.map(|row| row.replace("\"a,b\"", "a")) {
            assert_eq!(row.split(',').count(), columns, "{row}");
        }
        assert_eq!(text.lines().count(), 3);
        assert!(text.contains("3,0,\"a,b\",5,"));
    }
}
