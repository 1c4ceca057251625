//! A rule set compiled into masks. It answers questions about a position.

mod capture;
mod compile;
mod count;
mod departures;
mod enclosure;
mod foresight;
mod legality;
mod movegen;
mod routes;

use crate::bitboard::Bitboard;
use crate::board::{BoardSize, Direction, Square};
use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::rays::{EscapePaths, RAYS, Rays};
use crate::ruleset::{RULE_SET_NAMES, RuleSet, RuleSetError};
use crate::side::{Piece, Side};

pub use foresight::Foresight;
pub use legality::{IllegalMove, MoveFault};

#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Squares that the piece may not enter in each direction, even if they are empty.
    closed: [Bitboard; 4],
    /// The other squares that a step in each direction reaches.
    open: [Bitboard; 4],
    /// Squares that the piece may enter but not leave in the same move.
    halting: Bitboard,
    /// Squares that the piece may pass but not land on.
    barred: Bitboard,
}

/// Squares that count as a second captor against one kind of piece.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    /// They count whether or not a piece stands on them.
    always: Bitboard,
    /// They count while no piece stands on them.
    when_empty: Bitboard,
}

impl Hostile {
    #[inline]
    fn now(&self, occupied: Bitboard) -> Bitboard {
        self.always | (self.when_empty - occupied)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct KingFall {
    /// Squares on which two captors on opposite sides capture him. On the other squares he must be surrounded.
    between: Bitboard,
    /// Squares that count like an attacker beside a surrounded king.
    closing: Hostile,
    /// Whether the board's edge also counts like an attacker.
    edge_closes: bool,
}

/// A rule set compiled for play. Compiling takes much longer than any query, so share one behind an `Arc`.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a clause that a rule set has or has not")]
pub struct Rules {
    set: RuleSet,
    /// The board's squares. Sets from shifts and complements may have others of the grid.
    board: Bitboard,
    edge: Bitboard,
    centre: Square,
    throne: Bitboard,
    corners: Bitboard,
    camps: Bitboard,
    escapes: Bitboard,
    /// Indexed by [`Piece::index`].
    walks: [Walk; 3],
    /// Indexed by [`Piece::index`] of the piece that may be captured.
    hostile: [Hostile; 3],
    king_rays: Box<Rays>,
    escape_paths: Box<EscapePaths>,
    king_fall: KingFall,
    king_armed: bool,
    one_chosen: bool,
    pinned_defender: bool,
    /// Whether the longest move needs more than [`count::SHORT`] rounds.
    long_lines: bool,
    shield_walls: bool,
    /// Whether an exit fort or encirclement may end the game.
    enclosures: bool,
}

/// The result of a move.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Applied {
    /// The position after the move.
    pub position: Position,
    /// The squares of the captured pieces, including the king's.
    pub captured: Bitboard,
    /// The side that won by the king's capture or escape (clause C7), by encirclement or by an exit fort, if any.
    pub winner: Option<Side>,
}

impl Rules {
    /// A built-in rule set by name.
    ///
    /// # Errors
    /// If no built-in rule set has this name.
    pub fn named(name: &str) -> Result<Rules, RuleSetError> {
        Rules::new(RuleSet::named(name)?)
    }

    /// A built-in rule set by name, or a user's rule set by the path of its `.toml` file.
    ///
    /// # Errors
    /// If there is no such rule set, or the file cannot be read, is malformed or contradicts itself.
    pub fn load(name_or_path: &str) -> Result<Rules, RuleSetError> {
        Rules::new(RuleSet::load(name_or_path)?)
    }

    /// The names of the built-in rule sets, in the order of the guide's rules page.
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
        RULE_SET_NAMES.into_iter()
    }

    /// The names of the built-in rule sets on a board of this size, in the same order.
    pub fn names_on(size: BoardSize) -> impl Iterator<Item = &'static str> {
        Rules::names().filter(move |name| RuleSet::named(name).is_ok_and(|set| set.size() == size))
    }

    /// The rule set that these rules were compiled from.
    pub const fn set(&self) -> &RuleSet {
        &self.set
    }

    /// The rule set's name.
    pub fn name(&self) -> &str {
        &self.set.name
    }

    /// The size of the board.
    pub const fn size(&self) -> BoardSize {
        self.set.size()
    }

    /// The start position with the given side to move.
    pub const fn start(&self, first: Side) -> Position {
        self.set.start.with_side_to_move(first)
    }

    /// Whether the rules have shield walls, exit forts or encirclement. Without them a move captures only pieces beside
    /// its to square, and a side wins only by the king's capture or escape, by its opponent's lack of moves, or by the
    /// history.
    pub const fn has_edge_clauses(&self) -> bool {
        self.shield_walls || self.enclosures
    }

    /// The throne. The set is empty if the middle square is an ordinary one.
    pub const fn throne(&self) -> Bitboard {
        self.throne
    }

    /// The corners. The set is empty if they are ordinary edge squares.
    pub const fn corners(&self) -> Bitboard {
        self.corners
    }

    /// The camps. The set is empty if they are ordinary squares.
    pub const fn camps(&self) -> Bitboard {
        self.camps
    }

    /// The squares on which the king escapes.
    pub const fn escapes(&self) -> Bitboard {
        self.escapes
    }

    /// The end of the game that follows from the position alone: the king has been captured or stands on an escape square
    /// (C7), the defenders are encircled, or they have an exit fort.
    pub fn decided(&self, position: &Position) -> Option<Outcome> {
        match position.king() {
            None => Some(Outcome { winner: Some(Side::Attackers), reason: Reason::KingCaptured }),
            Some(king) if self.escapes.contains(king) => {
                Some(Outcome { winner: Some(Side::Defenders), reason: Reason::KingEscaped })
            }
            Some(king) if self.enclosures => self.enclosed(position, king),
            Some(_) => None,
        }
    }

    /// The squares that a piece can move to in each direction. Pieces of both sides block it.
    #[inline]
    fn targets(&self, piece: Piece, from: Square, occupied: Bitboard) -> [Bitboard; 4] {
        let walk = &self.walks[piece.index()];
        let rays = match piece {
            Piece::King => &*self.king_rays,
            Piece::Attacker | Piece::Defender => &RAYS,
        };
        // There is no loop, so that the compiler optimises each direction separately.
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
