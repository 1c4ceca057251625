//! Where an entry of the policy table starts and ends, and which line it runs along.

use crate::board::{SIZE, SQUARES};
use tablut_rules::Direction;

use super::patterns::LINES;
use crate::policy::{DISTANCES, POLICY_ENTRIES};

/// An entry of the policy table.
#[derive(Copy, Clone, Debug)]
pub enum Entry {
    /// A move.
    Move(MoveEntry),
    /// The choice of a captured piece on a square.
    Choice(usize),
}

/// A move along a line.
#[derive(Copy, Clone, Debug)]
pub struct MoveEntry {
    /// The square that it leaves, plus 81 for a move along a column.
    pub from: usize,
    /// The square that it reaches, likewise.
    pub to: usize,
    /// The line.
    pub line: usize,
    /// Place of the move among the moves of the line: `8 * start`, plus the end among the other squares.
    pub end: usize,
    /// Squares that it moves, minus 1.
    pub distance: usize,
}

/// Every entry of the policy table, in its order.
pub fn entries() -> Vec<Entry> {
    (0..POLICY_ENTRIES).map(entry).collect()
}

fn entry(index: usize) -> Entry {
    let (plane, from) = (index / SQUARES, index % SQUARES);
    let Some(direction) = Direction::ALL.get(plane / DISTANCES) else { return Entry::Choice(from) };
    let distance = plane % DISTANCES;
    let (row, column) = (from / SIZE, from % SIZE);
    let by = |place: usize, forward: bool| {
        let end = if forward { place.checked_add(distance + 1) } else { place.checked_sub(distance + 1) };
        // No legal move leaves the board. Its entry reads the edge.
        end.filter(|&end| end < SIZE).unwrap_or(if forward { SIZE - 1 } else { 0 })
    };
    let (line, start, stop, offset) = match direction {
        Direction::East | Direction::West => (row, column, by(column, *direction == Direction::East), 0),
        Direction::North | Direction::South => (SIZE + column, row, by(row, *direction == Direction::North), SQUARES),
    };
    debug_assert!(line < LINES);
    let to = if offset == 0 { row * SIZE + stop } else { stop * SIZE + column };
    let end = DISTANCES * start + (stop - usize::from(stop > start)).min(DISTANCES - 1);
    Entry::Move(MoveEntry { from: from + offset, to: to + offset, line, end, distance })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BOARD;
    use crate::policy::PolicyIndex;
    use tablut_rules::Move;

    #[test]
    fn every_move_is_found_by_its_entry() {
        let mut places = std::collections::HashSet::new();
        for (from, to) in BOARD.squares().flat_map(|from| BOARD.squares().map(move |to| (from, to))) {
            let (a, b) = (BOARD.place(from), BOARD.place(to));
            if a == b || (a / SIZE != b / SIZE && a % SIZE != b % SIZE) {
                continue;
            }
            let Entry::Move(found) = entry(usize::from(PolicyIndex::of(Move { from, to, choice: None }).entry)) else {
                panic!("{from}-{to} is no move");
            };
            let along_row = a / SIZE == b / SIZE;
            let offset = if along_row { 0 } else { SQUARES };
            assert_eq!((found.from, found.to), (a + offset, b + offset));
            assert_eq!(found.line, if along_row { a / SIZE } else { SIZE + a % SIZE });
            assert!(places.insert((found.line, found.end)), "{from}-{to} has a place of its own");
        }
        assert_eq!(places.len(), LINES * SIZE * DISTANCES);
    }
}
