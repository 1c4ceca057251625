//! Random positions and random numbers, all from one seed.

use crate::board::{At, Board, DIRECTIONS, camp_group, inside, is_corner, plus, throne};
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
    let n = name.n() as usize;
    let mut board = Board::empty(name.n(), turn);
    if random.percent(30) {
        trap(name, &mut board, random);
    }
    let king = loop {
        let at = (random.below(n) as i8, random.below(n) as i8);
        if may_stand(name, 'K', at) {
            break at;
        }
    };
    let king = if random.percent(25) { throne(name.n()) } else { king };
    if board.at(king) != '.' {
        board.set(king, '.');
    }
    board.set(king, 'K');
    if random.percent(30) {
        besiege(name, &mut board, king, random);
    }
    let crowded = random.percent(50);
    for (piece, most) in [('t', most(name, 't')), ('T', most(name, 'T'))] {
        for _ in count(&board, piece)..random.below(most + 1) {
            let at = if crowded && random.percent(60) {
                (king.0 + random.below(7) as i8 - 3, king.1 + random.below(7) as i8 - 3)
            } else {
                (random.below(n) as i8, random.below(n) as i8)
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
    let n = name.n() as usize;
    let square = (random.below(n) as i8, random.below(n) as i8);
    let open = random.below(4);
    for (i, step) in DIRECTIONS.into_iter().enumerate() {
        let next = plus(square, step);
        let beyond = plus(next, step);
        let pieces = if i == open { [('.', next), (own, beyond)] } else { [(enemy, next), (own, beyond)] };
        for (piece, at) in pieces {
            if inside(board.n, at) && piece != '.' && random.percent(80) && may_join(name, board, piece, at) {
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
            if inside(board.n, at) && board.at(at) == '.' && random.percent(85) && may_join(name, board, piece, at) {
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
    count(board, piece) < most(name, piece) && may_stand(name, piece, at)
}

/// The largest number of attackers or defenders.
fn most(name: Name, piece: char) -> usize {
    let attackers = match name.n() {
        7 => 8,
        9 => 16,
        _ => 24,
    };
    if piece == 't' { attackers } else { attackers / 2 }
}

/// Puts pieces close to one edge, or a ring of attackers around all defenders, so that shield walls, forts and
/// encirclement occur.
pub fn crowd(name: Name, random: &mut Random) -> Board {
    let n = name.n();
    let mut board = Board::empty(n, if random.percent(50) { 'a' } else { 'd' });
    let put = |board: &mut Board, piece: char, at: At| {
        if inside(n, at) && board.at(at) == '.' && may_join(name, board, piece, at) {
            board.set(at, piece);
        }
    };
    let any = |random: &mut Random, from: i8, to: i8| from + random.below((to - from) as usize) as i8;
    if random.percent(70) {
        // Three rows along an edge. A turn of the board puts them along another one.
        let king = (any(random, 1, n - 1), if random.percent(60) { 0 } else { any(random, 0, 3) });
        put(&mut board, 'K', king);
        let span = any(random, 3, n);
        let chance = 30 + random.below(50);
        let defenders = 20 + random.below(60);
        for row in 0..3 {
            for column in king.0 - span..=king.0 + span {
                if random.percent(chance) {
                    put(&mut board, if random.percent(defenders) { 'T' } else { 't' }, (column, row));
                }
            }
        }
    } else {
        let king = (any(random, 2, n - 2), any(random, 2, n - 2));
        put(&mut board, 'K', king);
        let radius = any(random, 2, 4);
        for row in -radius..=radius {
            for column in -radius..=radius {
                let at = (king.0 + column, king.1 + row);
                if row.abs().max(column.abs()) == radius {
                    if random.percent(97) {
                        put(&mut board, 't', at);
                    }
                } else if random.percent(30) {
                    put(&mut board, 'T', at);
                }
            }
        }
    }
    for _ in 0..random.below(6) {
        put(&mut board, 't', (any(random, 0, n), any(random, 0, n)));
    }
    let turns = random.below(4);
    (0..turns).fold(board, |board, _| {
        let mut turned = Board::empty(n, board.turn);
        for (column, row) in board.squares() {
            turned.set((n - 1 - row, column), board.at((column, row)));
        }
        turned
    })
}

fn may_stand(name: Name, piece: char, at: (i8, i8)) -> bool {
    let corner = is_corner(name.n(), at);
    let ordinary_throne = matches!(
        name,
        Name::Imperial | Name::Masters | Name::MastersEdge | Name::MastersWeakKing | Name::MastersArmedKing
    ) || name.is_tawlbwrdd();
    let king_only_corners = name.has_corners();
    let camp = camp_group(at) != 0;
    match piece {
        'K' => !(camp && matches!(name, Name::Linnaeus | Name::LinnaeusOpenCamps | Name::Ashton)),
        _ if at == throne(name.n()) => ordinary_throne,
        _ if corner && king_only_corners => false,
        'T' => !(camp && matches!(name, Name::Linnaeus | Name::Ashton)),
        _ => true,
    }
}
