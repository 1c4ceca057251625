//! A rule set compiled into masks, and the questions that it answers of a position.

mod capture;
mod compile;
mod count;
mod legality;
mod movegen;
mod routes;

use crate::bitboard::Bitboard;
use crate::board::{Direction, Square};
use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::rays::{RAYS, Rays};
use crate::ruleset::{RULE_SET_NAMES, RuleSet, RuleSetError};
use crate::side::{Piece, Side};

pub(crate) use compile::all_camps;
pub use legality::{IllegalMove, MoveFault};

/// How one kind of piece moves.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Squares that the piece may not enter in each direction, pieces apart.
    closed: [Bitboard; 4],
    /// The other squares of the board that a step in each direction reaches.
    open: [Bitboard; 4],
    /// Squares that it may enter but not leave in the same move.
    halting: Bitboard,
    /// Squares that it may pass but not land on.
    barred: Bitboard,
}

/// Squares that stand in for a second captor against one kind of piece.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    /// Whatever stands on them.
    always: Bitboard,
    /// While no piece stands on them.
    when_empty: Bitboard,
}

impl Hostile {
    #[inline]
    fn now(&self, occupied: Bitboard) -> Bitboard {
        self.always | (self.when_empty - occupied)
    }
}

/// How the king is captured.
#[derive(Clone, Debug)]
pub(crate) struct KingFall {
    /// Squares on which he is captured between two captors; elsewhere he must be surrounded.
    between: Bitboard,
    /// What closes a side of a surrounded king besides attackers.
    closing: Hostile,
    /// Whether the board's edge closes a side as well.
    edge_closes: bool,
}

/// A rule set compiled for play. Share one behind an `Arc`: building it takes far longer than any
/// question.
#[derive(Clone, Debug)]
pub struct Rules {
    set: RuleSet,
    throne: Bitboard,
    corners: Bitboard,
    camps: Bitboard,
    escapes: Bitboard,
    /// By [`Piece::index`].
    walks: [Walk; 3],
    /// By [`Piece::index`] of the piece in danger.
    hostile: [Hostile; 3],
    king_rays: Box<Rays>,
    king_fall: KingFall,
    king_armed: bool,
    one_chosen: bool,
    pinned_defender: bool,
}

/// What a move leads to.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Applied {
    /// The position after the move.
    pub position: Position,
    /// The squares of the captured pieces, the king's among them.
    pub captured: Bitboard,
    /// The side that has won by the king's capture or escape (rulebook C7).
    pub winner: Option<Side>,
}

impl Rules {
    /// A built-in rule set by name.
    pub fn named(name: &str) -> Result<Rules, RuleSetError> {
        Rules::new(RuleSet::named(name)?)
    }

    /// A built-in rule set by name, or a user's by the path of its `.toml` file.
    pub fn load(name_or_path: &str) -> Result<Rules, RuleSetError> {
        Rules::new(RuleSet::load(name_or_path)?)
    }

    /// The names of the built-in rule sets, in the rulebook's order.
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
        RULE_SET_NAMES.into_iter()
    }

    /// The data that these rules were compiled from.
    #[must_use]
    pub const fn set(&self) -> &RuleSet {
        &self.set
    }

    /// The rule set's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.set.name
    }

    /// The throne; empty where e5 is an ordinary square.
    #[must_use]
    pub const fn throne(&self) -> Bitboard {
        self.throne
    }

    /// The corners; empty where they are ordinary edge squares.
    #[must_use]
    pub const fn corners(&self) -> Bitboard {
        self.corners
    }

    /// The camps; empty where they are ordinary squares.
    #[must_use]
    pub const fn camps(&self) -> Bitboard {
        self.camps
    }

    /// The squares on which the king escapes.
    #[must_use]
    pub const fn escapes(&self) -> Bitboard {
        self.escapes
    }

    /// Whether the king has been captured or stands on an escape square: the game is over by C7.
    #[must_use]
    pub fn decided(&self, position: &Position) -> Option<Outcome> {
        match position.king() {
            None => Some(Outcome { winner: Some(Side::Attackers), reason: Reason::KingCaptured }),
            Some(king) if self.escapes.contains(king) => {
                Some(Outcome { winner: Some(Side::Defenders), reason: Reason::KingEscaped })
            }
            Some(_) => None,
        }
    }

    /// The squares that a piece could move to in each direction, pieces of either side in the way.
    #[inline]
    fn targets(&self, piece: Piece, from: Square, occupied: Bitboard) -> [Bitboard; 4] {
        let walk = &self.walks[piece.index()];
        let rays = match piece {
            Piece::King => &*self.king_rays,
            Piece::Attacker | Piece::Defender => &RAYS,
        };
        // Written out, so that each direction is compiled on its own.
        [
            walk.line(rays, from, Direction::North, occupied),
            walk.line(rays, from, Direction::East, occupied),
            walk.line(rays, from, Direction::South, occupied),
            walk.line(rays, from, Direction::West, occupied),
        ]
    }
}

impl Walk {
    #[inline]
    fn line(&self, rays: &Rays, from: Square, direction: Direction, occupied: Bitboard) -> Bitboard {
        let blocked = occupied | self.closed[direction.index()];
        rays.reached(from, direction, blocked, self.halting) - self.barred
    }
}
