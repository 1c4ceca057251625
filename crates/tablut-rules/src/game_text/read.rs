//! Reads games from text. Each byte is looked at a fixed number of times, so the work is linear in the text's length.

use std::collections::HashMap;
use std::str::FromStr;

use super::{GameText, GameTextError, WrittenMove};
use crate::board::Square;
use crate::move_text::{MoveText, is_separator};
use crate::position::Position;
use crate::rules_line::read_start;
use crate::text::{is_invisible, shown};

/// The maximum number of moves, with those of variations, and of tags. More than any game or collection of lines has.
const MAX_ITEMS: usize = 1 << 16;

/// The PGN's numbers for the marks of moves: `$1` is `!`.
const MARKS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

impl FromStr for GameText {
    type Err = GameTextError;

    fn from_str(text: &str) -> Result<GameText, GameTextError> {
        let mut reader = Reader { rest: text, lines: vec![Vec::new()], ..Reader::default() };
        reader.addresses.insert("", 0);
        let Err(reason) = reader.read() else { return Ok(reader.game) };
        let number = text[..text.len() - reader.rest.len()].matches('\n').count() + 1;
        Err(GameTextError::Line { number, reason })
    }
}

#[derive(Default)]
struct Reader<'a> {
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
    /// The moves of each line. A line starts with the first move of its first turn. The main line is the first.
    lines: Vec<Vec<Option<usize>>>,
    /// The indices of the lines by their addresses. The main line's address is empty.
    addresses: HashMap<&'a str, usize>,
    /// The index of the current line, outside of parentheses.
    line: usize,
    /// The from square of a move whose to square has not been read yet.
    from: Option<&'a str>,
    /// The comments on the first move of a variation, which has not been read yet. `None` elsewhere.
    ahead: Option<String>,
    /// The index of the tag with the comment on the start.
    start_comment: Option<usize>,
    has_result: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), String> {
        let mut at_line_start = true;
        loop {
            let word = self.rest.trim_start_matches(is_space);
            let gap = &self.rest[..self.rest.len() - word.len()];
            at_line_start |= gap.contains(['\n', '\r']);
            self.rest = word;
            let Some(first) = self.rest.chars().next() else { break };
            if std::mem::take(&mut at_line_start) && !self.in_moves && self.header()? {
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
                ';' => {
                    let comment = self.skip_line()[1..].trim();
                    self.comment(self.last, comment);
                }
                '(' => {
                    let last = self.last.ok_or("a variation before the first move")?;
                    self.left.push(self.last);
                    self.last = self.game.moves[last].parent;
                    self.ahead.get_or_insert_default();
                    self.skip(1);
                }
                ')' => {
                    self.last = self.left.pop().ok_or("a ) without its (")?;
                    self.place_comment_ahead();
                    self.skip(1);
                }
                '0'..='9' => self.number()?,
                _ => self.word()?,
            }
        }
        self.place_comment_ahead();
        if let Some(from) = self.from {
            return Err(format!("{from:?} is a square, expected a move such as d1-d3"));
        }
        if self.left.is_empty() { Ok(()) } else { Err("a ( without its )".to_owned()) }
    }

    /// Skips bytes and returns them.
    fn skip(&mut self, n_bytes: usize) -> &'a str {
        let skipped;
        (skipped, self.rest) = self.rest.split_at(n_bytes);
        skipped
    }

    fn skip_line(&mut self) -> &'a str {
        self.skip(self.rest.find(['\n', '\r']).unwrap_or(self.rest.len()))
    }

    /// The bytes of the word that comes next, at least one character.
    fn word_bytes(&self) -> usize {
        let end = self.rest.find(|c: char| is_space(c) || "[]{}();".contains(c)).unwrap_or(self.rest.len());
        end.max(self.rest.chars().next().map_or(0, char::len_utf8))
    }

    /// The text between a bracket, which comes next, and `close`.
    fn enclosed(&mut self, close: char) -> Result<&'a str, String> {
        let end = self.rest.find(close).ok_or_else(|| format!("a {} without its {close}", &self.rest[..1]))?;
        Ok(&self.skip(end + 1)[1..end])
    }

    /// Reads a header line, such as `Tablut, kvasir rules`, as a tag. Returns whether the line is one.
    fn header(&mut self) -> Result<bool, String> {
        let before = self.rest;
        let line = self.skip_line().trim_end();
        if line.starts_with("dim:") {
            self.tag("rules", line)?;
        } else if let Some(name) = line.strip_prefix("Tablut, ").and_then(|rest| rest.strip_suffix(" rules")) {
            self.tag("variant", name)?;
        } else if let Some(position) = line.strip_prefix("Position:") {
            self.tag("position", position)?;
        } else if line.starts_with('/')
            || line.starts_with(char::is_alphanumeric) && line.contains('/') && line.parse::<Position>().is_ok()
        {
            self.tag("position", line)?;
        } else {
            self.rest = before;
            return Ok(false);
        }
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
            _ if self.game.tags.len() == MAX_ITEMS => return Err(format!("more than {MAX_ITEMS} tags")),
            _ => {
                self.has_result |= name == "result";
                if name == START_COMMENT {
                    self.start_comment.get_or_insert(self.game.tags.len());
                }
                self.game.tags.push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    /// Reads a number such as `1.`, or the address of a variation.
    fn number(&mut self) -> Result<(), String> {
        self.in_moves = true;
        self.turn.clear();
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let after = &self.rest[digits..];
        if after.starts_with(|c: char| c.is_ascii_lowercase()) {
            let word = &self.rest[..self.word_bytes()];
            if word.contains('.') {
                let filler = self.rest[word.len()..].trim_start();
                self.variation(word.trim_end_matches('.'), filler.starts_with("..") || filler.starts_with('…'))?;
                self.skip(word.len());
                return Ok(());
            }
        }
        if self.left.is_empty() && self.line != 0 {
            self.place_comment_ahead();
            self.line = 0;
            self.last = self.lines[0].last().copied().flatten();
        }
        let rest = after.trim_start_matches(is_dot);
        if rest.len() == after.len() && !rest.is_empty() && !rest.starts_with(|c| is_space(c) || "[]{}();".contains(c))
        {
            let word = &self.rest[..self.word_bytes()];
            return Err(format!("{:?}, expected a number such as 1. or a move", shown(word)));
        }
        self.rest = rest;
        Ok(())
    }

    /// Reads a word of the move list that does not begin with a digit.
    fn word(&mut self) -> Result<(), String> {
        let whole = &self.rest[..self.word_bytes()];
        let word = whole.trim_end_matches(['!', '?']);
        let mark = &whole[word.len()..];
        if word.chars().all(is_dot) || self.from.is_some() && word.chars().all(is_separator) {
            self.comment(self.last, mark);
        } else if let Some(from) = self.from.take() {
            let both = format!("{from}-{}", word.trim_start_matches(is_separator));
            let text = both.parse().map_err(|_| format!("{:?}, expected a move such as d1-d3", shown(&both)))?;
            self.push(text, mark)?;
        } else if word == "---" || word.eq_ignore_ascii_case("resigns") {
            self.game.resigned |= self.left.is_empty() && self.line == 0;
        } else if let Some(number) = word.strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok()) {
            let mark = number.checked_sub(1).and_then(|place| MARKS.get(place));
            self.comment(self.last, mark.unwrap_or(&word));
        } else if is_square(word) {
            self.from = Some(word.trim_end_matches(is_separator));
        } else if self.in_moves && (word == "The" || word == "A") {
            self.sentence();
            return Ok(());
        } else {
            let text = word.parse().map_err(|error: crate::MoveError| {
                let is_main = self.left.is_empty() && self.line == 0;
                let ply = self.lines[0].len() + 1;
                if is_main { format!("ply {ply}: {error}") } else { error.to_string() }
            })?;
            self.push(text, mark)?;
        }
        self.skip(whole.len());
        Ok(())
    }

    /// Reads the result that `save` writes in the last line, such as "The attackers win: the defenders have resigned."
    fn sentence(&mut self) {
        let line = self.skip_line();
        if !std::mem::replace(&mut self.has_result, true) {
            let results = [("The attackers win", "1"), ("The defenders win", "-1"), ("A draw", "0")];
            let result = results.iter().find(|(words, _)| line.starts_with(words)).map_or("?", |(_, result)| result);
            self.game.tags.push(("result".to_owned(), result.to_owned()));
            self.game.tags.push(("termination".to_owned(), line.trim_end().to_owned()));
        }
    }

    fn push(&mut self, text: MoveText, mark: &str) -> Result<(), String> {
        if self.game.resigned && self.left.is_empty() && self.line == 0 {
            return Err(format!("the move {text} comes after a resignation"));
        }
        let at = self.game.moves.len();
        if at == MAX_ITEMS {
            return Err(format!("more than {MAX_ITEMS} moves"));
        }
        self.in_moves = true;
        self.game.moves.push(WrittenMove { parent: self.last, text, comment: mark.to_owned() });
        self.turn.push(at);
        self.last = Some(at);
        if self.left.is_empty() {
            self.lines[self.line].push(Some(at));
        }
        self.place_comment_ahead();
        Ok(())
    }

    /// Gives the comment before a variation's first move to the last move.
    fn place_comment_ahead(&mut self) {
        if let Some(comment) = self.ahead.take() {
            self.comment(self.last, &comment);
        }
    }

    /// Makes the line with an address such as `3b.1.2a` the current line: turn 2 of the first variation at move 3b.
    ///
    /// OpenTafl's specification names the move that the variation replaces. Its program does so for variations of the
    /// main line. For a variation of a variation the program names the move before the replaced one. The first turn
    /// tells the two apart: a filler (`.....`) means that the second side of the turn moves.
    fn variation(&mut self, text: &'a str, has_filler: bool) -> Result<(), String> {
        let wrong = || format!("{:?}, expected the address of a variation such as 3b.1.1a", shown(text));
        self.place_comment_ahead();
        // `1b.2.3b.1.4a` is turn `4a` of the line `1b.2.3b.1`, which leaves the line `1b.2` at `3b`.
        let (address, turn) = text.rsplit_once('.').ok_or_else(wrong)?;
        let (left_at, number) = address.rsplit_once('.').ok_or_else(wrong)?;
        let (parent, branch_text) = left_at.rsplit_once('.').unwrap_or(("", left_at));
        let (turn, branch) = (place(turn).ok_or_else(wrong)?, place(branch_text).ok_or_else(wrong)?);
        number.parse::<u32>().map_err(|_| wrong())?;
        if let Some(&line) = self.addresses.get(address) {
            if turn != self.lines[line].len() {
                return Err(format!("{:?} does not follow the last turn of its variation", shown(text)));
            }
            self.line = line;
            self.last = self.lines[line].last().copied().flatten();
            return Ok(());
        }
        let no_move = || format!("a variation at {}, where there is no move", shown(left_at));
        let above = &self.lines[*self.addresses.get(parent).ok_or_else(no_move)?];
        let branch = if (branch % 2 == 1) == has_filler { branch } else { branch + 1 };
        if branch > above.len() {
            return Err(no_move());
        }
        self.last = match branch {
            0 => above.first().copied().flatten().and_then(|first| self.game.moves[first].parent),
            _ => above[branch - 1],
        };
        // The line of a variation starts with the turn in which it branches off.
        let shared = above[branch - branch % 2..branch].to_vec();
        self.line = self.lines.len();
        self.lines.push(shared);
        self.addresses.insert(address, self.line);
        self.ahead = Some(String::new());
        Ok(())
    }

    /// Adds the parts of a comment to the moves of the turn.
    fn comments(&mut self, inside: &str) {
        let last = self.turn.last().copied().or(self.last);
        for (index, part) in inside.split('|').enumerate() {
            let at = self.turn.get(index).copied().or(last);
            self.comment(at, part.trim());
        }
    }

    /// Adds a comment to a move, or to the start if `at` is `None`. A comment before a variation's first move is kept
    /// for this move.
    fn comment(&mut self, at: Option<usize>, text: &str) {
        if text.is_empty() {
            return;
        }
        let comment = match (&mut self.ahead, at) {
            (Some(ahead), _) => ahead,
            (None, Some(at)) => &mut self.game.moves[at].comment,
            (None, None) => {
                let tags = &mut self.game.tags;
                let known = *self.start_comment.get_or_insert(tags.len());
                if known == tags.len() {
                    tags.push((START_COMMENT.to_owned(), String::new()));
                }
                &mut tags[known].1
            }
        };
        if !comment.is_empty() {
            comment.push(' ');
        }
        comment.push_str(text);
    }
}

/// The tag with the comment on the start.
const START_COMMENT: &str = "start-comment";

fn is_space(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// Word processors make one character of three dots.
fn is_dot(c: char) -> bool {
    matches!(c, '.' | '…')
}

/// Whether a word is the from square of a move: with or without the piece before it and a dash after it.
fn is_square(word: &str) -> bool {
    let square = word.strip_prefix(['K', 'k', 'T', 't']).unwrap_or(word).trim_end_matches(is_separator);
    square.len() == 2 && square.to_ascii_lowercase().parse::<Square>().is_ok()
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
