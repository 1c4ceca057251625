//! Match reports and ratings as plain tables for the terminal.

use std::fmt::Write as _;

use tablut_arena::{Ladder, MatchReport, SideResult};
use tablut_ratings::{Rating, ScoreEstimate, TestState, TestVerdict, Wdl};
use tablut_report::figures::{elo_interval, elo_text, signed};
use tablut_rules::Results;

use crate::layout;

/// A table with one row for each match: the first player's score in per cent, in all games and with each side.
/// Intervals are 95 %.
pub fn match_table(reports: &[MatchReport]) -> String {
    let header = ["", "games", "score %", "Elo", "as attackers %", "as defenders %"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for report in reports {
        rows.push(vec![
            players(report),
            report.games.to_string(),
            report.total.score.map_or("–".to_owned(), |score| {
                format!("{:.1} ({:.0}–{:.0})", 100.0 * score.mean, 100.0 * score.low, 100.0 * score.high)
            }),
            elo_text(&report.elo),
            score(&report.as_attackers),
            score(&report.as_defenders),
        ]);
    }
    layout::table(&rows)
}

fn players(report: &MatchReport) -> String {
    format!("{} – {}", report.players[0], report.players[1])
}

/// The results of each match, and how its games ended.
pub fn endings_text(reports: &[MatchReport]) -> String {
    let mut text = String::new();
    for report in reports {
        let Wdl { wins, draws, losses } = report.total.results;
        let (unfinished, plies) = (report.unfinished, report.mean_plies);
        let drawn = draws as usize - unfinished;
        let results = format!("{wins} won, {drawn} drawn, {losses} lost, {unfinished} unfinished; {plies:.0} plies");
        let ending = |(reason, results): (&_, &Results)| {
            format!("{reason} {:.0} %", 100.0 * results.games() as f64 / f64::from(report.games.max(1)))
        };
        let endings = report.endings.iter().map(ending);
        text += &players(report);
        text += "\n";
        text += &layout::list("  ", std::iter::once(results).chain(endings), 2);
        text += "\n";
        for (player, &n) in report.players.iter().zip(&report.forfeits).filter(|&(_, &n)| n > 0) {
            let _ = writeln!(text, "  {player} lost {n} of {} games by forfeit", report.games);
        }
    }
    text
}

pub fn sequential_test_text(reports: &[MatchReport]) -> String {
    let mut text = String::new();
    for report in reports {
        let Some(test) = &report.sequential_test else { continue };
        let (bounds, state) = (test.bounds, test.state);
        let verdict = match state.verdict {
            TestVerdict::Stronger => format!("stronger (more than {} Elo)", bounds.elo0),
            TestVerdict::NotStronger => format!("not stronger (less than {} Elo)", bounds.elo1),
            TestVerdict::Undecided => "undecided".to_owned(),
        };
        let settings = format!(
            "sequential test [{}, {}] Elo, errors {} and {}",
            bounds.elo0, bounds.elo1, bounds.alpha, bounds.beta
        );
        let _ = writeln!(text, "{}: {verdict}\n  {settings}\n  {}", players(report), test_evidence(&state));
    }
    text
}

/// The evidence of a sequential test for each verdict, and the evidence that each needs.
pub fn test_evidence(state: &TestState) -> String {
    format!(
        "evidence for stronger {:+.2} of {:.2}, for not stronger {:+.2} of {:.2}",
        state.stronger, state.stronger_at, state.not_stronger, state.not_stronger_at
    )
}

/// A ladder with the attackers' advantage. Each player has the likelihood that it is stronger than the next one.
pub fn ladder_table(ladder: &Ladder) -> String {
    let mut rows = vec![["player", "Elo", "95 %", "stronger than next", "games"].map(str::to_owned).to_vec()];
    for (place, player) in ladder.players.iter().enumerate() {
        let Rating { elo, low, high } = player.rating;
        let interval = if player.anchor { "anchor".to_owned() } else { format!("{} to {}", signed(low), signed(high)) };
        let next = ladder.superiority[place].get(place + 1);
        let superior = next.map_or(String::new(), |next| format!("{:.1} %", 100.0 * next));
        let games = (player.as_attackers + player.as_defenders).games().to_string();
        rows.push(vec![player.name.clone(), signed(elo), interval, superior, games]);
    }
    let side = &ladder.attackers_advantage;
    let mut text = format!(
        "{}attackers' advantage {} Elo ({} to {}), draws between equals {:.0} %\n",
        layout::table(&rows),
        signed(side.elo),
        signed(side.low),
        signed(side.high),
        100.0 * ladder.draw_rate
    );
    for player in &ladder.players {
        if let Some(measured) = player.measured {
            let _ = writeln!(text, "{} measured by these games: {}", player.name, elo_interval(measured));
        }
    }
    text
}

/// The likelihood in per cent that each player is stronger than each other. It is empty with fewer than three players,
/// because the ladder already shows it.
pub fn superiority_table(ladder: &Ladder) -> String {
    if ladder.players.len() < 3 {
        return String::new();
    }
    let header = (1..=ladder.players.len()).map(|place| place.to_string());
    let mut rows = vec![std::iter::once("stronger than, %".to_owned()).chain(header).collect::<Vec<_>>()];
    for (i, player) in ladder.players.iter().enumerate() {
        let cell = |(j, &above): (usize, &f64)| if i == j { "–".to_owned() } else { format!("{:.1}", 100.0 * above) };
        let cells = ladder.superiority[i].iter().enumerate().map(cell);
        rows.push(std::iter::once(format!("{} {}", i + 1, player.name)).chain(cells).collect());
    }
    layout::table(&rows)
}

fn score(side: &SideResult) -> String {
    side.score.map_or("–".to_owned(), |ScoreEstimate { mean, low, high, .. }| {
        format!("{:.0} ({:.0}–{:.0})", 100.0 * mean, 100.0 * low, 100.0 * high)
    })
}

#[cfg(test)]
mod tests {
    use super::{endings_text, ladder_table, match_table, sequential_test_text, superiority_table};
    use std::sync::Arc;
    use tablut_arena::{MatchReport, Tally, ladder};
    use tablut_games::GameRecord;
    use tablut_ratings::TestBounds;
    use tablut_rules::{Game, Outcome, Reason, Rules, Side};

    /// A game with this number of half points for the player on `side`.
    fn game(side: Side, half_points: usize) -> GameRecord {
        let winner = [Some(side.opponent()), None, Some(side)][half_points];
        let start = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        GameRecord::new(0, &start, 400, Outcome { winner, reason: Reason::NoMoves })
    }

    fn report(players: [&str; 2], pairs: [[u32; 3]; 3]) -> MatchReport {
        let players = players.map(str::to_owned);
        let rules = Rules::named("kvasir").unwrap();
        let mut tally = Tally::with_test(Some(TestBounds::default()));
        for (as_attackers, row) in pairs.iter().enumerate() {
            for (as_defenders, &n) in row.iter().enumerate() {
                let (first, second) = (game(Side::Attackers, as_attackers), game(Side::Defenders, as_defenders));
                (0..n).for_each(|_| tally.record_pair(&rules, &first, &second));
            }
        }
        MatchReport { rules: "kvasir".into(), players, seed: 1, opening_plies: 4, complete: true, ..tally.report() }
    }

    #[test]
    fn tables_align_and_show_unknown_bounds() {
        let reports = [
            report(["net", "random"], [[0, 0, 0], [0, 0, 0], [0, 0, 10]]),
            report(["net", "greedy"], [[0, 0, 3], [0, 0, 1], [0, 0, 6]]),
        ];
        let table = match_table(&reports);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 5, "the table is wider than 80 columns, so names have their own lines:\n{table}");
        assert!(lines[1] == "net – random" && lines[2].contains("100.0 (84–100)"), "{table}");
        assert!(lines[2].contains("above +287"), "{table}");
        assert!(endings_text(&reports).contains("net – greedy\n  16 won, 1 drawn, 3 lost, 0 unfinished; "));
        assert_eq!(sequential_test_text(&reports).lines().count(), 6);
    }

    #[test]
    fn ladders_list_the_strongest_first_and_name_their_anchors() {
        let won = [[0, 0, 1], [0, 0, 0], [1, 0, 8]];
        let reports = [report(["greedy", "random"], won), report(["alphabeta:1", "greedy"], won)];
        let anchors = ["random=0", "greedy=100"].map(|text| text.parse().unwrap());
        let ladder_of_two = ladder(&reports[..1], &[]).unwrap();
        let ladder = ladder(&reports, &anchors).unwrap();
        let table = ladder_table(&ladder);
        let lines: Vec<&str> = table.lines().collect();
        let order: Vec<&str> = lines[1..4].iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(order, ["alphabeta:1", "greedy", "random"], "{table}");
        assert!(lines[2].contains("+100  ") && lines[2].contains("anchor") && lines[2].ends_with("40"), "{table}");
        assert!(lines[5].starts_with("greedy measured by these games: +3"), "{table}");
        let table = superiority_table(&ladder);
        assert!(table.contains("3 random") && table.contains("100.0") && table.lines().count() == 4, "{table}");
        assert_eq!(superiority_table(&ladder_of_two), "");
    }
}
