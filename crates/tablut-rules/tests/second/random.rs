//! Random positions and random numbers, all from one seed.

use crate::board::{At, Board, DIRECTIONS, THRONE, camp_group, inside, plus};
use crate::slow::Name;

/// The generator `SplitMix64`. It gives the same numbers on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// True with a probability of `chance` percent.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// Puts pieces on random squares that their kind may occupy under this rule set. In half of the positions most pieces
/// are near the king. Many positions have pieces around the king or around a to square, so that all kinds of captures
/// occur.
pub fn scatter(name: Name, random: &mut Random) -> Board {
    let turn = if random.percent(50) { 'a' } else { 'd' };
    let mut board = Board { cells: [['.'; 9]; 9], turn };
    if random.percent(30) {
        trap(name, &mut board, random);
    }
    let king = loop {
        let at = (random.below(9) as i8, random.below(9) as i8);
        if may_stand(name, 'K', at) {
            break at;
        }
    };
    let king = if random.percent(25) { THRONE } else { king };
    if board.at(king) != '.' {
        board.set(king, '.');
    }
    board.set(king, 'K');
    if random.percent(30) {
        besiege(name, &mut board, king, random);
    }
    let crowded = random.percent(50);
    for (piece, most) in [('t', 16), ('T', 8)] {
        for _ in count(&board, piece)..random.below(most + 1) {
            let at = if crowded && random.percent(60) {
                (king.0 + random.below(7) as i8 - 3, king.1 + random.below(7) as i8 - 3)
            } else {
                (random.below(9) as i8, random.below(9) as i8)
            };
            if board.at(at) == '.' && may_stand(name, piece, at) {
                board.set(at, piece);
            }
        }
    }
    board
}

/// Adds enemies around an empty square, captors behind them, and a piece that can move to the square.
fn trap(name: Name, board: &mut Board, random: &mut Random) {
    let (own, enemy) = if board.turn == 'a' { ('t', 'T') } else { ('T', 't') };
    let square = (random.below(9) as i8, random.below(9) as i8);
    let open = random.below(4);
    for (i, step) in DIRECTIONS.into_iter().enumerate() {
        let next = plus(square, step);
        let beyond = plus(next, step);
        let pieces = if i == open { [('.', next), (own, beyond)] } else { [(enemy, next), (own, beyond)] };
        for (piece, at) in pieces {
            if inside(at) && piece != '.' && random.percent(80) && may_join(name, board, piece, at) {
                board.set(at, piece);
            }
        }
    }
}

/// Adds pieces beside the king and behind those pieces.
fn besiege(name: Name, board: &mut Board, king: At, random: &mut Random) {
    for step in DIRECTIONS {
        let next = plus(king, step);
        for (at, attackers) in [(next, 60), (plus(next, step), 15)] {
            let piece = if random.percent(attackers) { 't' } else { 'T' };
            if inside(at) && board.at(at) == '.' && random.percent(85) && may_join(name, board, piece, at) {
                board.set(at, piece);
            }
        }
    }
}

fn count(board: &Board, piece: char) -> usize {
    board.cells.as_flattened().iter().filter(|&&c| c == piece).count()
}

/// Whether one more piece may be put on a square.
fn may_join(name: Name, board: &Board, piece: char, at: At) -> bool {
    count(board, piece) < if piece == 't' { 16 } else { 8 } && may_stand(name, piece, at)
}

fn may_stand(name: Name, piece: char, at: (i8, i8)) -> bool {
    let corner = matches!(at, (0 | 8, 0 | 8));
    let ordinary_throne = matches!(
        name,
        Name::Imperial | Name::Masters | Name::MastersEdge | Name::MastersWeakKing | Name::MastersArmedKing
    );
    let king_only_corners =
        matches!(name, Name::Ludoteka | Name::Masters | Name::MastersWeakKing | Name::MastersArmedKing | Name::Tartu);
    let camp = camp_group(at) != 0;
    match piece {
        'K' => !(camp && matches!(name, Name::Linnaeus | Name::LinnaeusOpenCamps | Name::Ashton)),
        _ if at == THRONE => ordinary_throne,
        _ if corner && king_only_corners => false,
        'T' => !(camp && matches!(name, Name::Linnaeus | Name::Ashton)),
        _ => true,
    }
}
