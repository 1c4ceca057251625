//! The rules of Tablut as data: boards, positions, moves, rule sets, games, notation and perft.

mod bitboard;
mod board;
mod explain;
mod game;
mod move_text;
mod moves;
mod opening;
mod otg;
mod perft;
mod position;
mod position_text;
mod rays;
mod replay;
mod rules;
mod ruleset;
mod side;
mod symmetry;
mod text_serde;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::{CENTRE, Direction, MAX_DISTANCE, N_ATTACKERS, N_DEFENDERS, SIZE, SQUARES, Square, SquareError};
pub use explain::Topic;
pub use game::{Game, Outcome, PositionError, Reason};
pub use move_text::{MoveText, ReadMoveError};
pub use moves::{Move, MoveError, MoveList};
pub use opening::OpeningError;
pub use otg::{OtgError, OtgRecord};
pub use position::{PartsError, Position};
pub use position_text::PositionTextError;
pub use replay::{Replay, ReplayError, TraceStep};
pub use rules::{Applied, IllegalMove, MoveFault, Rules};
pub use ruleset::{
    CampEntry, CampRules, CaptureCount, CaptureRules, CornerRules, Escape, First, HostileCamps, Hostility, KingCapture,
    KingRules, Landing, Passing, RULE_SET_NAMES, RepetitionResult, RepetitionRules, RuleSet, RuleSetError, ThroneRules,
};
pub use side::{Piece, Side, SideError};
pub use symmetry::Symmetry;
