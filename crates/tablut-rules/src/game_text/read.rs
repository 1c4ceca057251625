//! Reads games from text.

use std::collections::HashMap;
use std::str::FromStr;

use super::{GameText, GameTextError, WrittenMove};
use crate::board::Square;
use crate::move_text::MoveText;
use crate::position::Position;
use crate::rules_line::read_start;
use crate::text::shown;

impl FromStr for GameText {
    type Err = GameTextError;

    fn from_str(text: &str) -> Result<GameText, GameTextError> {
        let mut reader = Reader { text, rest: text, ..Reader::default() };
        let fault = match reader.read() {
            Ok(()) => return Ok(reader.game),
            Err(fault) => fault,
        };
        let number = text[..text.len() - reader.rest.len()].matches('\n').count() + 1;
        Err(GameTextError::Line { number, reason: fault })
    }
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    game: GameText,
    /// The last move of the current line.
    last: Option<usize>,
    /// The moves since the last number. A comment has one part for each of them.
    turn: Vec<usize>,
    /// Whether the first move or its number has been read. Brackets before it are tags, brackets after it comments.
    in_moves: bool,
    /// The last moves of the lines that open parentheses interrupt.
    left: Vec<Option<usize>>,
    /// The moves of each line, by the line's address. A line starts with the first move of its first turn. The main
    /// line's address is empty.
    lines: HashMap<String, Vec<Option<usize>>>,
    address: String,
    /// The from square of a move whose to square has not been read yet.
    from: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), String> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let Some(first) = self.rest.chars().next() else { break };
            let at_line_start =
                self.text[..self.text.len() - self.rest.len()].trim_end_matches([' ', '\t', '\u{feff}']);
            if !self.in_moves && (at_line_start.is_empty() || at_line_start.ends_with(['\n', '\r'])) && self.header()? {
                continue;
            }
            match first {
                '[' => {
                    let inside = self.enclosed(']')?;
                    match (self.in_moves, tag(inside)) {
                        (false, Some((name, value))) => self.tag(name, value)?,
                        (false, None) => return Err(format!("{:?}, expected a tag such as [result:1]", shown(inside))),
                        (true, _) => self.comments(inside),
                    }
                }
                '{' => {
                    let inside = self.enclosed('}')?.trim();
                    self.comment(self.last, inside);
                }
                '(' => {
                    let last = self.last.ok_or("a variation before the first move")?;
                    self.left.push(self.last);
                    self.last = self.game.moves[last].parent;
                    self.skip(1);
                }
                ')' => {
                    self.last = self.left.pop().ok_or("a ) without its (")?;
                    self.skip(1);
                }
                _ => {
                    let end = self.rest.find(|c: char| c.is_whitespace() || "[]{}()".contains(c));
                    let word = &self.rest[..end.unwrap_or(self.rest.len()).max(first.len_utf8())];
                    let taken = self.word(word)?;
                    self.skip(taken);
                }
            }
        }
        if let Some(from) = self.from {
            return Err(format!("{from:?} is a square, expected a move such as d1-d3"));
        }
        if self.left.is_empty() { Ok(()) } else { Err("a ( without its )".to_owned()) }
    }

    fn skip(&mut self, n_bytes: usize) {
        self.rest = &self.rest[n_bytes..];
    }

    /// The text between a bracket, which comes next, and `close`.
    fn enclosed(&mut self, close: char) -> Result<&'a str, String> {
        let end = self.rest.find(close).ok_or_else(|| format!("a {} without its {close}", &self.rest[..1]))?;
        let inside = &self.rest[1..end];
        self.skip(end + 1);
        Ok(inside)
    }

    /// Reads a header line, such as `Tablut, kvasir rules`, as a tag. Returns whether the line is one.
    fn header(&mut self) -> Result<bool, String> {
        let line = self.rest.lines().next().unwrap_or_default();
        let trimmed = line.trim_end();
        if trimmed.starts_with("dim:") {
            self.tag("rules", trimmed)?;
        } else if let Some(name) = trimmed.strip_prefix("Tablut, ").and_then(|rest| rest.strip_suffix(" rules")) {
            self.tag("variant", name)?;
        } else if let Some(position) = trimmed.strip_prefix("Position:") {
            self.tag("position", position)?;
        } else if trimmed.starts_with('/') || trimmed.parse::<Position>().is_ok() {
            self.tag("position", trimmed)?;
        } else {
            return Ok(false);
        }
        self.skip(line.len());
        Ok(true)
    }

    fn tag(&mut self, name: &str, value: &str) -> Result<(), String> {
        let (name, value) = (name.trim(), value.trim());
        let first = self.game.start.map(|start| start.side_to_move());
        match name {
            "rules" if self.game.rules_line.is_some() => return Err("a second line of rules".to_owned()),
            // They could not be written between the brackets of the tag.
            "rules" if value.contains(['[', ']']) => return Err("a bracket in the line of rules".to_owned()),
            "rules" => {
                let start = read_start(value)?;
                self.game.start.get_or_insert(start);
                self.game.rules_line = Some(value.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            "position" => self.game.start = Some(Position::read(value, first).map_err(|error| error.to_string())?),
            _ => self.game.tags.push((name.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    /// Reads a word of the move list. Returns the number of bytes read.
    fn word(&mut self, word: &'a str) -> Result<usize, String> {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let dots = |text: &str| text.len() - text.trim_start_matches('.').len();
        if digits > 0 {
            self.in_moves = true;
            self.turn.clear();
            let is_address =
                word[digits..].starts_with(|c: char| c.is_ascii_lowercase()) && word[digits..].contains('.');
            if is_address {
                let has_filler = self.rest[word.len()..].trim_start().starts_with("..");
                self.variation(word.trim_end_matches('.'), has_filler)?;
                return Ok(word.len());
            }
            if self.left.is_empty() && !self.address.is_empty() {
                self.address.clear();
                self.last = self.lines.get("").and_then(|line| line.last().copied().flatten());
            }
            let n_dots = dots(&word[digits..]);
            return match (n_dots, &word[digits + n_dots..]) {
                (0, rest) if !rest.is_empty() => {
                    Err(format!("{:?}, expected a number such as 1. or a move", shown(word)))
                }
                _ => Ok(digits + n_dots),
            };
        }
        if dots(word) == word.len() {
            return Ok(word.len());
        }
        if let Some(from) = self.from.take() {
            let both = format!("{from}-{word}");
            let text = both.parse().map_err(|_| format!("{:?}, expected a move such as d1-d3", shown(&both)))?;
            return self.push(text).map(|()| word.len());
        }
        if word == "---" || word.eq_ignore_ascii_case("resigns") {
            self.game.resigned |= self.left.is_empty() && self.address.is_empty();
            return Ok(word.len());
        }
        let square = word.strip_prefix(['K', 'k', 'T', 't']).unwrap_or(word).to_ascii_lowercase();
        if square.parse::<Square>().is_ok() {
            self.from = Some(word);
            return Ok(word.len());
        }
        if self.in_moves && (word == "The" || word == "A") {
            return Ok(self.sentence());
        }
        let text = word.parse().map_err(|error: crate::MoveError| {
            let is_main = self.left.is_empty() && self.address.is_empty();
            let ply = self.lines.get("").map_or(0, Vec::len) + 1;
            if is_main { format!("ply {ply}: {error}") } else { error.to_string() }
        })?;
        self.push(text).map(|()| word.len())
    }

    /// Reads the result that `save` writes in the last line, such as "The attackers win: the defenders have resigned."
    /// Returns the number of bytes read.
    fn sentence(&mut self) -> usize {
        let line = self.rest.lines().next().unwrap_or_default();
        if self.game.tag("result").is_none() {
            let results = [("The attackers win", "1"), ("The defenders win", "-1"), ("A draw", "0")];
            let result = results.iter().find(|(words, _)| line.starts_with(words)).map_or("?", |(_, result)| result);
            self.game.tags.push(("result".to_owned(), result.to_owned()));
            self.game.tags.push(("termination".to_owned(), line.trim_end().to_owned()));
        }
        line.len()
    }

    fn push(&mut self, text: MoveText) -> Result<(), String> {
        if self.game.resigned && self.left.is_empty() && self.address.is_empty() {
            return Err(format!("the move {text} comes after a resignation"));
        }
        self.in_moves = true;
        let at = self.game.moves.len();
        self.game.moves.push(WrittenMove { parent: self.last, text, comment: String::new() });
        self.turn.push(at);
        self.last = Some(at);
        if self.left.is_empty() {
            self.lines.entry(self.address.clone()).or_default().push(Some(at));
        }
        Ok(())
    }

    /// Makes the line with an address such as `3b.1.2a` the current line: turn 2 of the first variation at move 3b.
    ///
    /// OpenTafl's specification names the move that the variation replaces. Its program does so for variations of the
    /// main line. For a variation of a variation the program names the move before the replaced one. The first turn
    /// tells the two apart: a filler (`.....`) means that the second side of the turn moves.
    fn variation(&mut self, text: &str, has_filler: bool) -> Result<(), String> {
        let wrong = || format!("{:?}, expected the address of a variation such as 3b.1.1a", shown(text));
        let parts: Vec<&str> = text.split('.').collect();
        let (Some((turn, line)), true) = (parts.split_last(), parts.len() % 2 == 1 && parts.len() > 1) else {
            return Err(wrong());
        };
        let (turn, branch) = (place(turn).ok_or_else(wrong)?, place(line[line.len() - 2]).ok_or_else(wrong)?);
        let (parent, address) = (line[..line.len() - 2].join("."), line.join("."));
        if !self.lines.contains_key(&address) {
            let above = self.lines.get(&parent).map(Vec::as_slice).unwrap_or_default();
            let branch = if (branch % 2 == 1) == has_filler { branch } else { branch + 1 };
            if branch > above.len() {
                return Err(format!("a variation at {}, where there is no move", line[line.len() - 2]));
            }
            // The line of a variation starts with the turn in which it branches off.
            let shared = above[branch - branch % 2..branch].to_vec();
            self.last = if branch == 0 { self.parent_of_line(&parent) } else { above[branch - 1] };
            self.lines.insert(address.clone(), shared);
        } else if turn == self.lines[&address].len() {
            self.last = self.lines[&address].last().copied().flatten();
        } else {
            return Err(format!("{:?} does not follow the last turn of its variation", shown(text)));
        }
        self.address = address;
        Ok(())
    }

    /// The move before the first turn of a line.
    fn parent_of_line(&self, address: &str) -> Option<usize> {
        let first = self.lines.get(address)?.first().copied().flatten()?;
        self.game.moves[first].parent
    }

    /// Adds the parts of a comment to the moves of the turn.
    fn comments(&mut self, inside: &str) {
        let last = self.turn.last().copied().or(self.last);
        for (index, part) in inside.split('|').enumerate() {
            let at = self.turn.get(index).copied().or(last);
            self.comment(at, part.trim());
        }
    }

    /// Adds a comment to a move, or to the start if `at` is `None`.
    fn comment(&mut self, at: Option<usize>, text: &str) {
        let start = "start-comment";
        let comment = if let Some(at) = at {
            &mut self.game.moves[at].comment
        } else {
            let tags = &mut self.game.tags;
            let known = tags.iter().position(|(name, _)| name == start).unwrap_or(tags.len());
            if known == tags.len() {
                tags.push((start.to_owned(), String::new()));
            }
            &mut tags[known].1
        };
        if !comment.is_empty() && !text.is_empty() {
            comment.push(' ');
        }
        comment.push_str(text);
    }
}

/// Splits `name:value`.
fn tag(inside: &str) -> Option<(&str, &str)> {
    let (name, value) = inside.split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ';
    (name.len() <= 40 && name.chars().all(is_name)).then_some((name, value))
}

/// The index of a move in its line, from 0: `1a` is 0, `1b` is 1, `2a` is 2.
fn place(text: &str) -> Option<usize> {
    let letter = text.chars().last().filter(|c| ('a'..='b').contains(c))?;
    let turn: usize = text[..text.len() - 1].parse().ok().filter(|turn| (1..=1 << 20).contains(turn))?;
    Some(2 * (turn - 1) + usize::from(letter == 'b'))
}
