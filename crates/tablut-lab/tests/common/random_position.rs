//! Random positions for checks of the tables.

use rand::{Rng, rngs::ChaCha8Rng};
use tablut_lab::Material;
use tablut_rules::{Bitboard, BoardSize, Position, Side};

/// A random placement of the material. The tables may not have it.
pub fn random_position(size: BoardSize, material: Material, rng: &mut ChaCha8Rng) -> Position {
    let mut taken = Bitboard::EMPTY;
    let mut place = || loop {
        let square = size.square(rng.next_u32() as usize % size.n_squares());
        if !taken.contains(square) {
            taken.insert(square);
            return square;
        }
    };
    let king = place();
    let defenders = (0..material.defenders).map(|_| place()).collect();
    let attackers = (0..material.attackers).map(|_| place()).collect();
    let side = Side::ALL[rng.next_u32() as usize % 2];
    Position::from_parts(size, attackers, defenders, Some(king), side).expect("every piece has its square")
}
