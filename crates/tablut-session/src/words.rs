//! What happens in a game, in plain English.

use crate::report::{Alarm, GameEnding, MoveReport};
use std::fmt::Write as _;
use tablut_rules::{Piece, Side};

/// An ending as a sentence without a full stop: "the attackers win: the king is captured".
pub fn ending(ending: GameEnding) -> String {
    let why = why(ending);
    match ending.winner {
        Some(side) => format!("the {side} win: {why}"),
        None => format!("a draw: {why}"),
    }
}

/// Why a game ended.
fn why(ending: GameEnding) -> String {
    match (ending.reason, ending.winner) {
        ("king-captured", _) => "the king is captured".to_owned(),
        ("king-escaped", _) => "the king has escaped".to_owned(),
        ("no-moves", Some(winner)) => format!("the {} cannot move", winner.opponent()),
        ("repetition", Some(winner)) => {
            format!("the {} have brought the position about once too often", winner.opponent())
        }
        ("repetition", None) => "the position has recurred".to_owned(),
        ("aggressor", Some(winner)) => format!("the {} keep repeating a threat", winner.opponent()),
        ("no-captures", _) => "too long without a capture".to_owned(),
        ("ply-limit", _) => "the game has reached its greatest length".to_owned(),
        ("resigned", Some(winner)) => format!("the {} have resigned", winner.opponent()),
        (other, _) => other.replace('-', " "),
    }
}

/// A piece and its side: "attacker", "defender", "king".
pub fn piece(piece: Piece) -> &'static str {
    match piece {
        Piece::Attacker => "attacker",
        Piece::Defender => "defender",
        Piece::King => "king",
    }
}

/// A side's name.
pub fn side(side: Side) -> &'static str {
    match side {
        Side::Attackers => "attackers",
        Side::Defenders => "defenders",
    }
}

/// A move and its effects, in sentences that can be read aloud.
pub fn said(report: &MoveReport) -> String {
    let moved = match report.piece {
        Piece::King => "King",
        Piece::Attacker => "Attacker",
        Piece::Defender => "Defender",
    };
    let mut text = format!("{moved} from {} to {}", report.mv.from, report.mv.to);
    for (place, (square, captured)) in report.captured.iter().enumerate() {
        text += if place == 0 { ", captures the " } else { " and the " };
        let _ = write!(text, "{} on {square}", piece(*captured));
    }
    text.push('.');
    match report.alarm {
        Some(Alarm::Raichi) => text += " Raichi: the king has a way out.",
        Some(Alarm::Tuichi) => text += " Tuichi: the king has more than one way out.",
        None => {}
    }
    text
}

/// How often a position has occurred before. `None` if it has not.
pub fn occurrences(occurrences: u32) -> Option<String> {
    match occurrences {
        0 => None,
        1 => Some("This position has come up once before.".to_owned()),
        n => Some(format!("This position has come up {n} times before.")),
    }
}

/// A text with a capital first letter.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
