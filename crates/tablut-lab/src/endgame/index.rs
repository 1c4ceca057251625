//! Maps positions to slots: a class of material has one slot for each position up to the board's symmetries.

use tablut_rules::{Bitboard, BoardSize, GRID_SQUARES, Piece, Position, Side, Square, Symmetry};

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
            defenders: Combinations::new(standing.squares(Piece::Defender), material.defenders),
            attackers: Combinations::new(standing.squares(Piece::Attacker), material.attackers),
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
        let (place, turns) = &self.turns[position.king()?.index()];
        turns.iter().filter_map(|&symmetry| self.slot_after(symmetry, *place, position)).min()
    }

    /// The position of a slot, or `None` if the slot is not used.
    pub(super) fn position(&self, slot: usize) -> Option<Position> {
        let (rest, attackers) = (slot / self.attackers.boards.len(), slot % self.attackers.boards.len());
        let (rest, defenders) = (rest / self.defenders.boards.len(), rest % self.defenders.boards.len());
        let (side, king) = (rest / self.kings.len(), self.kings[rest % self.kings.len()]);
        let (attackers, defenders) = (self.attackers.boards[attackers], self.defenders.boards[defenders]);
        let position = Position::from_parts(self.size, attackers, defenders, Some(king), Side::ALL[side]).ok()?;
        let (place, turns) = &self.turns[king.index()];
        let lowest = |&symmetry: &Symmetry| {
            symmetry == Symmetry::Identity || self.slot_after(symmetry, *place, &position) >= Some(slot)
        };
        turns.iter().all(lowest).then_some(position)
    }

    /// The slot of the position's image, whose king stands on `self.kings[king_place]`.
    fn slot_after(&self, symmetry: Symmetry, king_place: usize, position: &Position) -> Option<usize> {
        let attackers = self.attackers.number(self.size, symmetry, position.attackers())?;
        let defenders = self.defenders.number(self.size, symmetry, position.defenders())?;
        let slot = position.side_to_move().index() * self.kings.len() + king_place;
        let slot = slot * self.defenders.boards.len() + defenders;
        Some(slot * self.attackers.boards.len() + attackers)
    }
}

/// The number of different images of a position under the symmetries, from 1 to 8.
pub(super) fn n_images(position: &Position) -> u64 {
    let same = Symmetry::ALL.into_iter().filter(|symmetry| symmetry.position(position) == *position);
    (Symmetry::ALL.len() / same.count()) as u64
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
/// the next, and so on (the combinatorial number system).
#[derive(Clone, Debug)]
struct Combinations {
    n_pieces: usize,
    /// By square: its index in the set, or [`OUTSIDE`].
    places: [u8; GRID_SQUARES],
    /// `binomials[k][n]` is the number of ways to choose `k + 1` of `n`.
    binomials: Vec<[usize; GRID_SQUARES]>,
    boards: Vec<Bitboard>,
}

/// Stands for a square that is not in the set.
const OUTSIDE: u8 = u8::MAX;

impl Combinations {
    fn new(squares: Bitboard, n_pieces: usize) -> Self {
        let mut places = [OUTSIDE; GRID_SQUARES];
        for (place, square) in squares.iter().enumerate() {
            places[square.index()] = place as u8;
        }
        let row = |k: usize| std::array::from_fn(|n| binomial(n, k + 1) as usize);
        let squares: Vec<Square> = squares.iter().collect();
        let mut boards = Vec::with_capacity(binomial(squares.len(), n_pieces) as usize);
        list(&squares, n_pieces, Bitboard::EMPTY, &mut boards);
        Self { n_pieces, places, binomials: (0..n_pieces).map(row).collect(), boards }
    }

    /// The number of the image of `set`, or `None` if the number of pieces differs or a square is not in the set.
    fn number(&self, size: BoardSize, symmetry: Symmetry, set: Bitboard) -> Option<usize> {
        if set.len() != self.n_pieces {
            return None;
        }
        let image = if symmetry == Symmetry::Identity { set } else { symmetry.bitboard(size, set) };
        let mut number = 0;
        for (square, binomials) in image.iter().zip(&self.binomials) {
            match self.places[square.index()] {
                OUTSIDE => return None,
                place => number += binomials[usize::from(place)],
            }
        }
        Some(number)
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
    use tablut_rules::Rules;

    #[test]
    fn every_position_has_one_slot_and_its_images_share_it() {
        for (name, material) in [("masters", "0v1"), ("kvasir", "1v1"), ("ashton", "0v2")] {
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
                n_positions += n_images(&position);
            }
            assert_eq!(n_positions, count(&standing, material), "{name}, {material}");
        }
    }

    /// The number of positions, counted by placing the pieces one after the other.
    fn count(standing: &Standing, material: Material) -> u64 {
        let mut n_positions = 0;
        for king in standing.squares(Piece::King) {
            let free = BoardSize::Nine.board() - Bitboard::of(king);
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
