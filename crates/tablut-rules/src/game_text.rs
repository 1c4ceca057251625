//! Games as text: lists of moves as people write them, the output of `save` in `play`, and OpenTafl's records (OTG).
//!
//! ```text
//! [variant:masters-edge]
//! [result:-1]
//! [rules:dim:9 esc:e atkf:y … start:/3ttt3/4t4/…/3ttt3/]
//!
//! 1. d1-d3 e3-d3
//! [a comment on the first move|and one on the second]
//!
//! 1b.1.1a. ..... e3-f3
//! ```
//!
//! The last line is a variation. Its address says which move it replaces, 1b, and that it is the first variation there.
//! A variation may also stand in parentheses after the move that it replaces, and a comment in braces.

mod write;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::board::Square;
use crate::game::{Game, PositionError};
use crate::move_text::{MoveText, ReadMoveError};
use crate::position::Position;
use crate::rules::Rules;
use crate::rules_line::{RulesLine, RulesLineError, read_start};
use crate::ruleset::RuleSet;
use crate::shown::shown;
use crate::side::Side;

/// A game as a text says it. Its moves have not been played yet.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct GameText {
    /// Tags in order, such as `("variant", "masters-edge")`. The tags of the rules and the position are not among them.
    pub tags: Vec<(String, String)>,
    /// OpenTafl's line of rules.
    pub rules_line: Option<String>,
    /// The position at the start of the game. `None` if the text does not say it.
    pub start: Option<Position>,
    /// The moves of all variations, each after the move before it. The first one after a move continues the main line.
    pub moves: Vec<WrittenMove>,
    /// Whether the side to move at the end of the main line resigned (`---`).
    pub resigned: bool,
}

/// A move of a [`GameText`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WrittenMove {
    /// The index of the move before it. `None` for a first move.
    pub parent: Option<usize>,
    /// The move.
    pub text: MoveText,
    /// The comment on it, or an empty text.
    pub comment: String,
}

/// The text is not a game on this board, or the game cannot be written as a record of OpenTafl.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum GameTextError {
    /// Something in a line that cannot be read.
    Line {
        /// The line, from 1.
        number: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// The line of rules cannot be expressed by this project's rules.
    Rules(RulesLineError),
    /// The text names a rule set, and its line of rules has other rules.
    OtherRules(String),
    /// A move of the main line is not legal.
    Move {
        /// The ply, from 1.
        ply: usize,
        /// Why the move is not legal.
        reason: ReadMoveError,
    },
    /// No game can start from the position.
    Start(PositionError),
    /// The rule set has values under these keys that a line of rules cannot express.
    Inexpressible(Vec<&'static str>),
}

impl fmt::Display for GameTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { number, reason } => write!(f, "line {number}: {reason}"),
            Self::Rules(reason) => reason.fmt(f),
            Self::OtherRules(name) => {
                write!(f, "the variant {name} and the line of rules disagree; remove one of them, or choose the rules")
            }
            Self::Move { ply, reason } => write!(f, "ply {ply}: {reason}"),
            Self::Start(reason) => reason.fmt(f),
            Self::Inexpressible(keys) => {
                write!(f, "the format cannot express this rule set's {}", keys.join(", "))
            }
        }
    }
}

impl std::error::Error for GameTextError {}

impl GameText {
    /// The value of a tag, if the text has it.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The rules of the game, or `None` if the text does not say them. It fails if its variant is a built-in rule set and
    /// its line of rules disagrees.
    pub fn rule_set(&self) -> Result<Option<RuleSet>, GameTextError> {
        let named = self.tag("variant").and_then(|name| RuleSet::named(name).ok());
        let Some(line) = &self.rules_line else { return Ok(named) };
        let read: RulesLine = line.parse().map_err(GameTextError::Rules)?;
        let Some(named) = named else { return Ok(Some(read.set)) };
        let written = named.to_opentafl(&read.start).ok().and_then(|worded| worded.line.parse::<RulesLine>().ok());
        // The line of a record may leave the result of repetitions to the variant.
        let alike =
            |set: RuleSet| RuleSet { name: String::new(), source: String::new(), repetition: named.repetition, ..set };
        if written.map(|written| alike(written.set)) == Some(alike(read.set)) {
            Ok(Some(named))
        } else {
            Err(GameTextError::OtherRules(named.name))
        }
    }

    /// The side that resigned, if the tags say that one did. The tag `result` is 1 if the attackers won.
    #[must_use]
    pub fn resignation(&self) -> Option<Side> {
        let says_so = self.tag("termination").is_some_and(|words| words.to_lowercase().contains("resign"));
        match self.tag("result") {
            Some("1") if says_so => Some(Side::Defenders),
            Some("-1") if says_so => Some(Side::Attackers),
            _ => None,
        }
    }

    /// The indices of the main line's moves.
    #[must_use]
    pub fn main_line(&self) -> Vec<usize> {
        let mut line = Vec::new();
        for (index, mv) in self.moves.iter().enumerate() {
            if mv.parent == line.last().copied() {
                line.push(index);
            }
        }
        line
    }

    /// Plays the main line under the given rules. Without a start position it begins with that of the rules; if they draw
    /// the first side, the side of the first move's piece begins.
    pub fn replay(&self, rules: Arc<Rules>) -> Result<Game, GameTextError> {
        let start = self.start_under(&rules);
        let mut game = Game::from_position(rules, start).map_err(GameTextError::Start)?;
        for (index, at) in self.main_line().into_iter().enumerate() {
            let played = match game.rules().match_move(game.position(), &self.moves[at].text) {
                Ok(mv) => game.play(mv).map(|_| ()),
                Err(error) => Err(error),
            };
            played.map_err(|error| GameTextError::Move { ply: index + 1, reason: error.into() })?;
        }
        Ok(game)
    }

    /// The position at the start of the game under `rules`.
    #[must_use]
    pub fn start_under(&self, rules: &Rules) -> Position {
        self.start.unwrap_or_else(|| {
            let moved = self.moves.first().and_then(|mv| Position::start(Side::Attackers).piece_at(mv.text.from));
            let mover = || moved.map_or(Side::Attackers, crate::Piece::side);
            Position::start(rules.set().first.side().unwrap_or_else(mover))
        })
    }
}

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

/// Reads a text from front to back.
#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    game: GameText,
    /// The last move of the line that is read.
    last: Option<usize>,
    /// The moves since the last number. The parts of a comment belong to them, one each.
    turn: Vec<usize>,
    /// Whether a move or its number has been read. Brackets are tags before it, and comments after it.
    in_moves: bool,
    /// Lines that have been left for a variation in parentheses.
    left: Vec<Option<usize>>,
    /// The moves of each line by the address of its variation, from the first move of its first turn. The main line's
    /// address is empty.
    lines: HashMap<String, Vec<Option<usize>>>,
    /// The address of the line that is read.
    address: String,
    /// A square that is waiting for the square that its piece goes to.
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

    /// Reads a line before the moves that stands for a tag. Returns whether it was one.
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

    /// Reads a word of the moves. Returns how many of its bytes it has taken.
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

    /// The sentence at the end of a text by `save`: "The attackers win: the defenders have resigned."
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
            return Err(format!("{text} after a resignation"));
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

    /// Goes to the place of a variation's turn, such as `3b.1.2a`: turn 2 of the first variation at move 3b. OpenTafl's
    /// specification names the move that the variation replaces. Its program does so in the main line; in a variation
    /// it names the move before. A filler (`.....`) in the first turn says which side moves, and so which it is.
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
            // A variation has its own turns from the turn that it leaves.
            let shared = above[branch - branch % 2..branch].to_vec();
            self.last = if branch == 0 { self.before(&parent) } else { above[branch - 1] };
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
    fn before(&self, address: &str) -> Option<usize> {
        let first = self.lines.get(address)?.first().copied().flatten()?;
        self.game.moves[first].parent
    }

    /// The parts of a comment on the moves of a turn.
    fn comments(&mut self, inside: &str) {
        let last = self.turn.last().copied().or(self.last);
        for (index, part) in inside.split('|').enumerate() {
            let at = self.turn.get(index).copied().or(last);
            self.comment(at, part.trim());
        }
    }

    /// Adds a comment on a move, or on the start.
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

/// The place of a move in its line, from 0: `1a` is 0, `1b` is 1, `2a` is 2.
fn place(text: &str) -> Option<usize> {
    let letter = text.chars().last().filter(|c| ('a'..='b').contains(c))?;
    let turn: usize = text[..text.len() - 1].parse().ok().filter(|turn| (1..=1 << 20).contains(turn))?;
    Some(2 * (turn - 1) + usize::from(letter == 'b'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::MoveList;

    /// A game of moves with and without captures, played to its end.
    fn some_game(name: &str, stride: usize) -> Game {
        let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
        let mut game = Game::new(rules, Side::Attackers).with_max_plies(80);
        let mut moves = MoveList::new();
        while game.outcome().is_none() {
            game.legal_moves(&mut moves);
            game.play_trusted(moves[game.ply() as usize * stride % moves.len()]);
        }
        game
    }

    #[test]
    fn expressible_games_round_trip() {
        for name in ["masters-edge", "masters-weak-king", "ludoteka", "piecepack", "linnaeus", "kvasir"] {
            for stride in 1..40 {
                let game = some_game(name, stride);
                let record = GameText::from_game(&game).expect("an expressible rule set");
                let read: GameText = record.to_string().parse().unwrap_or_else(|e| panic!("{record}: {e}"));
                assert_eq!(read, record);
                assert_eq!(read.rule_set().map(|set| set.as_ref() == Some(game.rules().set())), Ok(true), "{record}");
                let played = read.replay(Arc::clone(game.rules())).unwrap_or_else(|e| panic!("{record}: {e}"));
                assert_eq!(played.position(), game.position(), "{name}, stride {stride}");
            }
        }
    }

    #[test]
    fn inexpressible_rules_are_named() {
        let own = Rules::new(RuleSet { name: "own".to_owned(), ..RuleSet::named("kvasir").expect("kvasir") });
        let start = Position::start(Side::Attackers);
        let error = GameText::record(&own.expect("rules"), &start).expect_err("not expressible");
        assert!(error.to_string().contains("repetition.result"), "{error}");
        for (name, key) in [("imperial", "captures.count"), ("ashton", "camps.entry")] {
            let error = GameText::from_game(&some_game(name, 7)).expect_err("not expressible");
            assert!(error.to_string().contains(key), "{name}: {error}");
        }
    }

    const RULES: &str = "[rules:dim:9 esc:e ka:n cen: cor: start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/]";

    fn read(text: &str) -> GameText {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_record_of_opentafl_is_read_whole() {
        let text = format!(
            "[event: test]\n[attackers: A, B]\n[result:-1]\n{RULES}\n[start-comment:Two\nlines, 1. and d1-d3]\n\n\
             1. a4-b4 e3-d3 \n[On the first.\n\n2. d1-d3 is no move here|and the second]\n\n1b.1.1a. ..... e3-f3\n[other]\n\n\
             1b.1.2a. d1-d2 e4-d4\n[|deep]\n\n1b.1.2b.1.1a. ..... e4-f4\n\n2. b4-a4 ..... ---\n"
        );
        let game = read(&text);
        assert_eq!((game.tag("result"), game.tag("start-comment")), (Some("-1"), Some("Two\nlines, 1. and d1-d3")));
        let parents: Vec<_> = game.moves.iter().map(|mv| (mv.text.to_string(), mv.parent)).collect();
        let expected = [
            ("a4-b4", None),
            ("e3-d3", Some(0)),
            ("e3-f3", Some(0)),
            ("d1-d2", Some(2)),
            ("e4-d4", Some(3)),
            ("e4-f4", Some(3)),
            ("b4-a4", Some(1)),
        ];
        assert_eq!(parents, expected.map(|(mv, parent)| (mv.to_owned(), parent)));
        assert_eq!(game.moves[0].comment, "On the first.\n\n2. d1-d3 is no move here");
        assert_eq!((game.moves[1].comment.as_str(), game.moves[4].comment.as_str()), ("and the second", "deep"));
        assert!(game.resigned && game.main_line() == [0, 1, 6]);
        // In a variation OpenTafl's program names the move before the one that is replaced.
        let of_program = text.replace("1b.1.2b.1.1a.", "1b.1.2a.1.1a.");
        assert_eq!(read(&of_program), game);
        assert!(game.to_string().contains("\n1b.1.2a.1.1a. ..... e4-f4\n"), "{game}");
        // Written by us, it says the same.
        assert!(game.to_string().contains("[start-comment:Two\nlines, 1.\u{a0}and d1-d3]"), "{game}");
        let again = read(&game.to_string());
        assert_eq!(again.to_string(), game.to_string());
        let found = |game: &GameText| {
            let mut moves: Vec<_> = game.moves.iter().map(|mv| (mv.text.to_string(), mv.comment.clone())).collect();
            moves.sort();
            moves
        };
        assert_eq!(found(&again), found(&game));
        let rules = Arc::new(Rules::named("masters-edge").expect("a built-in rule set"));
        assert_eq!(again.replay(rules).map(|game| game.ply()), Ok(3));
    }

    #[test]
    fn the_tag_of_a_position_begins_the_game() {
        let game = read(&format!("{RULES}\n[position:/3ttt3/9/9/9/4K4/9/9/9/9/]\n\n1. d1-d3\n"));
        assert_eq!(game.start.map(|start| start.to_string()).as_deref(), Some("9/9/9/9/4K4/9/9/9/3ttt3 a"));
        assert_eq!(read(&game.to_string()), game);
    }

    #[test]
    fn a_variant_that_disagrees_with_the_line_of_rules_is_named() {
        let rules = |variant: &str| read(&format!("[variant:{variant}]\n{RULES}\n")).rule_set();
        assert_eq!(rules("kvasir"), Err(GameTextError::OtherRules("kvasir".to_owned())));
        assert!(rules("kvasir").unwrap_err().to_string().contains("the variant kvasir and the line of rules disagree"));
        let own = rules("somebody's own").map(|set| set.map(|set| set.king.armed));
        assert_eq!(own, Ok(Some(false)), "a name that is not known here leaves the line");
    }

    #[test]
    fn moves_are_read_as_people_write_them() {
        for text in [
            "d1-d3 e3-d3",
            "\u{feff}1. d1-d3 e3-d3",
            "1.d1-d3 {a comment, with | and - in it} e3-d3",
            "1. D1-D3\n1... E3-D3",
            "d1d3\ne3d3",
            "d1 d3 e3 d3",
            "Tablut, kvasir rules\n\n1. d1-d3 {two\n\nlines} e3-d3\n\nThe defenders win: the attackers have resigned.\n",
            "1. d1-d3 (1. e2-f2 e3-f3 (1. e3-g3)) 1... e3-d3",
            "[a:b]\n1. d1-d3 e3-d3\n[x | y]",
        ] {
            let game = read(text);
            let main: Vec<String> = game.main_line().iter().map(|&at| game.moves[at].text.to_string()).collect();
            assert_eq!(main, ["d1-d3", "e3-d3"], "{text:?}");
        }
        let game = read("1. d1-d3 (1. e2-f2 {other} e3-f3 (1. e3-g3)) 1... e3-d3");
        let parents: Vec<_> = game.moves.iter().map(|mv| mv.parent).collect();
        assert_eq!(parents, [None, None, Some(1), Some(1), Some(0)]);
        let left = read("Tablut, kvasir rules\n\n1. d1-d3\n\nThe attackers win: the defenders have resigned.\n");
        assert_eq!((left.tag("variant"), left.resignation()), (Some("kvasir"), Some(Side::Defenders)));
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let fault = |text: &str| text.parse::<GameText>().expect_err("a fault").to_string();
        assert!(fault("[event x\n").starts_with("line 1: a [ without its ]"));
        assert!(fault("[event x]\n").starts_with("line 1: \"event x\", expected a tag"));
        assert!(fault("[a:b]\n[rules:dim:11 start:/9/]").starts_with("line 2: dim:11, expected dim:9"));
        assert!(fault("[a:b]\ndim:11 start:/9/").starts_with("line 2: dim:11, expected dim:9"));
        assert!(fault("dim:9 esc:e").contains("expected start:"));
        assert!(fault(&format!("{RULES}\n\n1. d1^d3\n")).starts_with("line 3: ply 1: \"d1^d3\" is no move"));
        assert!(fault(&format!("{RULES}\n1. --- d1-d2\n")).contains("after a resignation"));
        for (text, part) in [
            ("d1-d3 )", "a ) without its ("),
            ("( d1-d3", "before the first move"),
            ("d1-d3 ( e3-d3", "a ( without its )"),
            ("d1-d3 {open", "a { without its }"),
            ("1. d1-d3\n4a.1.1a. d1-d2", "a variation at 4a, where there is no move"),
            ("1. d1-d3\n1a.1.1c. d1-d2", "expected the address of a variation"),
            ("1. d1-d3\n1a.1.1a. d1-d2\n1a.1.9a. d2-d3", "does not follow the last turn"),
            ("d1-d3 e3", "\"e3\" is a square"),
            ("d1-d3 tired", "\"tired\" is no move"),
            ("1x d1-d3", "expected a number"),
        ] {
            assert!(fault(text).contains(part), "{text:?}: {}", fault(text));
        }
    }
}
