//! Counts legal moves without listing them, and sequences of moves (perft, the standard test of move generators). The
//! moves of all soldiers of a side are computed in parallel, on bitboards.

use std::ops::ControlFlow;

use crate::bitboard::Bitboard;
use crate::board::{BoardSize, Direction, GRID};
use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::rays::RAYS;
use crate::rules::{Rules, Walk};
use crate::side::{Piece, Side};

/// Rounds of [`slide`] on the two smaller boards and on the largest.
pub(super) const SHORT: u32 = BoardSize::Nine.doublings();
const LONG: u32 = BoardSize::Eleven.doublings();

impl Rules {
    /// The number of legal moves. It equals the length of the list from [`Rules::legal_moves`].
    pub fn count_legal_moves(&self, position: &Position) -> u32 {
        if self.decided(position).is_some() {
            return 0;
        }
        let choices = if self.one_chosen { self.count_choices(position) } else { 0 };
        // The rounds are a constant of the code, so that the compiler unrolls them.
        choices
            + if self.long_lines {
                self.count_without_choices::<LONG>(position)
            } else {
                self.count_without_choices::<SHORT>(position)
            }
    }

    /// The number of legal moves if each of them counts once, whatever it captures.
    #[inline]
    fn count_without_choices<const ROUNDS: u32>(&self, position: &Position) -> u32 {
        let occupied = position.occupied();
        match position.side_to_move() {
            Side::Attackers => slides::<ROUNDS>(&self.walks[Piece::Attacker.index()], position.attackers(), occupied),
            Side::Defenders => {
                let soldiers = slides::<ROUNDS>(&self.walks[Piece::Defender.index()], position.defenders(), occupied);
                soldiers + self.king_moves(position).len() as u32
            }
        }
    }

    /// The number of legal move sequences of exactly `depth` plies. Sequences in which the game ends earlier are not
    /// counted. Repetition and ply limits are ignored. The last ply is counted but not played.
    pub fn perft(&self, position: &Position, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => u64::from(self.count_legal_moves(position)),
            _ => {
                let mut total = 0;
                let _ = self.visit_moves(position, |mv| {
                    let applied = self.apply(position, mv);
                    if applied.winner.is_none() {
                        total += self.perft(&applied.position, depth - 1);
                    }
                    ControlFlow::Continue(())
                });
                total
            }
        }
    }

    /// The number of sequences of `depth` plies that begin with each legal move, in move order.
    pub fn perft_divide(&self, position: &Position, depth: u32) -> Vec<(Move, u64)> {
        let Some(rest) = depth.checked_sub(1) else {
            return Vec::new();
        };
        let mut moves = MoveList::new();
        self.legal_moves(position, &mut moves);
        let count = |mv: &Move| {
            let applied = self.apply(position, *mv);
            let counted = if rest == 0 {
                1
            } else if applied.winner.is_some() {
                0
            } else {
                self.perft(&applied.position, rest)
            };
            (*mv, counted)
        };
        moves.iter().map(count).collect()
    }

    /// The additional moves for choices among several captures (clause IC5), beyond one move per from and to square.
    fn count_choices(&self, position: &Position) -> u32 {
        let occupied = position.occupied();
        let mut extra = 0;
        for to in self.choice_squares(position) {
            let lines = Direction::ALL.into_iter().fold(Bitboard::EMPTY, |all, d| all | RAYS.ray(to, d));
            for from in position.pieces(position.side_to_move()) & lines {
                let Some(piece) = position.piece_at(from) else { continue };
                if self.targets(piece, from, occupied).iter().any(|line| line.contains(to)) {
                    extra += (self.surrounded(position, from, to).len() as u32).saturating_sub(1);
                }
            }
        }
        extra
    }

    /// The empty squares from which a piece may surround two or more enemies. The set may contain other squares.
    pub(super) fn choice_squares(&self, position: &Position) -> Bitboard {
        let [once, twice] = self.capturing_squares(position);
        match position.side_to_move() {
            Side::Attackers => twice | (once & position.king_board().neighbours()),
            Side::Defenders => twice,
        }
    }

    /// The empty squares from which a piece of the side to move may surround soldiers: at least one, and at least two.
    /// The sets may contain other squares. They leave out the capture of a pinned defender.
    pub(super) fn capturing_squares(&self, position: &Position) -> [Bitboard; 2] {
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
        if self.shield_walls {
            // A row ends beside an enemy on the edge.
            let squares = ((enemies & self.edge).neighbours() & self.edge) - occupied;
            twice |= squares;
            once |= squares;
        }
        [once, twice]
    }
}

/// The moves of all soldiers of a kind. In one direction no two pieces reach the same square, because the nearer piece
/// blocks the other. So the number of reached squares is the number of moves.
#[inline]
fn slides<const ROUNDS: u32>(walk: &Walk, pieces: Bitboard, occupied: Bitboard) -> u32 {
    let landing = !walk.barred.bits();
    let passing = !walk.halting.bits();
    let pieces = pieces.bits();
    let open = walk.open.map(|open| open.bits() & !occupied.bits());
    let north = slide::<ROUNDS, GRID, true>(pieces, open[0] & passing) << GRID & open[0];
    let east = slide::<ROUNDS, 1, true>(pieces, open[1] & passing) << 1 & open[1];
    let south = slide::<ROUNDS, GRID, false>(pieces, open[2] & passing) >> GRID & open[2];
    let west = slide::<ROUNDS, 1, false>(pieces, open[3] & passing) >> 1 & open[3];
    [north, east, south, west].iter().map(|reached| (reached & landing).count_ones()).sum()
}

/// The pieces and the squares that they pass, without the last step of the longest move. Each round doubles the
/// distance (Kogge and Stone 1973).
#[inline]
fn slide<const ROUNDS: u32, const STEP: usize, const UP: bool>(pieces: u128, mut open: u128) -> u128 {
    let shift = |set: u128, n: usize| if UP { set << (n * STEP) } else { set >> (n * STEP) };
    let mut passed = pieces;
    for round in 0..ROUNDS {
        let n = 1 << round;
        passed |= open & shift(passed, n);
        open &= shift(open, n);
    }
    passed
}
