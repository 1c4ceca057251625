//! Random positions and the numbers behind them, all from one seed.

use crate::board::{Board, THRONE, camp_group};
use crate::slow::Name;

/// `SplitMix64`: enough for tests, and the same on every machine.
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

    /// Whether something of this probability in percent happens.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// Pieces thrown onto the squares on which their kind may stand in a game of this name. Crowded
/// around the king half the time, so that captures of every kind come up.
pub fn scatter(name: Name, random: &mut Random) -> Board {
    let turn = if random.percent(50) { 'a' } else { 'd' };
    let mut board = Board { cells: [['.'; 9]; 9], turn };
    let king = loop {
        let at = (random.below(9) as i8, random.below(9) as i8);
        if may_stand(name, 'K', at) {
            break at;
        }
    };
    let king = if random.percent(15) { THRONE } else { king };
    board.set(king, 'K');
    let crowded = random.percent(50);
    for (piece, most) in [('t', 16), ('T', 8)] {
        for _ in 0..random.below(most + 1) {
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
