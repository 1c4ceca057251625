//! Random moves and positions with more captures, sieges of the king and repetitions than uniformly random ones.

use tablut_rules::{
    Bitboard, BoardSize, CampEntry, Game, Landing, Move, MoveList, Piece, Position, Rules, Side, Square,
};

/// The `SplitMix64` generator.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// How a game's moves are chosen.
pub struct Taste {
    /// The king does not escape, so that more kings are captured.
    pub stays: bool,
    /// How often a side moves back, in per cent, so that positions repeat.
    pub back_percent: usize,
}

impl Taste {
    /// A legal move of a game that is not over.
    pub fn choose(&self, game: &Game, legal: &MoveList, random: &mut Random) -> Move {
        let position = game.position();
        let back = game.moves().rev().nth(1).map(|mv| Move::new(mv.to, mv.from));
        if let Some(back) = back.filter(|back| legal.contains(back) && random.percent(self.back_percent)) {
            return back;
        }
        let beside_king = position.king_board().neighbours();
        let applied: Vec<_> = legal.iter().map(|mv| (*mv, game.rules().apply(position, *mv))).collect();
        let stays = |winner: Option<Side>| !self.stays || winner != Some(Side::Defenders);
        let moves = applied.iter().filter(|(_, applied)| stays(applied.winner));
        let wanted: Vec<Move> = match random.below(4) {
            0 | 1 => moves.clone().filter(|(_, applied)| !applied.captured.is_empty()).map(|(mv, _)| *mv).collect(),
            2 => moves.clone().filter(|(mv, _)| beside_king.contains(mv.to)).map(|(mv, _)| *mv).collect(),
            _ => Vec::new(),
        };
        let any: Vec<Move> = moves.map(|(mv, _)| *mv).collect();
        let from = if !wanted.is_empty() {
            &wanted
        } else if !any.is_empty() {
            &any
        } else {
            return legal[random.below(legal.len())];
        };
        from[random.below(from.len())]
    }
}

/// A position with pieces on random squares on which they may stand, many of them near the king.
pub fn scatter(rules: &Rules, random: &mut Random) -> Position {
    let size = rules.size();
    let side = Side::ALL[random.below(2)];
    let king = loop {
        let square = match random.below(4) {
            0 => size.centre(),
            1 => near(size, size.centre(), random),
            _ => any_square(size, random),
        };
        if may_stand(rules, Piece::King, square) {
            break square;
        }
    };
    let mut boards = [Bitboard::EMPTY; 2];
    for (board, piece, most) in
        [(0, Piece::Attacker, size.most_attackers()), (1, Piece::Defender, size.most_defenders())]
    {
        for _ in 0..random.below(most + 1) {
            let square = if random.percent(60) { near(size, king, random) } else { any_square(size, random) };
            let is_free = square != king && !(boards[0] | boards[1]).contains(square);
            if is_free && may_stand(rules, piece, square) {
                boards[board].insert(square);
            }
        }
    }
    Position::from_parts(size, boards[0], boards[1], Some(king), side).expect("no two pieces share a square")
}

fn any_square(size: BoardSize, random: &mut Random) -> Square {
    size.square(random.below(size.n_squares()))
}

/// A square at most two steps away.
fn near(size: BoardSize, square: Square, random: &mut Random) -> Square {
    let mut step = || random.below(5) as isize - 2;
    let (column, row) = (square.column().checked_add_signed(step()), square.row().checked_add_signed(step()));
    match (column, row) {
        (Some(column), Some(row)) if column < size.width() && row < size.width() => Square::new(column, row),
        _ => square,
    }
}

fn may_stand(rules: &Rules, piece: Piece, square: Square) -> bool {
    let set = rules.set();
    let is_barred_from_camps = match set.camps.entry {
        CampEntry::Anyone => false,
        CampEntry::Soldiers => piece == Piece::King,
        _ => piece != Piece::Attacker,
    };
    let lands = |landing: Landing| landing == Landing::Anyone || (landing == Landing::King && piece == Piece::King);
    match piece {
        Piece::King if rules.escapes().contains(square) => false,
        Piece::Attacker | Piece::Defender if square == rules.size().centre() && !lands(set.throne.landing) => false,
        _ if rules.size().is_corner(square) && !lands(set.corners.landing) => false,
        _ => !(is_barred_from_camps && rules.camps().contains(square)),
    }
}
