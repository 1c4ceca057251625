//! Metrics and games as CSV tables, for notebooks and spreadsheets.

use std::fmt::Write as _;

use tablut_games::{GameRecord, GenerationMetrics, LossParts, PhaseStatistics, PolicyStatistics, RuleSetStatistics};
use tablut_rules::Side;

use crate::metrics::weighted_mean;

pub const GAME_COLUMNS: &str = "file,game,rules,ply,side,move,searched,value,draw,simulations,legal_moves,entropy,top_probability,winner,reason,plies";

/// A column of [`metrics_csv`]: its name, and its cell in the row of a generation and a rule set.
type Column = (&'static str, fn(&GenerationMetrics, Option<&RuleSetStatistics>) -> String);

const COLUMNS: [Column; 30] = [
    ("generation", |line, _| line.generation.to_string()),
    ("simulations", |line, _| line.simulations.to_string()),
    ("rules", |_, set| set.map_or_else(String::new, |set| cell(&set.rules))),
    ("games", |line, set| set.map_or(line.selfplay.games, |set| set.games).to_string()),
    ("attackers_won", |line, set| set.map_or(line.selfplay.attackers_won, |set| set.attackers_won).to_string()),
    ("drawn", |line, set| set.map_or(line.selfplay.drawn, |set| set.drawn).to_string()),
    ("defenders_won", |line, set| set.map_or(line.selfplay.defenders_won, |set| set.defenders_won).to_string()),
    ("median_plies", |_, set| text(set.map(|set| set.plies.median))),
    ("attackers_captures", |_, set| text(set.map(|set| set.attackers.captures))),
    ("defenders_captures", |_, set| text(set.map(|set| set.defenders.captures))),
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
    ("ordinary_games", |_, set| text(set.map(|set| set.ordinary().games()))),
    ("ordinary_attackers_won", |_, set| text(set.map(|set| set.ordinary().attackers_won))),
    ("ordinary_drawn", |_, set| text(set.map(|set| set.ordinary().drawn))),
    ("ordinary_defenders_won", |_, set| text(set.map(|set| set.ordinary().defenders_won))),
];

/// A CSV table with one row for each generation and rule set. A generation without rule sets, as version 1 wrote it,
/// has one row for all rule sets together.
pub fn metrics_csv(lines: &[GenerationMetrics]) -> String {
    let mut table = COLUMNS.map(|(name, _)| name).join(",");
    for (part, _) in LossParts::default().named() {
        let _ = write!(table, ",loss_{part}");
    }
    table.push('\n');
    for line in lines {
        let whole = line.rule_sets.is_empty().then_some(None);
        for set in line.rule_sets.iter().map(Some).chain(whole) {
            table += &COLUMNS.map(|(_, cell)| cell(line, set)).join(",");
            for (_, loss) in line.learning.loss.named() {
                let _ = write!(table, ",{loss}");
            }
            table.push('\n');
        }
    }
    table
}

fn policy(set: Option<&RuleSetStatistics>, side: Side, value: fn(&PolicyStatistics) -> f64) -> String {
    text(set.and_then(|set| set.net.as_ref()).map(|net| value(net.policy(side))))
}

/// An error of the values, weighted by positions over all phases of the game.
fn error(set: Option<&RuleSetStatistics>, value: fn(&PhaseStatistics) -> f64) -> String {
    let phases = set.and_then(|set| set.net.as_ref()).into_iter().flat_map(|net| &net.phases);
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
        let json = "{\"generation\":3,\"learning\":{\"loss\":{\"policy\":3.5,\"value\":0.5}},\"rule_sets\":[{\"rules\":\"a,b\",\"games\":5,\
                    \"net\":{\"phases\":[{\"positions\":2,\"net_error\":0.5}]}},{\"rules\":\"kvasir\"}]}";
        let first = "{\"generation\":2,\"selfplay\":{\"games\":7}}";
        let lines: Vec<GenerationMetrics> =
            [first, json].iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let text = metrics_csv(&lines);
        let mut rows = text.lines();
        let columns = rows.next().unwrap().split(',').count();
        for row in rows.map(|row| row.replace("\"a,b\"", "a")) {
            assert_eq!(row.split(',').count(), columns, "{row}");
        }
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains("3,0,\"a,b\",5,"));
    }
}
