//! Shield walls, exit forts and encirclement.

use crate::bitboard::Bitboard;
use crate::board::{Direction, Square};
use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::rules::Rules;
use crate::ruleset::ShieldWall;
use crate::side::{Piece, Side};

impl Rules {
    /// The soldiers that a move to the edge captures as shield walls. The piece that moves closes one end of the row.
    #[inline(never)]
    pub(super) fn shield_walls_from(&self, position: &Position, from: Square, to: Square) -> Bitboard {
        let side = position.side_to_move();
        let mut captors = position.pieces(side) - Bitboard::of(from);
        if !self.king_armed {
            if position.king() == Some(from) {
                return Bitboard::EMPTY;
            }
            captors = captors - position.king_board();
        }
        let enemies = position.pieces(side.opponent());
        let corner_closes = self.set.captures.shield_wall == ShieldWall::PiecesAndCorners;
        let closing = if corner_closes { captors | self.size().corners() } else { captors };
        let mut captured = Bitboard::EMPTY;
        for along in Direction::ALL {
            let fronted = enemies & self.behind(along, captors);
            let mut row = Bitboard::EMPTY;
            let mut next = Bitboard::of(to).shifted(along) & self.edge;
            while next.intersects(fronted) {
                row |= next;
                next = next.shifted(along) & self.edge;
            }
            if row.len() > 1 && next.intersects(closing) {
                captured |= row;
            }
        }
        captured - position.king_board()
    }

    /// The squares of the two edges along a direction that have a piece of `fronts` in front of them.
    fn behind(&self, along: Direction, fronts: Bitboard) -> Bitboard {
        let outwards = match along {
            Direction::North | Direction::South => [Direction::East, Direction::West],
            Direction::East | Direction::West => [Direction::North, Direction::South],
        };
        let edge_behind = |outward| fronts.shifted(outward) - self.board.shifted(outward.opposite());
        edge_behind(outwards[0]) | edge_behind(outwards[1])
    }

    /// The end of the game by encirclement or an exit fort. The king has neither been captured nor escaped.
    #[inline(never)]
    pub(super) fn enclosed(&self, position: &Position, king: Square) -> Option<Outcome> {
        if self.set.encirclement && self.is_encircled(position) {
            return Some(Outcome { winner: Some(Side::Attackers), reason: Reason::Encirclement });
        }
        let is_fort = self.set.exit_fort && self.edge.contains(king) && self.is_fort(position, king);
        is_fort.then_some(Outcome { winner: Some(Side::Defenders), reason: Reason::ExitFort })
    }

    /// Whether neither a defender nor the king can reach the edge over squares without attackers.
    fn is_encircled(&self, position: &Position) -> bool {
        let open = self.board - position.attackers();
        !flood_meets(self.edge & open, open, position.pieces(Side::Defenders))
    }

    /// Whether a king on the edge can move and the attackers cannot come to stand beside him, however many moves they
    /// make. They walk over all squares that they can reach. A defender with such a square, or a square that is hostile
    /// to it, on two opposite sides falls and opens its square.
    fn is_fort(&self, position: &Position, king: Square) -> bool {
        let here = Bitboard::of(king);
        if self.targets(Piece::King, king, position.occupied()).iter().all(|line| line.is_empty()) {
            return false;
        }
        let walk = &self.walks[Piece::Attacker.index()];
        let closed = walk.closed.into_iter().fold(Bitboard::FULL, |all, closed| all & closed);
        let mut standing = position.defenders();
        loop {
            let blocked = standing | here;
            let reached = flood(position.attackers(), self.board - (blocked | closed)) - walk.barred;
            if reached.neighbours().intersects(here) {
                return false;
            }
            let captors = reached | self.hostile[Piece::Defender.index()].now(blocked);
            let between = |a, b| captors.shifted(a) & captors.shifted(b);
            let falling =
                standing & (between(Direction::North, Direction::South) | between(Direction::East, Direction::West));
            if falling.is_empty() {
                return true;
            }
            standing = standing - falling;
        }
    }
}

/// Whether one of the squares `goal` can be reached from a set of squares by steps within `open`. The flood stops at the
/// first such square, which is near in almost all positions.
fn flood_meets(from: Bitboard, open: Bitboard, goal: Bitboard) -> bool {
    let mut reached = from;
    while !reached.intersects(goal) {
        let wider = reached | (reached.neighbours() & open);
        if wider == reached {
            return false;
        }
        reached = wider;
    }
    true
}

/// The squares that can be reached from a set of squares by steps within `open`, with the set itself.
fn flood(from: Bitboard, open: Bitboard) -> Bitboard {
    let mut reached = from;
    loop {
        let wider = reached | (reached.neighbours() & open);
        if wider == reached {
            return reached;
        }
        reached = wider;
    }
}
