//! Game records in OpenTafl's format (OTG): tags in brackets, a line of rules, numbered moves.
//!
//! ```text
//! [variant: masters-edge]
//! [result: -1]
//! dim:9 esc:e atkf:y … start:/3ttt3/4t4/…/3ttt3/
//!
//! 1. d1-d3 e3-d3
//! ```

mod rules_line;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::board::SIZE;
use crate::game::{Game, PositionError};
use crate::move_text::{MoveText, ReadMoveError};
use crate::position::Position;
use crate::rules::Rules;
use crate::side::Side;

pub use rules_line::{RulesLine, RulesLineError, WordedRules};

use rules_line::read_start;

/// A game record as it was read. Its moves have not been played yet.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OtgRecord {
    /// Tags in order, such as `("variant", "masters-edge")`.
    pub tags: Vec<(String, String)>,
    /// The line of rules, unchanged from the record.
    pub rules_line: String,
    /// The position at the start of the game.
    pub start: Position,
    /// The moves.
    pub moves: Vec<MoveText>,
    /// Whether the game ended by resignation, written `---`.
    pub resigned: bool,
}

/// The text is not the record of a game on this board, or the game cannot be written in this format.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum OtgError {
    /// A line that cannot be read.
    Line {
        /// The line, from 1.
        number: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// The record has no line of rules.
    NoRules,
    /// A move of the record is not legal.
    Move {
        /// The ply, from 1.
        ply: usize,
        /// Why the move is not legal.
        reason: ReadMoveError,
    },
    /// The record's position cannot start a game.
    Start(PositionError),
    /// The rule set has values under these keys that a line of rules cannot express.
    Inexpressible(Vec<&'static str>),
}

impl fmt::Display for OtgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OtgError::Line { number, reason } => write!(f, "line {number}: {reason}"),
            OtgError::NoRules => write!(f, "no line of rules, expected one that begins with dim:{SIZE}"),
            OtgError::Move { ply, reason } => write!(f, "ply {ply}: {reason}"),
            OtgError::Start(reason) => reason.fmt(f),
            OtgError::Inexpressible(keys) => {
                write!(f, "the format cannot express this rule set's {}", keys.join(", "))
            }
        }
    }
}

impl std::error::Error for OtgError {}

impl OtgRecord {
    /// The record of a game. It fails if the format cannot express the rule set.
    pub fn from_game(game: &Game) -> Result<OtgRecord, OtgError> {
        let set = game.rules().set();
        let start = *game.start();
        let worded = set.to_opentafl(&start).map_err(OtgError::Inexpressible)?;
        if !worded.other_endings.is_empty() {
            return Err(OtgError::Inexpressible(worded.other_endings));
        }
        let rules_line = worded.line;
        let mut position = start;
        let moves = game.moves().map(|mv| {
            let applied = game.rules().apply(&position, mv);
            let piece = position.piece_at(mv.from).filter(|_| position.king() == Some(mv.from));
            position = applied.position;
            MoveText { piece, from: mv.from, to: mv.to, captured: applied.captured }
        });
        let moves = moves.collect();
        let result = match game.outcome() {
            None => "?",
            Some(outcome) => match outcome.winner {
                Some(Side::Attackers) => "1",
                Some(Side::Defenders) => "-1",
                None => "0",
            },
        };
        let mut tags = vec![("variant".to_owned(), set.name.clone()), ("result".to_owned(), result.to_owned())];
        tags.extend(game.outcome().map(|outcome| ("termination".to_owned(), outcome.to_string())));
        Ok(OtgRecord { tags, rules_line, start, moves, resigned: false })
    }

    /// The value of a tag, if the record has it.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Plays the record's moves under the given rules.
    pub fn replay(&self, rules: Arc<Rules>) -> Result<Game, OtgError> {
        let mut game = Game::from_position(rules, self.start).map_err(OtgError::Start)?;
        for (index, text) in self.moves.iter().enumerate() {
            let ply = index + 1;
            let played = match game.rules().match_move(game.position(), text) {
                Ok(mv) => game.play(mv).map(|_| ()),
                Err(error) => Err(error),
            };
            played.map_err(|error| OtgError::Move { ply, reason: error.into() })?;
        }
        Ok(game)
    }
}

impl FromStr for OtgRecord {
    type Err = OtgError;

    fn from_str(text: &str) -> Result<OtgRecord, OtgError> {
        let mut record: Option<OtgRecord> = None;
        let mut tags = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let at_line = |reason: String| OtgError::Line { number: index + 1, reason };
            let line = line.trim();
            match &mut record {
                _ if line.is_empty() => {}
                None if line.starts_with('[') => tags.push(read_tag(line).map_err(at_line)?),
                None => {
                    let start = read_start(line).map_err(at_line)?;
                    record = Some(OtgRecord {
                        tags: std::mem::take(&mut tags),
                        rules_line: line.to_owned(),
                        start,
                        moves: Vec::new(),
                        resigned: false,
                    });
                }
                Some(record) if line.starts_with('/') && record.moves.is_empty() => {
                    let side = record.start.side_to_move();
                    record.start = Position::read(line, Some(side)).map_err(|e| at_line(e.to_string()))?;
                }
                // A comment. Comments are not kept.
                Some(_) if line.starts_with('[') || line.contains('|') => {}
                Some(record) => record.read_moves(line).map_err(at_line)?,
            }
        }
        record.ok_or(OtgError::NoRules)
    }
}

impl OtgRecord {
    /// Reads `1. d1-d3 e3-d3`.
    fn read_moves(&mut self, line: &str) -> Result<(), String> {
        for word in line.split_whitespace() {
            let number = word.strip_suffix('.').unwrap_or_default();
            if !number.is_empty() && number.trim_end_matches('.').chars().all(|c| c.is_ascii_digit()) {
                continue;
            }
            if self.resigned {
                return Err(format!("{:?} after a resignation", shorten(word)));
            }
            match word {
                "---" => self.resigned = true,
                ".." | "..." => {}
                _ => self.moves.push(word.parse().map_err(|e: crate::MoveError| e.to_string())?),
            }
        }
        Ok(())
    }
}

/// Reads `[name: value]`.
fn read_tag(line: &str) -> Result<(String, String), String> {
    let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let tag = inner.and_then(|inner| inner.split_once(':'));
    let (name, value) = tag.ok_or_else(|| format!("{:?}, expected a tag such as [result:1]", shorten(line)))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

impl fmt::Display for OtgRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            writeln!(f, "[{name}: {value}]")?;
        }
        writeln!(f, "{}", self.rules_line)?;
        if read_start(&self.rules_line).as_ref() != Ok(&self.start) {
            writeln!(f, "{}", self.start.to_opentafl())?;
        }
        writeln!(f)?;
        for (index, pair) in self.moves.chunks(2).enumerate() {
            let texts: Vec<String> = pair.iter().map(ToString::to_string).collect();
            writeln!(f, "{}. {}", index + 1, texts.join(" "))?;
        }
        if self.resigned { writeln!(f, "---") } else { Ok(()) }
    }
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
        for name in ["masters-edge", "masters-weak-king", "ludoteka", "piecepack", "linnaeus"] {
            for stride in 1..40 {
                let game = some_game(name, stride);
                let record = OtgRecord::from_game(&game).expect("an expressible rule set");
                let read: OtgRecord = record.to_string().parse().unwrap_or_else(|e| panic!("{record}: {e}"));
                assert_eq!(read, record);
                let played = read.replay(Arc::clone(game.rules())).unwrap_or_else(|e| panic!("{record}: {e}"));
                assert_eq!(played.position(), game.position(), "{name}, stride {stride}");
                assert_eq!(read.tag("variant"), Some(name));
            }
        }
    }

    #[test]
    fn inexpressible_rules_are_named() {
        for (name, key) in [
            ("kvasir", "repetition.result"),
            ("imperial", "captures.count"),
            ("ashton", "camps.entry"),
            ("tartu", "max-plies"),
        ] {
            let error = OtgRecord::from_game(&some_game(name, 7)).expect_err("not expressible");
            assert!(error.to_string().contains(key), "{name}: {error}");
        }
    }

    #[test]
    fn a_record_of_opentafl_is_read() {
        let text = "[event: test]\n[attackers: A, B]\n[result:-1]\n\n\
                    dim:9 esc:e ka:n cen: cor: start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/\n\n\
                    1. a4-b4 e3-d3\n[a comment|another]\n2. b4-a4 .. ---\n";
        let record: OtgRecord = text.parse().unwrap_or_else(|e| panic!("{e}"));
        let other: OtgRecord =
            text.replace("\n\n1.", "\n/3ttt3/9/9/9/4K4/9/9/9/9/\n\n1.").parse().unwrap_or_else(|e| panic!("{e}"));
        assert_ne!(other.start, record.start);
        assert_eq!(other.to_string().parse(), Ok(other));
        assert_eq!((record.tag("result"), record.moves.len(), record.resigned), (Some("-1"), 3, true));
        let rules = Arc::new(Rules::named("masters-edge").expect("a built-in rule set"));
        assert_eq!(record.replay(rules).map(|game| game.ply()), Ok(3));
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let fault = |text: &str| text.parse::<OtgRecord>().expect_err("a fault").to_string();
        assert_eq!(fault("[event: x]\n"), "no line of rules, expected one that begins with dim:9");
        assert!(fault("[event x\n").starts_with("line 1: \"[event x\", expected a tag"));
        assert!(fault("[a:b]\ndim:11 start:/9/").starts_with("line 2: dim:11, expected dim:9"));
        assert!(fault("dim:9 esc:e").contains("expected start:"));
        let start = "dim:9 start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/\n";
        assert!(fault(&format!("{start}1. d1^d3\n")).starts_with("line 2: \"d1^d3\" is no move"));
        assert!(fault(&format!("{start}1. --- d1-d2\n")).contains("after a resignation"));
    }
}
