//! The move generator.

use std::ops::ControlFlow;

use crate::bitboard::Bitboard;
use crate::board::Square;
use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::rules::Rules;
use crate::side::{Piece, Side};

impl Rules {
    /// Fills the list with the legal moves, in the order documented at [`MoveList`]. There are none if the king has
    /// been captured or has escaped.
    pub fn legal_moves(&self, position: &Position, moves: &mut MoveList) {
        moves.clear();
        let _ = self.visit_moves(position, |mv| {
            moves.push(mv);
            ControlFlow::Continue(())
        });
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self, position: &Position) -> bool {
        if self.decided(position).is_some() {
            return false;
        }
        let side = position.side_to_move();
        let king = position.king().map_or(Bitboard::EMPTY, Bitboard::of);
        let soldiers = position.pieces(side) - king;
        // A soldier next to an ordinary empty square may step there.
        let open = self.board - (position.occupied() | self.throne() | self.corners() | self.camps());
        soldiers.neighbours().intersects(open) || self.visit_moves(position, |_| ControlFlow::Break(())).is_break()
    }

    /// Whether `holds` is true of every legal move. It stops at the first move of which it is not.
    pub fn every_move(&self, position: &Position, mut holds: impl FnMut(Move) -> bool) -> bool {
        let visit = |mv| if holds(mv) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        self.visit_moves(position, visit).is_continue()
    }

    /// Passes each legal move to the visitor, in order, until the visitor stops.
    #[inline]
    pub(crate) fn visit_moves(
        &self,
        position: &Position,
        mut visit: impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.decided(position).is_some() {
            return ControlFlow::Continue(());
        }
        let occupied = position.occupied();
        let side = position.side_to_move();
        for from in position.pieces(side) {
            let piece = match side {
                Side::Attackers => Piece::Attacker,
                Side::Defenders if position.king() == Some(from) => Piece::King,
                Side::Defenders => Piece::Defender,
            };
            let [north, east, south, west] = self.targets(piece, from, occupied);
            self.visit_line(position, from, north.iter(), &mut visit)?;
            self.visit_line(position, from, east.iter(), &mut visit)?;
            self.visit_line(position, from, south.iter().rev(), &mut visit)?;
            self.visit_line(position, from, west.iter().rev(), &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Passes the moves of one piece in one direction to the visitor, nearest first.
    #[inline]
    fn visit_line(
        &self,
        position: &Position,
        from: Square,
        squares: impl Iterator<Item = Square>,
        visit: &mut impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for to in squares {
            self.visit_choices(position, Move::new(from, to), visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Passes a move once, or once for each piece that the mover may choose (clause IC5).
    #[inline]
    pub(super) fn visit_choices(
        &self,
        position: &Position,
        mv: Move,
        visit: &mut impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.one_chosen {
            let surrounded = self.surrounded(position, mv.from, mv.to);
            if surrounded.len() > 1 {
                for choice in surrounded {
                    let choice = Some(choice);
                    visit(Move { choice, ..mv })?;
                }
                return ControlFlow::Continue(());
            }
        }
        visit(mv)
    }

    /// Passes each legal move of the piece on `from` to one of `squares` to the visitor.
    #[inline]
    pub(super) fn visit_moves_to(
        &self,
        position: &Position,
        from: Square,
        squares: Bitboard,
        visit: &mut impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(piece) = position.piece_at(from) else { return ControlFlow::Continue(()) };
        for line in self.targets(piece, from, position.occupied()) {
            self.visit_line(position, from, (line & squares).iter(), visit)?;
        }
        ControlFlow::Continue(())
    }
}
