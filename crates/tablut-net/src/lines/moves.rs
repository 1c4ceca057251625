//! Where an entry of the policy table starts and ends, and which line it runs along.

use tablut_rules::{BoardSize, Direction};

use super::description::{DISTANCES, DISTANCES_AHEAD, ENDS};
use crate::policy::policy_entries;

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
    /// The square that it leaves, plus the number of squares for a move along a column.
    pub from: usize,
    /// The square that it reaches, likewise.
    pub to: usize,
    /// The line.
    pub line: usize,
    /// Place of the move's end among those of the line: `ENDS * start`, plus the kind of its end.
    pub end: usize,
    /// Squares that it moves, minus 1, and at most the last of the distances that the net knows.
    pub distance: usize,
}

/// Every entry of the policy table, in its order.
pub fn entries(size: BoardSize) -> Vec<Entry> {
    (0..policy_entries(size)).map(|index| entry(size, index)).collect()
}

fn entry(size: BoardSize, index: usize) -> Entry {
    let (squares, width) = (size.n_squares(), size.width());
    let (plane, from) = (index / squares, index % squares);
    let Some(direction) = Direction::ALL.get(plane / size.max_distance()) else { return Entry::Choice(from) };
    let distance = plane % size.max_distance();
    let (row, column) = (from / width, from % width);
    let forward = matches!(direction, Direction::East | Direction::North);
    let (line, start, offset) = match direction {
        Direction::East | Direction::West => (row, column, 0),
        Direction::North | Direction::South => (width + column, row, squares),
    };
    // No legal move leaves the board. Its entry reads the edge.
    let stop = if forward { (start + distance + 1).min(width - 1) } else { start.saturating_sub(distance + 1) };
    let to = if offset == 0 { row * width + stop } else { stop * width + column };
    let ahead = if forward { width - 1 - stop } else { stop };
    let kind = usize::from(forward) * DISTANCES_AHEAD + ahead.min(DISTANCES_AHEAD - 1);
    Entry::Move(MoveEntry {
        from: from + offset,
        to: to + offset,
        line,
        end: ENDS * start + kind,
        distance: distance.min(DISTANCES - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyIndex;
    use tablut_rules::Move;

    #[test]
    fn every_move_is_found_by_its_entry() {
        for size in BoardSize::ALL {
            let (width, squares) = (size.width(), size.n_squares());
            let mut ends = std::collections::HashSet::new();
            for (from, to) in size.squares().flat_map(|from| size.squares().map(move |to| (from, to))) {
                let (a, b) = (size.place(from), size.place(to));
                if a == b || (a / width != b / width && a % width != b % width) {
                    continue;
                }
                let index = PolicyIndex::of(size, Move { from, to, choice: None });
                let Entry::Move(found) = entry(size, usize::from(index.entry)) else {
                    panic!("{from}-{to} is no move");
                };
                let along_row = a / width == b / width;
                let offset = if along_row { 0 } else { squares };
                assert_eq!((found.from, found.to), (a + offset, b + offset));
                assert_eq!(found.line, if along_row { a / width } else { width + a % width });
                ends.insert((found.line, found.end));
            }
            // On Tablut's board every move along a line has an end of its own.
            if size == BoardSize::Nine {
                assert_eq!(ends.len(), 18 * 9 * 8);
            }
        }
    }
}
