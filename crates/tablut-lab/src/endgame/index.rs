//! Maps positions to slots: a class of material has one slot for each position up to the board's symmetries.

use std::ops::Range;

use tablut_rules::{Bitboard, BoardSize, GRID_SQUARES, Move, Piece, Position, Side, Square, Symmetry};

use super::material::Material;
use super::standing::Standing;

/// The slots of one class of material.
///
/// A slot combines the side to move, the king's square, and the combination numbers of the defenders' and the
/// attackers' squares. A symmetry maps the king's square to its representative, the equivalent square with the lowest
/// index. If several symmetries do, the lowest slot counts. So symmetric positions share a slot. Slots that are not the
/// lowest, and slots in which pieces share a square, are unused.
#[derive(Clone, Debug)]
pub(super) struct Index {
    size: BoardSize,
    kings: Vec<Square>,
    /// By square: the index in `kings` and the symmetries that map the square to that square. The list is empty if the
    /// king cannot stand on the square.
    turns: Vec<(usize, Vec<Symmetry>)>,
    defenders: Combinations,
    attackers: Combinations,
}

/// The numbers that a slot combines.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    side: usize,
    king: usize,
    defenders: usize,
    attackers: usize,
}

impl Index {
    pub(super) fn new(standing: &Standing, material: Material) -> Self {
        let size = standing.size();
        let squares = standing.squares(Piece::King);
        let kings: Vec<Square> = squares.iter().filter(|&square| representative(size, square) == square).collect();
        let mut turns = vec![(0, Vec::new()); GRID_SQUARES];
        for square in size.squares() {
            let target = representative(size, square);
            let Some(place) = kings.iter().position(|&king| king == target) else { continue };
            let symmetries = Symmetry::ALL.into_iter().filter(|s| s.square(size, square) == target);
            turns[square.index()] = (place, symmetries.collect());
        }
        Self {
            size,
            turns,
            kings,
            defenders: Combinations::new(size, standing.squares(Piece::Defender), material.defenders),
            attackers: Combinations::new(size, standing.squares(Piece::Attacker), material.attackers),
        }
    }

    pub(super) fn slots_of(standing: &Standing, material: Material) -> u128 {
        let size = standing.size();
        let kings =
            standing.squares(Piece::King).iter().filter(|&square| representative(size, square) == square).count();
        let soldiers = |piece, n_pieces| binomial(standing.squares(piece).len(), n_pieces);
        2 * kings as u128
            * soldiers(Piece::Defender, material.defenders)
            * soldiers(Piece::Attacker, material.attackers)
    }

    pub(super) fn n_slots(&self) -> usize {
        2 * self.kings.len() * self.defenders.boards.len() * self.attackers.boards.len()
    }

    /// The position's slot, or `None` if the class has no such position.
    pub(super) fn slot(&self, position: &Position) -> Option<usize> {
        let parts = Parts {
            side: position.side_to_move().index(),
            king: 0,
            defenders: self.defenders.number(position.defenders())?,
            attackers: self.attackers.number(position.attackers())?,
        };
        self.lowest(position.king()?, parts)
    }

    /// The lowest slot of the images with the king on his representative, or `None` if he cannot stand on his square.
    fn lowest(&self, king: Square, parts: Parts) -> Option<usize> {
        let (king, turns) = &self.turns[king.index()];
        let parts = Parts { king: *king, ..parts };
        turns.iter().map(|&symmetry| self.slot_after(symmetry, parts)).min()
    }

    /// The position of a slot, or `None` if the slot is not used.
    pub(super) fn position(&self, slot: usize) -> Option<Position> {
        let parts = self.parts(slot);
        let (attackers, defenders) = (self.attackers.boards[parts.attackers], self.defenders.boards[parts.defenders]);
        let king = self.kings[parts.king];
        if attackers.intersects(defenders) || (attackers | defenders).contains(king) {
            return None;
        }
        if self.turns[king.index()].1.iter().any(|&symmetry| self.slot_after(symmetry, parts) < slot) {
            return None;
        }
        Position::from_parts(self.size, attackers, defenders, Some(king), Side::ALL[parts.side]).ok()
    }

    /// The slot after a move that captures nothing and is no escape of the king. `parts` are those of the position's slot.
    pub(super) fn slot_after_move(&self, mut parts: Parts, position: &Position, mv: Move) -> usize {
        let moved = |set: Bitboard| set ^ Bitboard::of(mv.from) ^ Bitboard::of(mv.to);
        let mut king = self.kings[parts.king];
        if parts.side == Side::Attackers.index() {
            parts.attackers =
                self.attackers.number(moved(position.attackers())).expect("an attacker reaches the square");
        } else if mv.from == king {
            king = mv.to;
        } else {
            parts.defenders =
                self.defenders.number(moved(position.defenders())).expect("a defender reaches the square");
        }
        parts.side = 1 - parts.side;
        self.lowest(king, parts).expect("the king does not escape")
    }

    pub(super) fn slots(&self, side: Side) -> Range<usize> {
        let n_slots = self.n_slots() / 2;
        side.index() * n_slots..(side.index() + 1) * n_slots
    }

    pub(super) fn side_to_move(&self, slot: usize) -> Side {
        Side::ALL[self.parts(slot).side]
    }

    /// The number of different images of the position of a used slot under the symmetries, from 1 to 8.
    pub(super) fn n_images(&self, slot: usize) -> u64 {
        let parts = self.parts(slot);
        let turns = &self.turns[self.kings[parts.king].index()].1;
        let same = turns.iter().filter(|&&symmetry| self.slot_after(symmetry, parts) == slot);
        (Symmetry::ALL.len() / same.count()) as u64
    }

    pub(super) fn parts(&self, slot: usize) -> Parts {
        let (rest, attackers) = (slot / self.attackers.boards.len(), slot % self.attackers.boards.len());
        let (rest, defenders) = (rest / self.defenders.boards.len(), rest % self.defenders.boards.len());
        Parts { side: rest / self.kings.len(), king: rest % self.kings.len(), defenders, attackers }
    }

    /// The slot of the soldiers' image. The king's square is that of the parts.
    fn slot_after(&self, symmetry: Symmetry, parts: Parts) -> usize {
        let slot = parts.side * self.kings.len() + parts.king;
        let slot = slot * self.defenders.boards.len() + self.defenders.image(symmetry, parts.defenders);
        slot * self.attackers.boards.len() + self.attackers.image(symmetry, parts.attackers)
    }
}

/// The image of a square with the lowest index.
fn representative(size: BoardSize, square: Square) -> Square {
    Symmetry::ALL
        .into_iter()
        .map(|symmetry| symmetry.square(size, square))
        .min_by_key(|image| image.index())
        .unwrap_or(square)
}

/// All ways to place a number of equal pieces on a set of squares, numbered in the order of their highest square, then
/// the next, and so on (the combinatorial number system). The set is symmetric.
#[derive(Clone, Debug)]
struct Combinations {
    n_pieces: usize,
    /// By square: its index in the set, or [`OUTSIDE`].
    places: [u8; GRID_SQUARES],
    /// `binomials[k][n]` is the number of ways to choose `k + 1` of `n`.
    binomials: Vec<[usize; GRID_SQUARES]>,
    boards: Vec<Bitboard>,
    /// By number, then by [`Symmetry::index`]: the number of the image.
    images: Vec<[u32; 8]>,
}

/// Stands for a square that is not in the set.
const OUTSIDE: u8 = u8::MAX;

impl Combinations {
    fn new(size: BoardSize, squares: Bitboard, n_pieces: usize) -> Self {
        let mut places = [OUTSIDE; GRID_SQUARES];
        for (place, square) in squares.iter().enumerate() {
            places[square.index()] = place as u8;
        }
        let row = |k: usize| std::array::from_fn(|n| binomial(n, k + 1) as usize);
        let squares: Vec<Square> = squares.iter().collect();
        let mut boards = Vec::with_capacity(binomial(squares.len(), n_pieces) as usize);
        list(&squares, n_pieces, Bitboard::EMPTY, &mut boards);
        let binomials = (0..n_pieces).map(row).collect();
        let mut all = Self { n_pieces, places, binomials, boards, images: Vec::new() };
        let image = |board: Bitboard, symmetry: Symmetry| {
            all.number(symmetry.bitboard(size, board)).expect("the set is symmetric") as u32
        };
        all.images = all.boards.iter().map(|&board| Symmetry::ALL.map(|symmetry| image(board, symmetry))).collect();
        all
    }

    /// The number of a set, or `None` if the number of pieces differs or a square is not among the squares.
    fn number(&self, set: Bitboard) -> Option<usize> {
        if set.len() != self.n_pieces {
            return None;
        }
        let mut number = 0;
        for (square, binomials) in set.iter().zip(&self.binomials) {
            match self.places[square.index()] {
                OUTSIDE => return None,
                place => number += binomials[usize::from(place)],
            }
        }
        Some(number)
    }

    /// The number of a set's image.
    fn image(&self, symmetry: Symmetry, number: usize) -> usize {
        if symmetry == Symmetry::Identity { number } else { self.images[number][symmetry.index()] as usize }
    }
}

/// Appends every subset of `squares` with `n_pieces` squares, united with `rest`.
fn list(squares: &[Square], n_pieces: usize, rest: Bitboard, into: &mut Vec<Bitboard>) {
    if n_pieces == 0 {
        into.push(rest);
        return;
    }
    for highest in n_pieces - 1..squares.len() {
        list(&squares[..highest], n_pieces - 1, rest | Bitboard::of(squares[highest]), into);
    }
}

/// The number of ways to choose `k` of `n`.
fn binomial(n: usize, k: usize) -> u128 {
    if k > n { 0 } else { (0..k as u128).fold(1, |product, i| product * (n as u128 - i) / (i + 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use tablut_rules::Rules;

    #[test]
    fn every_position_has_one_slot_and_its_images_share_it() {
        for (name, material) in [("masters", "0v1"), ("kvasir", "1v1"), ("ashton", "0v2"), ("brandubh", "1v2")] {
            let standing = Standing::new(&Rules::named(name).unwrap());
            let material: Material = material.parse().unwrap();
            let index = Index::new(&standing, material);
            assert_eq!(index.n_slots() as u128, Index::slots_of(&standing, material));
            let mut n_positions = 0;
            for slot in 0..index.n_slots() {
                let Some(position) = index.position(slot) else { continue };
                for symmetry in Symmetry::ALL {
                    assert_eq!(index.slot(&symmetry.position(&position)), Some(slot), "{name}: {position}");
                }
                let images: HashSet<Position> = Symmetry::ALL.map(|symmetry| symmetry.position(&position)).into();
                assert_eq!(index.n_images(slot), images.len() as u64, "{name}: {position}");
                n_positions += index.n_images(slot);
            }
            assert_eq!(n_positions, count(&standing, material), "{name}, {material}");
        }
    }

    /// The number of positions, counted by placing the pieces one after the other.
    fn count(standing: &Standing, material: Material) -> u64 {
        let mut n_positions = 0;
        for king in standing.squares(Piece::King) {
            let free = standing.size().board() - Bitboard::of(king);
            let squares: Vec<Square> = (standing.squares(Piece::Defender) & free).iter().collect();
            let mut defenders = Vec::new();
            list(&squares, material.defenders, Bitboard::EMPTY, &mut defenders);
            for defenders in defenders {
                let free = (standing.squares(Piece::Attacker) & free) - defenders;
                n_positions += 2 * binomial(free.len(), material.attackers) as u64;
            }
        }
        n_positions
    }
}
