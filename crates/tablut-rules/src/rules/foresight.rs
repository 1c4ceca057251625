//! Which moves can change who wins at once, found with a few masks and without playing a move.
//!
//! A win at once is an escape or the king's capture. An escape depends on the pieces on the king's paths to the escape
//! squares. A capture depends on the squares beside the king. If one more attacker would capture him, it also depends
//! on the lines to the square that is missing. A move that captures nothing and has neither its from square nor its to
//! square among these squares changes nothing.

use std::ops::ControlFlow;

use crate::bitboard::Bitboard;
use crate::board::{Direction, Square};
use crate::moves::Move;
use crate::position::Position;
use crate::rays::{RAYS, nearest};
use crate::rules::Rules;
use crate::side::{Piece, Side};

/// The moves of the side to move that may change which side [wins at once](Rules::wins_at_once).
#[derive(Copy, Clone, Debug)]
pub struct Foresight {
    from: Bitboard,
    to: Bitboard,
}

impl Foresight {
    /// Whether a legal move may change which side wins at once. If not, both sides' answers of
    /// [`Rules::wins_at_once`] are the same after the move as before it.
    #[inline]
    pub fn may_change(&self, mv: Move) -> bool {
        self.from.contains(mv.from) || self.to.contains(mv.to)
    }
}

impl Rules {
    /// The moves of the side to move that may change which side wins at once: all moves of the king, all captures, and
    /// moves from or to squares that matter for the king's escape or capture.
    pub fn foresight(&self, position: &Position) -> Foresight {
        if self.enclosures {
            // Any move may end the game, after which nobody wins at once.
            return Foresight { from: self.board, to: self.board };
        }
        let [captures, _] = self.capturing_squares(position);
        let mut seen = Foresight { from: position.king_board(), to: captures };
        if let Some(king) = position.king() {
            self.see_escapes(position, king, &mut seen);
            if self.king_fall.between.contains(king) {
                self.see_neighbours_between(position, king, &mut seen);
            } else {
                self.see_neighbours_around(position, king, &mut seen);
            }
            see_ways(position, self.falling_gaps(position, king), &mut seen);
            if self.pinned_defender && king == self.centre {
                seen.to |= squares_beyond_neighbours(king);
            }
        }
        seen.to = seen.to & self.board;
        seen
    }

    /// Whether the side to move has a move after which `side`, its opponent, does not win at once. `side` must threaten
    /// to win at once.
    pub fn can_parry(&self, position: &Position, side: Side) -> bool {
        let parries = |mv: Move| {
            let after = self.apply(position, mv).position;
            if self.wins_at_once(&after, side) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        self.decided(position).is_none() && self.visit_seen_moves(position, parries).is_break()
    }

    /// Passes each legal move that may change who wins at once to the visitor, the king's moves first. A move may be
    /// passed twice.
    fn visit_seen_moves(&self, position: &Position, mut visit: impl FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        let seen = self.foresight(position);
        let (occupied, side) = (position.occupied(), position.side_to_move());
        let (soldier, soldiers) = match side {
            Side::Attackers => (Piece::Attacker, position.attackers()),
            Side::Defenders => (Piece::Defender, position.defenders()),
        };
        if let (Side::Defenders, Some(king)) = (side, position.king()) {
            self.visit_moves_to(position, king, Bitboard::FULL, &mut visit)?;
        }
        let walk = &self.walks[soldier.index()];
        for to in seen.to - occupied {
            for direction in Direction::ALL {
                let Some(from) = nearest(RAYS.ray(to, direction) & occupied, direction) else { continue };
                if soldiers.contains(from) && walk.line(&RAYS, from, direction.opposite(), occupied).contains(to) {
                    self.visit_choices(position, Move::new(from, to), &mut visit)?;
                }
            }
        }
        for from in seen.from & soldiers {
            self.visit_moves_to(position, from, Bitboard::FULL, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Adds squares on the paths to the escape squares. A move may block an open path, or open a path that one piece
    /// blocks. A move without a capture does not open a path that two pieces block.
    fn see_escapes(&self, position: &Position, king: Square, seen: &mut Foresight) {
        let occupied = position.occupied();
        for path in self.escape_paths.paths(king) {
            let pieces = path & occupied;
            match pieces.len() {
                0 => seen.to |= path,
                1 => seen.from |= pieces,
                _ => {}
            }
        }
    }

    /// Adds the squares beside a king who must be surrounded. A move changes only one of them, so it matters only if at
    /// most two are not closed.
    fn see_neighbours_around(&self, position: &Position, king: Square, seen: &mut Foresight) {
        if self.edge.contains(king) && !self.king_fall.edge_closes {
            return;
        }
        let beside = Bitboard::of(king).neighbours() & self.board;
        match (self.unclosed(position, king).len(), position.side_to_move()) {
            (0 | 1, _) => {
                seen.from |= beside;
                seen.to |= beside;
            }
            // An attacker that arrives closes one of the two. One that leaves closes none.
            (2, Side::Attackers) => seen.to |= beside,
            // A defender closes a square only by leaving it: an empty throne may count like an attacker.
            (2, Side::Defenders) => seen.from |= beside & self.king_fall.closing.when_empty,
            _ => {}
        }
    }

    /// Adds the squares beside a king who is captured between two captors. A square matters if the opposite square is
    /// or may become the other captor or the gap.
    fn see_neighbours_between(&self, position: &Position, king: Square, seen: &mut Foresight) {
        let occupied = position.occupied();
        let hostile = &self.hostile[Piece::King.index()];
        let captors = position.attackers() | hostile.now(occupied);
        let here = Bitboard::of(king);
        for direction in Direction::ALL {
            let (square, opposite) = (here.shifted(direction), here.shifted(direction.opposite()) & self.board);
            if opposite.is_empty() {
                continue;
            }
            let becomes_captor = match position.side_to_move() {
                Side::Attackers => true,
                Side::Defenders => square.intersects(hostile.when_empty),
            };
            let gap_opposite = !opposite.intersects(occupied);
            if captors.intersects(opposite) || (gap_opposite && becomes_captor) {
                seen.from |= square;
                seen.to |= square;
            }
        }
    }
}

/// Adds the lines to the squares beside the king on which an attacker would capture him. A piece may enter or leave
/// them.
fn see_ways(position: &Position, gaps: Bitboard, seen: &mut Foresight) {
    let occupied = position.occupied();
    seen.to |= gaps;
    for gap in gaps {
        for direction in Direction::ALL {
            let ray = RAYS.ray(gap, direction);
            match nearest(ray & occupied, direction) {
                Some(piece) => {
                    seen.from.insert(piece);
                    seen.to |= ray - RAYS.ray(piece, direction);
                }
                None => seen.to |= ray,
            }
        }
    }
}

/// The squares two steps away in each direction.
fn squares_beyond_neighbours(square: Square) -> Bitboard {
    let here = Bitboard::of(square);
    Direction::ALL.into_iter().fold(Bitboard::EMPTY, |all, d| all | here.shifted(d).shifted(d))
}
