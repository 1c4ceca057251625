//! An analysis as text: the board, what the net thinks, what the search found, and the best lines.

use crate::board_text::{Style, board_text, legend_text};
use crate::position_report::{NetView, PositionReport, ReportLine, SearchView};
use std::fmt::Write as _;
use tablut_rules::{Game, Outcome, Side};
use tablut_session::Proven;

/// Plies of a line that are shown.
const SHOWN_PLIES: usize = 8;

/// The analysis of the game's position, with its board.
pub fn report_text(analysis: &PositionReport, game: &Game, style: Style) -> String {
    let mut text = board_text(game.rules(), game.position(), game.moves().last(), style);
    let _ = writeln!(text, "{}\n", legend_text(game.rules(), style));
    let (rules, ply, side) = (&analysis.rules, analysis.ply, analysis.side_to_move);
    if let Some(outcome) = analysis.outcome {
        let _ = writeln!(text, "{rules}, after {}: the game is over, {}", plies(ply), describe(outcome));
        return text;
    }
    let _ = writeln!(text, "{rules}, after {}, {side} to move", plies(ply));
    if let Some(net) = &analysis.net {
        text += &net_text(net);
    }
    if let Some(search) = &analysis.search {
        text += &search_text(search);
    }
    text
}

/// An ending in words.
fn describe(outcome: Outcome) -> String {
    match outcome.winner {
        Some(side) => format!("the {side} win ({})", outcome.reason),
        None => format!("a draw ({})", outcome.reason),
    }
}

fn plies(n: u32) -> String {
    if n == 1 { "1 ply".to_owned() } else { format!("{n} plies") }
}

fn net_text(net: &NetView) -> String {
    format!(
        "net     attackers win {}, draw {}, defenders win {}; {:.0} plies to go\n",
        percent(net.attackers),
        percent(net.draw),
        percent(net.defenders),
        net.plies_left
    )
}

fn search_text(search: &SearchView) -> String {
    let mut text = format!("search  {:+.3} ({})", search.value, leaning(search));
    if let Some(proven) = search.proven {
        let _ = write!(text, ", proven: {}", proven_words(proven));
    }
    let speed = match f64::from(search.simulations) / search.seconds {
        speed if speed.is_finite() && search.simulations > 0 => format!(", {speed:.0} a second"),
        _ => String::new(),
    };
    let simulations = search.simulations;
    let stop = search.stop.map_or(String::new(), |stop| format!("; {stop}"));
    let _ = writeln!(text, "\n        {simulations} simulations{speed}, {} nodes{stop}\n", search.nodes);
    let _ =
        writeln!(text, "{:>4} {:>7} {:>7} {:>7} {:>7}  {:<14} line", "", "visits", "prior", "Q", "policy", "proven");
    for (index, line) in search.lines.iter().enumerate() {
        let _ = writeln!(text, "{}", line_text(index + 1, line));
    }
    text
}

fn line_text(rank: usize, line: &ReportLine) -> String {
    let shown: Vec<String> = line.moves.iter().take(SHOWN_PLIES).map(ToString::to_string).collect();
    let more = if line.moves.len() > SHOWN_PLIES { " …" } else { "" };
    format!(
        "{rank:>3}. {:>7} {:>7} {:>+7.3} {:>7}  {:<14} {}{more}",
        line.visits,
        percent(line.prior),
        line.q,
        percent(line.policy),
        line.proven.map_or(String::new(), proven_short),
        shown.join(" ")
    )
}

/// Whom the value favours.
fn leaning(search: &SearchView) -> String {
    let (side, of) = match search.value {
        value if value < 0.0 => (Side::Defenders, -value),
        value => (Side::Attackers, value),
    };
    match of {
        _ if search.proven.is_some_and(|proven| proven.winner.is_some()) => format!("{side} win"),
        0.0..0.05 => "even".to_owned(),
        0.05..0.25 => format!("{side} a little better"),
        0.25..0.75 => format!("{side} better"),
        _ => format!("{side} winning"),
    }
}

fn proven_words(proven: Proven) -> String {
    let rests = if proven.from_history { ", by what was played before" } else { "" };
    match proven.winner {
        Some(winner) => format!("the {winner} win within {}{rests}", plies(u32::from(proven.plies))),
        None => format!("a draw{rests}"),
    }
}

fn proven_short(proven: Proven) -> String {
    match proven.winner {
        Some(winner) => format!("{winner} {}", proven.plies),
        None => "draw".to_owned(),
    }
}

/// Per cent, with a decimal where it matters.
fn percent(share: f32) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_rules::Rules;
    use tablut_search::{Limit, UniformEvaluator};

    fn analyse(rules: &str, position: &str) -> (PositionReport, String) {
        let rules = Arc::new(Rules::named(rules).unwrap());
        let game = Game::from_position(rules, position.parse().unwrap()).unwrap();
        let analysis = PositionReport::new(Box::new(UniformEvaluator), &game, Limit::of_simulations(100), 3).unwrap();
        let text = report_text(&analysis, &game, Style::default());
        (analysis, text)
    }

    #[test]
    fn a_forced_win_is_told_with_its_line() {
        let (analysis, text) = analyse("kvasir", "9/9/9/9/2K5t/9/9/9/4t3t d");
        let search = analysis.search.unwrap();
        let proven = search.proven.unwrap();
        assert_eq!((proven.winner, proven.from_history), (Some(Side::Defenders), false));
        assert_eq!(search.lines[0].moves[0], search.best);
        assert!(text.contains("proven: the defenders win within"), "{text}");
        assert!(text.contains("defenders win 50 %"), "{text}");
        assert!(text.contains(&format!("defenders {}", proven.plies)), "{text}");
    }

    #[test]
    fn a_game_that_is_over_is_told_as_such() {
        let (analysis, text) = analyse("kvasir", "2K6/9/9/9/9/9/9/9/4t4 a");
        assert!(analysis.search.is_none() && analysis.net.is_none());
        assert!(text.contains("the game is over, the defenders win (king-escaped)"), "{text}");
    }

    #[test]
    fn an_open_position_shows_as_many_lines_as_asked_for() {
        let (analysis, text) = analyse("masters", "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a");
        let search = analysis.search.unwrap();
        assert_eq!((search.lines.len(), search.proven), (3, None));
        assert!((search.lines.iter().map(|line| line.visits).sum::<u32>()) <= search.simulations);
        assert!(text.contains("attackers to move") && text.contains("  3. "), "{text}");
    }

    #[test]
    fn values_are_told_in_words() {
        let (analysis, _) = analyse("kvasir", "9/9/9/9/2K5t/9/9/9/4t3t d");
        let open = SearchView { proven: None, ..analysis.search.clone().unwrap() };
        let of = |value| leaning(&SearchView { value, ..open.clone() });
        assert_eq!(
            [0.0, -0.1, 0.3, -1.0].map(of),
            ["even", "defenders a little better", "attackers better", "defenders winning"]
        );
        assert_eq!(leaning(&analysis.search.unwrap()), "defenders win");
    }
}
