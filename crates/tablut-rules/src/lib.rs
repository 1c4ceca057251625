//! The rules of Tablut and its relatives as data: boards, positions, moves, rule sets, games, notation and perft.
//!
//! A [`RuleSet`] is plain data: one of the twenty built-in rule sets or a user's TOML file. [`Rules`] compiles it
//! into masks and answers questions about a [`Position`]. A position has no memory: it is the board and the side to
//! move. A [`Game`] adds the history. Repetition and the limits on length are decided there and nowhere else.
//!
//! ```
//! use std::sync::Arc;
//! use tablut_rules::{Game, MoveList, Rules, Side};
//!
//! let rules = Arc::new(Rules::named("kvasir")?);
//! let mut game = Game::new(rules, Side::Attackers);
//! let mut moves = MoveList::new();
//! game.legal_moves(&mut moves);
//! assert_eq!(moves.len(), 80);
//!
//! let applied = game.play("d1-d3".parse()?)?;
//! assert!(applied.captured.is_empty());
//! assert_eq!(game.position().to_string(), "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/3tT4/4t4/4tt3 d");
//! assert_eq!(game.play("d3-d4".parse()?).unwrap_err().to_string(),
//!     "d3-d4 is illegal: it is the defenders' turn, and the piece is an attacker");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Names such as C9 or KV4 are clauses of the guide's rules page (`docs/rules.md`). The tests in `tests/clauses/` have
//! the same names and show each clause on the board.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod bitboard;
mod board;
mod explain;
mod game;
mod game_text;
mod move_text;
mod moves;
mod opening;
mod outcome;
mod position;
mod position_text;
mod rays;
mod replay;
mod results;
mod rules;
mod rules_line;
mod ruleset;
mod side;
mod symmetry;
mod text;

pub use bitboard::{Bitboard, Squares};
pub use board::{BoardSize, BoardSizeError, Direction, GRID, GRID_SQUARES, MAX_DISTANCE, Square, SquareError};
pub use explain::Topic;
pub use game::{Game, PositionError, Situation};
pub use game_text::{GameText, GameTextError, WrittenMove};
pub use move_text::{MoveText, ReadMoveError};
pub use moves::{Move, MoveError, MoveList};
pub use opening::OpeningError;
pub use outcome::{Outcome, Reason};
pub use position::{PartsError, Position};
pub use position_text::PositionTextError;
pub use replay::{Replay, TraceError, TraceStep};
pub use results::Results;
pub use rules::{Applied, Foresight, IllegalMove, MoveFault, Rules};
pub use rules_line::{RulesLine, RulesLineError, WordedRules};
pub use ruleset::{
    CampEntry, CampRules, CaptureCount, CaptureRules, ClauseDifference, CornerRules, Escape, First, HostileCamps,
    Hostility, KingCapture, KingRules, Landing, Passing, RULE_SET_NAMES, RepetitionResult, RepetitionRules, RuleSet,
    RuleSetError, ShieldWall, ThroneRules, USUAL_RULE_SET, is_rule_set_name,
};
pub use side::{Piece, Side, SideError};
pub use symmetry::Symmetry;
pub use text::{decode, json_fault, plain_words, read_at_most, shown, shown_lines};
