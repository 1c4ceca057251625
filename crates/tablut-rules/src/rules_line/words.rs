//! Reads the words of a line of rules one by one.

use std::collections::BTreeMap;

use super::Kinds;
use crate::bitboard::Bitboard;
use crate::board::{BoardSize, Square};
use crate::position::Position;
use crate::ruleset::Landing;
use crate::side::Side;

/// A message shows at most this many characters of a text.
const SHOWN: usize = 40;
/// No line of rules is longer.
const MAX_BYTES: usize = 4096;

/// The rules of a line that have not been read yet, and the errors found so far.
pub(super) struct Words<'a> {
    pub(super) values: BTreeMap<&'a str, &'a str>,
    pub(super) faults: Vec<String>,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        let mut words = Self { values: BTreeMap::new(), faults: Vec::new() };
        if line.len() > MAX_BYTES {
            words.fault(format!("a line of rules of {} bytes, expected at most {MAX_BYTES}", line.len()));
            return words;
        }
        for word in line.split_whitespace() {
            match word.split_once(':') {
                None => words.fault(format!("{:?}, expected a rule such as esc:e", shown(word))),
                Some((key, value)) => {
                    if words.values.insert(key, value).is_some() {
                        words.fault(format!("{}: is given twice", shown(key)));
                    }
                }
            }
        }
        words
    }

    pub(super) fn fault(&mut self, fault: impl Into<String>) {
        self.faults.push(fault.into());
    }

    pub(super) fn take(&mut self, key: &str, default: &'a str) -> &'a str {
        self.values.remove(key).unwrap_or(default)
    }

    /// One of several values. The first is the default.
    pub(super) fn choice<T: Copy>(&mut self, key: &'a str, choices: &[(&'a str, T)]) -> T {
        let (default, first) = choices[0];
        let value = self.take(key, default);
        let Some((_, choice)) = choices.iter().find(|(name, _)| *name == value) else {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.fault(format!("{key}:{}, expected {}", shown(value), names.join(" or ")));
            return first;
        };
        *choice
    }

    /// Checks that a rule of other games is off.
    pub(super) fn off(&mut self, key: &str, what: &str) {
        let value = self.take(key, "n");
        if value != "n" {
            self.fault(format!("{key}:{}, but no game here has {what}; expected n", shown(value)));
        }
    }

    pub(super) fn kinds(&mut self, key: &str, default: &'a str) -> Kinds {
        let value = self.take(key, default);
        if let Some(stranger) = value.chars().find(|&letter| !"tcnkmgTCNKMG".contains(letter)) {
            self.fault(format!("{key}: {stranger:?} is no kind of piece, expected letters of tcnkmgTCNKMG"));
        }
        let lists = |letter: char| value.contains(letter);
        Kinds { attacker: lists('t'), defender: lists('T'), king: lists('K') }
    }

    /// Who may land: all pieces, only the king, or nobody.
    pub(super) fn landing(&mut self, key: &str, kinds: Kinds) -> Landing {
        match kinds {
            Kinds::NONE => Landing::Nobody,
            Kinds::KING => Landing::King,
            Kinds::ALL => Landing::Anyone,
            _ => {
                self.fault(format!("{key}:{kinds}, expected tTK, K or nothing"));
                Landing::Nobody
            }
        }
    }

    /// Squares, or `None` if the line does not name them.
    pub(super) fn squares(&mut self, key: &str) -> Option<Bitboard> {
        let value = self.values.remove(key).filter(|value| *value != "default")?;
        let mut squares = Bitboard::EMPTY;
        for name in value.split(',').filter(|name| !name.is_empty()) {
            match name.parse::<Square>() {
                Ok(square) => squares.insert(square),
                Err(error) => self.fault(format!("{key}: {error}")),
            }
        }
        Some(squares)
    }

    /// The board's size, or `None` after a fault.
    pub(super) fn size(&mut self) -> Option<BoardSize> {
        let Some(text) = self.values.remove("dim") else {
            self.fault("no size, expected dim:7, dim:9 or dim:11");
            return None;
        };
        match text.parse().map(BoardSize::of_width) {
            Ok(Ok(size)) => Some(size),
            Ok(Err(error)) => {
                self.fault(format!("dim:{}, {error}", shown(text)));
                None
            }
            Err(_) => {
                self.fault(format!("dim:{}, expected dim:7, dim:9 or dim:11", shown(text)));
                None
            }
        }
    }

    pub(super) fn first(&mut self) -> Side {
        self.choice("atkf", &[("y", Side::Attackers), ("n", Side::Defenders)])
    }

    pub(super) fn start(&mut self, first: Side, size: Option<BoardSize>) -> Option<Position> {
        let (upwards, downwards) = (self.values.remove("start"), self.values.remove("starti"));
        let rows = match (upwards, downwards) {
            (Some(rows), None) | (None, Some(rows)) => rows,
            (None, None) => {
                self.fault("no start position, expected start:/…/");
                return None;
            }
            (Some(_), Some(_)) => {
                self.fault("start: and starti: together, expected one of them");
                return None;
            }
        };
        let Some(inner) = rows.strip_prefix('/') else {
            self.fault(format!("start:{}, expected rows between slashes", shown(rows)));
            return None;
        };
        let rows = if upwards.is_some() { rows } else { inner.strip_suffix('/').unwrap_or(inner) };
        match Position::read(rows, Some(first)) {
            Ok(position) if position.king().is_some() => match size {
                Some(size) if size != position.size() => {
                    self.fault(format!("start: {} squares, expected {size} as in dim", position.size()));
                    None
                }
                _ => Some(position),
            },
            Ok(_) => {
                self.fault("start: there is no king");
                None
            }
            Err(error) => {
                self.fault(error.to_string());
                None
            }
        }
    }
}

pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

pub(super) fn names(squares: Bitboard) -> String {
    squares.iter().map(|square| square.to_string()).collect::<Vec<_>>().join(",")
}
