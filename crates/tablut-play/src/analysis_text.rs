//! Moves, levels and analyses as text.

use std::fmt::Write as _;
use tablut_rules::{Move, Side};
use tablut_search::Chances;
use tablut_session::{Analysis, LEVELS, Level, LineView, Players};

const SHOWN_PLIES: usize = 6;

pub fn moves_text(moves: &[Move]) -> String {
    let mut text = String::new();
    for (place, mv) in moves.iter().enumerate() {
        let same_piece = place > 0 && moves[place - 1].from == mv.from;
        text.push_str(if same_piece { " " } else { "\n" });
        let _ = write!(text, "{mv}");
    }
    text.trim_start().to_owned() + &format!("\n{} moves", moves.len())
}

pub fn history_text(moves: &[Move], first: Side) -> String {
    if moves.is_empty() {
        return "no moves yet".to_owned();
    }
    let mut text = format!("{first} first:");
    for (place, pair) in moves.chunks(2).enumerate() {
        let _ = write!(text, "\n{:>3}.", place + 1);
        for mv in pair {
            let _ = write!(text, " {mv}");
        }
    }
    text
}

/// All levels. A star marks the levels of the current players.
pub fn levels_text(players: &Players) -> String {
    let plays =
        |level: &Level| [&players.attackers, &players.defenders].iter().any(|player| player.level() == Some(level));
    let line =
        |level: &Level| format!("{} {:<9} {}\n", if plays(level) { "*" } else { " " }, level.name, level.description);
    LEVELS.iter().map(line).collect()
}

pub fn analysis_text(analysis: &Analysis) -> String {
    let Analysis { chances, simulations, words, lines, .. } = analysis;
    format!("{} after {simulations} simulations: {words}\n{}", chances_text(*chances), lines_text(lines))
}

pub fn lines_text(lines: &[LineView]) -> String {
    let mut text = format!("{:>7}  {:>6}  {:>9}  line\n", "visits", "prior", "attackers");
    for line in lines {
        let _ = writeln!(
            text,
            "{:>7}  {:>4.0} %  {:>7.0} %  {}{}",
            line.visits,
            100.0 * line.prior,
            100.0 * (line.chances.attackers + line.chances.draw / 2.0),
            moves_of(line),
            line.words.as_ref().map_or(String::new(), |words| format!("  ({words})"))
        );
    }
    text
}

/// The best move of the opponent if it were its turn, in words.
pub fn threat_text(analysis: &Analysis) -> String {
    match analysis.lines.first() {
        Some(line) => {
            let words = line.words.as_ref().unwrap_or(&analysis.words);
            format!("the opponent would play {}: {words}", moves_of(line))
        }
        None => "the opponent has no threat".to_owned(),
    }
}

pub fn moves_of(line: &LineView) -> String {
    let shown: Vec<String> = line.moves.iter().take(SHOWN_PLIES).map(ToString::to_string).collect();
    shown.join(" ") + if line.moves.len() > SHOWN_PLIES { " …" } else { "" }
}

/// The chances in whole per cent with the sum 100.
pub fn chances_text(chances: Chances) -> String {
    let (attackers, draw) = ((100.0 * chances.attackers).round(), (100.0 * chances.draw).round());
    format!("attackers {attackers:.0} %, draw {draw:.0} %, defenders {:.0} %", 100.0 - attackers - draw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_whole_and_sum_to_a_hundred() {
        for (value, draw, text) in [
            (0.0, 0.0, "attackers 50 %, draw 0 %, defenders 50 %"),
            (-0.715, 0.23, "attackers 3 %, draw 23 %, defenders 74 %"),
            (1.0, 0.0, "attackers 100 %, draw 0 %, defenders 0 %"),
        ] {
            assert_eq!(chances_text(Chances::new(value, draw)), text);
        }
    }
}
