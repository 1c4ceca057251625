//! Plays a move: finds the surrounded pieces, the captures and the winner.

use crate::bitboard::{Bitboard, INNER_COLUMNS};
use crate::board::{Direction, Square};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::{Applied, Rules};
use crate::side::{Piece, Side};

impl Rules {
    /// Plays a legal move. The result of an illegal move is meaningless, but the function does not panic if the from
    /// square holds a piece of the side to move.
    #[inline]
    pub fn apply(&self, position: &Position, mv: Move) -> Applied {
        let piece = match position.side_to_move() {
            Side::Attackers => Piece::Attacker,
            Side::Defenders if position.king() == Some(mv.from) => Piece::King,
            Side::Defenders => Piece::Defender,
        };
        let captured = self.captured(position, mv);
        let winner = match piece {
            Piece::King if self.escapes.contains(mv.to) => Some(Side::Defenders),
            Piece::Attacker if captured.intersects(position.king_board()) => Some(Side::Attackers),
            _ => None,
        };
        let mut applied = Applied { position: position.after(piece, mv.from, mv.to, captured), captured, winner };
        if self.enclosures {
            applied.winner = self.decided(&applied.position).and_then(|end| end.winner);
        }
        applied
    }

    /// The pieces that a legal move captures. They stand beside its to square, or form a shield wall that begins there.
    #[inline]
    pub fn captured(&self, position: &Position, mv: Move) -> Bitboard {
        match mv.choice {
            None => self.surrounded(position, mv.from, mv.to),
            Some(choice) => Bitboard::of(choice),
        }
    }

    /// The enemy pieces that a move surrounds, including the king.
    ///
    /// The board before the move is enough. The moving piece on its from square cannot count as a captor, because the
    /// captured piece would then stand between the from square and the to square.
    #[inline]
    pub(crate) fn surrounded(&self, position: &Position, from: Square, to: Square) -> Bitboard {
        let beside = match position.side_to_move() {
            Side::Attackers => self.surrounded_by_attacker(position, to),
            Side::Defenders => self.surrounded_by_defender(position, from, to),
        };
        if self.shield_walls && self.edge.contains(to) {
            beside | self.shield_walls_from(position, from, to)
        } else {
            beside
        }
    }

    #[inline]
    fn surrounded_by_attacker(&self, position: &Position, to: Square) -> Bitboard {
        let hostile = self.hostile[Piece::Defender.index()].now(position.occupied());
        let captors = position.attackers() | hostile;
        let mut captured = between(to, position.defenders(), captors);
        if let Some(king) = position.king() {
            if Bitboard::of(to).neighbours().contains(king) && self.king_falls(position, king, to) {
                captured.insert(king);
            }
            if self.pinned_defender && king == self.centre {
                captured |= pinned_defender(position, king, to);
            }
        }
        captured
    }

    #[inline]
    fn surrounded_by_defender(&self, position: &Position, from: Square, to: Square) -> Bitboard {
        let mut captors = position.defenders();
        if self.king_armed {
            captors |= position.king_board();
        } else if position.king() == Some(from) {
            return Bitboard::EMPTY;
        }
        captors |= self.hostile[Piece::Attacker.index()].now(position.occupied());
        between(to, position.attackers(), captors)
    }

    /// The empty squares beside the king on which an attacker that arrives captures him.
    pub(super) fn falling_gaps(&self, position: &Position, king: Square) -> Bitboard {
        let occupied = position.occupied();
        let here = Bitboard::of(king);
        let beside = here.neighbours() & self.board;
        if self.king_fall.between.contains(king) {
            let captors = position.attackers() | self.hostile[Piece::King.index()].now(occupied);
            let across = |d: Direction| {
                if captors.intersects(here.shifted(d.opposite())) { here.shifted(d) } else { Bitboard::EMPTY }
            };
            let gaps = Direction::ALL.into_iter().fold(Bitboard::EMPTY, |all, d| all | across(d));
            return (gaps & self.board) - occupied;
        }
        let open = self.unclosed(position, king);
        match open.len() {
            _ if self.edge.contains(king) && !self.king_fall.edge_closes => Bitboard::EMPTY,
            0 => beside - occupied,
            1 => open - occupied,
            _ => Bitboard::EMPTY,
        }
    }

    /// The squares beside the king that neither hold an attacker nor count like one. Only a king who must be surrounded
    /// needs them.
    pub(super) fn unclosed(&self, position: &Position, king: Square) -> Bitboard {
        let closed = position.attackers() | self.king_fall.closing.now(position.occupied());
        (Bitboard::of(king).neighbours() & self.board) - closed
    }

    /// Whether an attacker that arrives at `to`, next to the king, captures him.
    pub(super) fn king_falls(&self, position: &Position, king: Square, to: Square) -> bool {
        let attackers = position.attackers() | Bitboard::of(to);
        let occupied = position.occupied();
        if self.king_fall.between.contains(king) {
            let captors = attackers | self.hostile[Piece::King.index()].now(occupied);
            return between(to, Bitboard::of(king), captors).contains(king);
        }
        let closed = attackers | self.king_fall.closing.now(occupied);
        let open = (Bitboard::of(king).neighbours() & self.board) - closed;
        open.is_empty() && (self.king_fall.edge_closes || !self.edge.contains(king))
    }
}

/// The pieces of `enemies` between `to` and an opposite square of `captors` (clause C5).
#[inline]
fn between(to: Square, enemies: Bitboard, captors: Bitboard) -> Bitboard {
    let arrived = Bitboard::of(to);
    // A piece captured along a row needs a neighbour on both sides. The mask also drops bits that the shift carries
    // into the next row.
    let inner = Bitboard::from_bits(INNER_COLUMNS);
    let mut captured = Bitboard::EMPTY;
    for direction in Direction::ALL {
        let opposite = captors.shifted(direction.opposite());
        let victims = arrived.shifted(direction) & enemies & opposite;
        captured |= match direction {
            Direction::North | Direction::South => victims,
            Direction::East | Direction::West => victims & inner,
        };
    }
    captured
}

/// The only defender beside a king on the throne, if the attacker that moved to the square beyond it captures it
/// (clause PP9).
fn pinned_defender(position: &Position, throne: Square, to: Square) -> Bitboard {
    let beside = Bitboard::of(throne).neighbours();
    let pinned = beside & position.defenders();
    let others = beside - pinned;
    if pinned.len() != 1 || others != (others & position.attackers()) {
        return Bitboard::EMPTY;
    }
    let beyond = pinned.first().and_then(|defender| {
        let (direction, _) = throne.line_to(defender)?;
        defender.step(direction)
    });
    if beyond == Some(to) { pinned } else { Bitboard::EMPTY }
}
