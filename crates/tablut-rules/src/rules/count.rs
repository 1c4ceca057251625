//! Counting legal moves without listing them: all soldiers of a side slide at once.

use std::ops::ControlFlow;

use crate::bitboard::Bitboard;
use crate::board::{Direction, MAX_DISTANCE, SIZE};
use crate::position::Position;
use crate::rules::{Rules, Walk};
use crate::side::{Piece, Side};

impl Rules {
    /// The number of legal moves: the length of the list that [`Rules::legal_moves`] fills.
    #[must_use]
    pub fn count_legal_moves(&self, position: &Position) -> u32 {
        if self.decided(position).is_some() {
            return 0;
        }
        if self.one_chosen && self.may_choose(position) {
            return self.count_one_by_one(position);
        }
        let occupied = position.occupied();
        match position.side_to_move() {
            Side::Attackers => slides(&self.walks[Piece::Attacker.index()], position.attackers(), occupied),
            Side::Defenders => {
                let soldiers = slides(&self.walks[Piece::Defender.index()], position.defenders(), occupied);
                let king = position.king().map_or(0, |king| {
                    let lines = self.targets(Piece::King, king, occupied);
                    lines.into_iter().map(|line| line.len() as u32).sum()
                });
                soldiers + king
            }
        }
    }

    fn count_one_by_one(&self, position: &Position) -> u32 {
        let mut count = 0;
        let _ = self.visit_moves(position, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Whether there is an empty square from which a piece would surround two enemies or more. Cheap,
    /// and says no in most positions.
    fn may_choose(&self, position: &Position) -> bool {
        let occupied = position.occupied();
        let (enemies, captors, victim) = match position.side_to_move() {
            Side::Attackers => (position.defenders(), position.attackers(), Piece::Defender),
            Side::Defenders => (position.attackers(), position.pieces(Side::Defenders), Piece::Attacker),
        };
        let captors = captors | self.hostile[victim.index()].now(occupied);
        let mut once = Bitboard::EMPTY;
        let mut twice = Bitboard::EMPTY;
        for direction in Direction::ALL {
            let back = direction.opposite();
            let squares = (enemies & captors.shifted(back)).shifted(back) - occupied;
            twice |= once & squares;
            once |= squares;
        }
        if position.side_to_move() == Side::Attackers {
            twice |= once & position.king_board().neighbours();
        }
        !twice.is_empty()
    }
}

/// The moves of all soldiers of a kind. After `n` steps in a direction each piece that has come so far
/// stands on a square of its own, so the squares reached are the moves of `n` squares.
fn slides(walk: &Walk, pieces: Bitboard, occupied: Bitboard) -> u32 {
    let open = walk.open.map(|open| open.bits() & !occupied.bits());
    let landing = !walk.barred.bits();
    let going_on = !walk.halting.bits();
    let mut reached = [pieces.bits(); 4];
    let mut sum = Sum::default();
    for _ in 0..MAX_DISTANCE {
        reached = [
            reached[0] << SIZE & open[0],
            reached[1] << 1 & open[1],
            reached[2] >> SIZE & open[2],
            reached[3] >> 1 & open[3],
        ];
        if reached[0] | reached[1] | reached[2] | reached[3] == 0 {
            break;
        }
        sum.add(reached.map(|squares| squares & landing));
        reached = reached.map(|squares| squares & going_on);
    }
    sum.total()
}

/// Numbers of set bits, added up.
#[derive(Default)]
struct Sum(u32);

impl Sum {
    #[inline]
    fn add(&mut self, sets: [u128; 4]) {
        self.0 += sets.iter().map(|set| set.count_ones()).sum::<u32>();
    }

    #[inline]
    fn total(&self) -> u32 {
        self.0
    }
}
