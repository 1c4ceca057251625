//! Moves, endings and proofs in plain English.

use crate::report::{Alarm, GameEnding, MoveReport};
use std::fmt::Write as _;
use tablut_rules::{BoardSize, Side};
use tablut_search::Proof;

/// An ending as a sentence without a full stop: "the attackers win: the king is captured".
pub fn ending(ending: GameEnding) -> String {
    let why = reason(ending);
    match ending.winner {
        Some(side) => format!("the {side} win: {why}"),
        None => format!("a draw: {why}"),
    }
}

/// Why a game has ended: "the king is captured".
pub fn reason(ending: GameEnding) -> String {
    match (ending.reason, ending.winner) {
        ("king-captured", _) => "the king is captured".to_owned(),
        ("king-escaped", _) => "the king has escaped".to_owned(),
        ("no-moves", Some(winner)) => format!("the {} cannot move", winner.opponent()),
        ("encirclement", _) => "the king and the defenders are encircled".to_owned(),
        ("exit-fort", _) => "the king has an exit fort".to_owned(),
        // Under some rules the side that has not repeated it loses.
        ("repetition", Some(_)) => "the position was repeated too often".to_owned(),
        ("repetition", None) => "the position was repeated".to_owned(),
        ("aggressor", Some(winner)) => format!("the {} keep repeating a threat", winner.opponent()),
        ("no-captures", _) => "too many plies without a capture".to_owned(),
        ("ply-limit", _) => "the game has reached its maximum length".to_owned(),
        ("out-of-time", Some(winner)) => format!("the {} are out of time", winner.opponent()),
        ("agreed", _) => "both sides have agreed".to_owned(),
        ("resigned", Some(winner)) => format!("the {} have resigned", winner.opponent()),
        (other, _) => other.replace('-', " "),
    }
}

/// A proven result in words, if `to_move` is to move: "the attackers win in 3".
pub fn proven(proof: Proof, to_move: Side) -> String {
    match proof.winner {
        None => "a draw is certain".to_owned(),
        Some(_) if proof.plies == 0 => "the game is over".to_owned(),
        // The side to move plays the first and the last ply of its win.
        Some(winner) if winner == to_move => format!("the {winner} win in {}", proof.plies.div_ceil(2)),
        Some(winner) => format!("the {winner} win in {} against any move", (proof.plies / 2).max(1)),
    }
}

/// A move and its effects, in sentences that can be read aloud.
pub fn describe_move(report: &MoveReport) -> String {
    let moved = capitalize(&report.piece.to_string());
    let mut text = format!("{moved} from {} to {}", report.mv.from, report.mv.to);
    for (place, (square, captured)) in report.captured.iter().enumerate() {
        text += if place == 0 { ", captures the " } else { " and the " };
        let _ = write!(text, "{captured} on {square}");
    }
    text.push('.');
    match report.alarm {
        Some(Alarm::Raichi) => text += " Raichi: the king has one escape route.",
        Some(Alarm::Tuichi) => text += " Tuichi: the king has more than one escape route.",
        None => {}
    }
    text
}

/// How often a position has occurred before. `None` if it has not.
pub fn occurrences(occurrences: u32) -> Option<String> {
    match occurrences {
        0 => None,
        1 => Some("This position has occurred once before.".to_owned()),
        n => Some(format!("This position has occurred {n} times before.")),
    }
}

/// A rule set's name as a title: "Kvasir rules".
pub fn title(rules: &str) -> String {
    let name = rules.replace('-', " ");
    let name = name.strip_suffix("rules").map_or(name.as_str(), str::trim_end);
    capitalize(format!("{name} rules").trim_start())
}

/// The name of the game that is played most on a board of this size.
pub const fn board(size: BoardSize) -> &'static str {
    ["Brandubh", "Tablut", "Hnefatafl"][size.index()]
}

/// The first 40 characters of a text, for messages.
pub fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use tablut_rules::Side;
    use tablut_search::Proof;

    #[test]
    fn proofs_count_the_winners_moves() {
        let proof = |winner, plies| Proof { winner, plies, from_history: false };
        let words = |winner, plies| super::proven(proof(Some(winner), plies), Side::Attackers);
        assert_eq!(words(Side::Attackers, 1), "the attackers win in 1");
        assert_eq!(words(Side::Attackers, 5), "the attackers win in 3");
        assert_eq!(words(Side::Defenders, 2), "the defenders win in 1 against any move");
        assert_eq!(words(Side::Defenders, 6), "the defenders win in 3 against any move");
        assert_eq!(super::proven(proof(None, 4), Side::Attackers), "a draw is certain");
    }

    #[test]
    fn a_title_names_rules_once() {
        let titles = ["kvasir", "tawlbwrdd-lewis", "my rules", "rules"].map(super::title);
        assert_eq!(titles, ["Kvasir rules", "Tawlbwrdd lewis rules", "My rules", "Rules"]);
    }
}
