//! Metrics and games as comma-separated values, for notebooks and spreadsheets.

use std::fmt::Write as _;

use tablut_games::{GameRecord, GenerationMetrics, LossParts, RuleSetStatistics};
use tablut_rules::Side;

/// The columns of [`games_csv`].
pub const GAME_COLUMNS: &str = "file,game,rules,ply,side,move,searched,value,draw,simulations,legal_moves,entropy,top_probability,winner,reason,plies";

/// One row for each generation and rule set; generations of the first version have one row, of all rule sets together.
pub fn metrics_csv(lines: &[GenerationMetrics]) -> String {
    let mut text = "generation,simulations,rules,games,attackers_won,drawn,defenders_won,median_plies,\
                    attackers_captures,defenders_captures,attackers_entropy,defenders_entropy,attackers_divergence,\
                    defenders_divergence,attackers_changed,defenders_changed,net_error,search_error,window,steps,\
                    gradient_norm,weight_norm,learning_rate,selfplay_seconds,learning_seconds,evaluations,ordinary_games,\
                    ordinary_attackers_won,ordinary_drawn,ordinary_defenders_won"
        .to_owned();
    for (part, _) in LossParts::default().named() {
        let _ = write!(text, ",loss_{part}");
    }
    text.push('\n');
    for line in lines {
        let (play, learning) = (&line.selfplay, &line.learning);
        let tail = format!(
            "{},{},{},{},{},{},{},{}",
            learning.window,
            learning.steps,
            learning.gradient_norm,
            learning.weight_norm,
            learning.learning_rate,
            play.seconds,
            learning.seconds,
            play.evaluations
        );
        let mut losses = String::new();
        for (_, loss) in learning.loss.named() {
            let _ = write!(losses, ",{loss}");
        }
        if line.rule_sets.is_empty() {
            let _ = writeln!(
                text,
                "{},{},,{},{},{},{},,,,,,,,,,,,{tail},,,,{losses}",
                line.generation, line.simulations, play.games, play.attackers_won, play.drawn, play.defenders_won
            );
        }
        for set in &line.rule_sets {
            let _ = writeln!(
                text,
                "{},{},{},{tail},{}{losses}",
                line.generation,
                line.simulations,
                cells(set),
                ordinary(set)
            );
        }
    }
    text
}

/// What one rule set adds to a row: its name, results, lengths and captures, and what its searches and values are like.
fn cells(set: &RuleSetStatistics) -> String {
    let net = set.net.as_ref();
    let policy =
        |side, value: fn(&tablut_games::PolicyStatistics) -> f64| number(net.map(|net| value(net.policy(side))));
    let error = |value: fn(&tablut_games::PhaseStatistics) -> f64| {
        let positions = net?.phases.iter().map(|phase| phase.positions as f64).sum::<f64>();
        let sum = net?.phases.iter().map(|phase| phase.positions as f64 * value(phase)).sum::<f64>();
        (positions > 0.0).then(|| sum / positions)
    };
    let (a, d) = (Side::Attackers, Side::Defenders);
    [
        cell(&set.rules),
        set.games.to_string(),
        set.attackers_won.to_string(),
        set.drawn.to_string(),
        set.defenders_won.to_string(),
        set.plies.median.to_string(),
        set.attackers.captures.to_string(),
        set.defenders.captures.to_string(),
        policy(a, |p| p.entropy),
        policy(d, |p| p.entropy),
        policy(a, |p| p.divergence),
        policy(d, |p| p.divergence),
        policy(a, |p| p.changed),
        policy(d, |p| p.changed),
        number(error(|phase| phase.net_error)),
        number(error(|phase| phase.search_error)),
    ]
    .join(",")
}

/// The results of the games with one net, equal searches and the rules' own start.
fn ordinary(set: &RuleSetStatistics) -> String {
    let ordinary = set.ordinary();
    format!("{},{},{},{}", ordinary.games(), ordinary.attackers_won, ordinary.drawn, ordinary.defenders_won)
}

/// One row for each ply of a game, without the columns' names.
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

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A cell's text, in quotes where it needs them.
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
