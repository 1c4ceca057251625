//! What is said at the board: moves, levels, and what the computer thinks.

use std::fmt::Write as _;
use tablut_rules::{Move, Side};
use tablut_session::{Analysis, Chances, LEVELS, Level, LineView, Players};

/// Plies of a line that are shown.
const SHOWN_PLIES: usize = 6;

/// Moves by the piece that makes them, one line each.
pub fn moves_text(moves: &[Move]) -> String {
    let mut text = String::new();
    for (place, mv) in moves.iter().enumerate() {
        let same_piece = place > 0 && moves[place - 1].from == mv.from;
        text.push_str(if same_piece { " " } else { "\n" });
        let _ = write!(text, "{mv}");
    }
    text.trim_start().to_owned() + &format!("\n{} moves", moves.len())
}

/// The moves so far, numbered in pairs.
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

/// All levels, with a star at those that play.
pub fn levels_text(players: &Players) -> String {
    let plays =
        |level: &Level| [&players.attackers, &players.defenders].iter().any(|player| player.level() == Some(level));
    let line =
        |level: &Level| format!("{} {:<9} {}\n", if plays(level) { "*" } else { " " }, level.name, level.description);
    LEVELS.iter().map(line).collect()
}

/// What a search saw: the chances, what is proven, the best moves with what follows.
pub fn analysis_text(analysis: &Analysis) -> String {
    let mut text =
        format!("{} after {} simulations: {}", chances_text(analysis.chances), analysis.simulations, analysis.words);
    let _ = write!(text, "\n{:>7}  {:>6}  {:>9}  line", "visits", "prior", "attackers");
    for line in &analysis.lines {
        let _ = write!(
            text,
            "\n{:>7}  {:>4.0} %  {:>7.0} %  {}{}",
            line.visits,
            100.0 * line.prior,
            expected_percent(line.chances),
            moves_of(line),
            line.words.as_ref().map_or(String::new(), |words| format!("  ({words})"))
        );
    }
    text
}

/// What the opponent would do if it were its turn.
pub fn threat_text(analysis: &Analysis) -> String {
    match analysis.lines.first() {
        Some(line) => {
            let words = line.words.as_ref().unwrap_or(&analysis.words);
            format!("the opponent would play {}: {words}", moves_of(line))
        }
        None => "the opponent threatens nothing".to_owned(),
    }
}

/// The move and the replies expected.
pub fn moves_of(line: &LineView) -> String {
    let shown: Vec<String> = line.moves.iter().take(SHOWN_PLIES).map(ToString::to_string).collect();
    shown.join(" ") + if line.moves.len() > SHOWN_PLIES { " …" } else { "" }
}

/// The chances in whole per cent that sum to a hundred.
pub fn chances_text(chances: Chances) -> String {
    let (attackers, draw) = ((100.0 * chances.attackers).round(), (100.0 * chances.draw).round());
    format!("attackers {attackers:.0} %, draw {draw:.0} %, defenders {:.0} %", 100.0 - attackers - draw)
}

/// The attackers' chances, a draw counted as half a win.
pub fn expected_percent(chances: Chances) -> f32 {
    100.0 * (chances.attackers + chances.draw / 2.0)
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
