//! Match reports and ratings as plain tables for the terminal.

use crate::ratings::{PairingResult, RatingError, Ratings, rate};
use crate::score::{ScoreEstimate, Wdl};
use crate::sprt::{SprtState, Verdict};
use crate::tally::{EloDifference, MatchReport, SideResult};
use std::fmt::Write as _;

/// One line a match: the first player's score against the second, in all and with each side. Percentages; intervals
/// are 95 %.
pub fn match_table(reports: &[MatchReport]) -> String {
    let header =
        ["match", "games", "score %", "Elo", "won = drawn – lost", "as attackers %", "as defenders %", "plies"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for report in reports {
        let Wdl { wins, draws, losses } = report.total.results;
        rows.push(vec![
            format!("{} – {}", report.players[0], report.players[1]),
            report.games.to_string(),
            score(&report.total),
            elo_text(&report.elo),
            format!("{wins} = {draws} – {losses}"),
            score(&report.as_attackers),
            score(&report.as_defenders),
            format!("{:.0}", report.mean_plies),
        ]);
    }
    columns(&rows)
}

/// How the games of each match ended, one line a match.
pub fn endings_text(reports: &[MatchReport]) -> String {
    let mut text = String::new();
    for report in reports {
        let endings: Vec<String> = report
            .endings
            .iter()
            .map(|(reason, count)| {
                let n = count.attackers_won + count.drawn + count.defenders_won;
                format!("{reason} {:.0} %", 100.0 * f64::from(n) / f64::from(report.games.max(1)))
            })
            .collect();
        let _ = writeln!(text, "{} – {}: {}", report.players[0], report.players[1], endings.join(", "));
        for (player, &n) in report.players.iter().zip(&report.forfeits).filter(|&(_, &n)| n > 0) {
            let _ = writeln!(text, "{player} lost {n} of {} games by forfeit", report.games);
        }
    }
    text
}

/// The sequential tests of the matches that had one, one line each.
pub fn sprt_text(reports: &[MatchReport]) -> String {
    let mut text = String::new();
    for report in reports {
        let Some(sprt) = &report.sprt else { continue };
        let (bounds, state) = (sprt.bounds, sprt.state);
        let verdict = match state.verdict {
            Verdict::Stronger => format!("stronger, over {} Elo", bounds.elo0),
            Verdict::NotStronger => format!("not stronger, under {} Elo", bounds.elo1),
            Verdict::Undecided => "undecided".to_owned(),
        };
        let _ = writeln!(
            text,
            "{} – {}: {verdict}; SPRT [{}, {}] Elo, errors {} and {}, {}",
            report.players[0],
            report.players[1],
            bounds.elo0,
            bounds.elo1,
            bounds.alpha,
            bounds.beta,
            sprt_evidence(&state),
        );
    }
    text
}

/// The two sides of a sequential test: what speaks for either verdict, and what is needed.
pub fn sprt_evidence(state: &SprtState) -> String {
    format!(
        "evidence for stronger {:+.2} of {:.2}, for not stronger {:+.2} of {:.2}",
        state.stronger, state.stronger_at, state.not_stronger, state.not_stronger_at
    )
}

/// Ratings of all players that occur in `reports`, the names in order of first appearance. The anchor is `random` at 0 if it
/// played, else the first player.
pub fn rate_reports(reports: &[MatchReport]) -> Result<(Vec<String>, Ratings), RatingError> {
    let mut names: Vec<String> = Vec::new();
    let mut place = |name: &String| {
        names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        })
    };
    let mut results = Vec::new();
    for report in reports {
        let [first, second] = [place(&report.players[0]), place(&report.players[1])];
        results.push(PairingResult { attackers: first, defenders: second, results: report.as_attackers.results });
        let Wdl { wins, draws, losses } = report.as_defenders.results;
        let turned = Wdl { wins: losses, draws, losses: wins };
        results.push(PairingResult { attackers: second, defenders: first, results: turned });
    }
    let anchor = names.iter().position(|name| name == "random").unwrap_or(0);
    let ratings = rate(names.len(), anchor, 0.0, &results)?;
    Ok((names, ratings))
}

/// Ratings, the strongest first, with the side advantage and the chance to be stronger than the next.
pub fn ratings_table(names: &[String], ratings: &Ratings) -> String {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| ratings.players[b].elo.total_cmp(&ratings.players[a].elo));
    let mut rows = vec![["player", "Elo", "95 %", "stronger than next"].map(str::to_owned).to_vec()];
    for (place, &player) in order.iter().enumerate() {
        let rating = &ratings.players[player];
        let interval = if rating.low == rating.high {
            "anchor".to_owned()
        } else {
            format!("{:+.0} to {:+.0}", rating.low, rating.high)
        };
        let next = order.get(place + 1);
        let superior =
            next.map_or(String::new(), |&next| format!("{:.1} %", 100.0 * ratings.superiority[player][next]));
        rows.push(vec![names[player].clone(), format!("{:+.0}", rating.elo), interval, superior]);
    }
    let side = &ratings.attackers_advantage;
    format!(
        "{}attackers' advantage {:+.0} Elo ({:+.0} to {:+.0}), draws between equals {:.0} %\n",
        columns(&rows),
        side.elo,
        side.low,
        side.high,
        100.0 * ratings.draw_rate
    )
}

fn score(side: &SideResult) -> String {
    side.score.map_or("–".to_owned(), |ScoreEstimate { mean, low, high, .. }| {
        format!("{:.1} ({:.1}–{:.1})", 100.0 * mean, 100.0 * low, 100.0 * high)
    })
}

/// An Elo difference with its interval, or what is known of one that has no bound.
pub fn elo_text(elo: &EloDifference) -> String {
    match (elo.low, elo.mean, elo.high) {
        (Some(low), Some(mean), Some(high)) => format!("{mean:+.0} ({low:+.0} to {high:+.0})"),
        (Some(low), _, None) => format!("over {low:+.0}"),
        (None, _, Some(high)) => format!("under {high:+.0}"),
        _ => "–".to_owned(),
    }
}

/// Lines of columns, the first aligned to the left and the others to the right.
fn columns(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let _ = if column == 0 {
                write!(line, "{cell:<0$}", widths[column])
            } else {
                write!(line, "  {cell:>0$}", widths[column])
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{match_table, rate_reports, ratings_table, sprt_text};
    use crate::score::{Pentanomial, Wdl};
    use crate::tally::{MatchReport, ReportHeader, Tally};

    fn report(players: [&str; 2], as_attackers: Wdl, as_defenders: Wdl, pentanomial: [u32; 5]) -> MatchReport {
        let players = players.map(str::to_owned);
        let header = ReportHeader {
            rules: "kvasir".into(),
            players,
            seed: 1,
            opening_plies: 4,
            max_plies: None,
            complete: true,
        };
        Tally::from_counts(as_attackers, as_defenders, Pentanomial { counts: pentanomial }).report(header)
    }

    #[test]
    fn tables_align_and_say_what_is_not_known() {
        let won = Wdl { wins: 10, draws: 0, losses: 0 };
        let mixed = Wdl { wins: 6, draws: 1, losses: 3 };
        let reports = [
            report(["net", "random"], won, won, [0, 0, 0, 0, 10]),
            report(["net", "greedy"], mixed, won, [0, 0, 3, 1, 6]),
        ];
        let table = match_table(&reports);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("net – random") && lines[1].contains("100.0 (83.9–100.0)"), "{table}");
        assert!(lines[1].contains("over +287"), "{table}");
        assert!(lines[2].contains("16 = 1 – 3"), "{table}");
        assert_eq!(sprt_text(&reports).lines().count(), 2);
    }

    #[test]
    fn ratings_are_anchored_at_random_and_sorted() {
        let won = Wdl { wins: 9, draws: 0, losses: 1 };
        let reports = [
            report(["greedy", "random"], won, won, [0, 0, 2, 0, 8]),
            report(["net", "greedy"], won, won, [0, 0, 2, 0, 8]),
        ];
        let (names, ratings) = rate_reports(&reports).unwrap();
        assert_eq!(names, ["greedy", "random", "net"]);
        assert_eq!(ratings.players[1].elo, 0.0);
        assert!((ratings.players[2].elo - 2.0 * ratings.players[0].elo).abs() < 60.0, "{ratings:?}");
        let table = ratings_table(&names, &ratings);
        let order: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(order[..3], ["net", "greedy", "random"]);
    }
}
