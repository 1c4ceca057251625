//! The lines of positions: what the line network sees of each row and column.

use tablut_rules::{Bitboard, BoardSize, GRID};

use super::description::{SPECIAL_PLANES, SPECIALS};
use crate::batch::SeenRow;
use crate::features::RULE_FEATURES;

/// Rows and columns of the largest board.
pub const MOST_LINES: usize = 2 * GRID;
/// Rule sets whose lines are known at the same time.
const MOST_CONTEXTS: usize = 256;
const LINE: u128 = (1 << GRID) - 1;

/// What the line network sees of a line. Equal lines have equal outputs.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub struct SeenLine {
    /// Eleven bits each for attackers, defenders and king, the line's first square lowest.
    pub pieces: u64,
    /// 0 if the attackers move, 1 if the defenders do.
    pub side: u8,
    pub class: u32,
}

impl SeenLine {
    pub fn key(self) -> u64 {
        u64::from(self.class) << (3 * GRID + 1) | u64::from(self.side) << (3 * GRID) | self.pieces
    }

    /// Whether the square at `place` has an attacker, a defender, a king.
    pub fn contents(self, place: usize) -> [bool; 3] {
        [0, 1, 2].map(|kind| self.pieces >> (kind * GRID + place) & 1 == 1)
    }
}

/// What a line has apart from pieces and the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct LineClass {
    /// The size of the board, and so the line's length.
    pub size: BoardSize,
    /// Distance from the nearest parallel edge.
    pub distance: usize,
    /// Eleven bits each for throne, corners, camps and escape squares.
    pub specials: u64,
    /// The features of the rules, `[RULE_FEATURES]`.
    pub rules: Vec<f32>,
}

impl LineClass {
    /// Whether the square at `place` is a throne, a corner, a camp, an escape square.
    pub fn special(&self, place: usize) -> [bool; SPECIALS] {
        std::array::from_fn(|kind| self.specials >> (kind * GRID + place) & 1 == 1)
    }
}

/// The classes of the lines that have been met.
#[derive(Default)]
pub struct Classes {
    known: Vec<LineClass>,
    contexts: Vec<Context>,
    last: usize,
}

/// The rules of a position, as its planes and features show them, and the classes of its lines.
struct Context {
    size: BoardSize,
    specials: [Bitboard; SPECIALS],
    rules: Vec<f32>,
    lines: [u32; MOST_LINES],
}

impl Classes {
    /// Whether positions of so many rule sets have been met that it is time to forget them.
    pub fn is_full(&self) -> bool {
        self.contexts.len() >= MOST_CONTEXTS
    }

    /// The number of rule sets that have been met.
    pub fn n_rules(&self) -> usize {
        self.contexts.len()
    }

    /// The features of one of these rule sets, `[RULE_FEATURES]`.
    pub fn rules(&self, index: usize) -> &[f32] {
        &self.contexts[index].rules
    }

    /// The rule set of the position whose lines were asked for last.
    pub fn last_rules(&self) -> usize {
        self.last
    }

    pub fn class(&self, line: SeenLine) -> &LineClass {
        &self.known[line.class as usize]
    }

    /// The rows of a position, then its columns, from its planes and features.
    pub fn lines(&mut self, row: SeenRow<'_>) -> impl Iterator<Item = SeenLine> + use<> {
        let SeenRow { size, planes, features } = row;
        let rules = &features[..RULE_FEATURES];
        let specials: [Bitboard; SPECIALS] = planes[SPECIAL_PLANES].try_into().expect("four planes");
        let is = |known: &Context| known.size == size && known.specials == specials && known.rules == rules;
        if !self.contexts.get(self.last).is_some_and(is) {
            self.last = self.contexts.iter().position(is).unwrap_or_else(|| self.add(size, specials, rules));
        }
        let classes = self.contexts[self.last].lines;
        let side = row.side() as u8;
        let pieces = [planes[0], planes[1], planes[2]].map(|squares| both_ways(size, squares));
        (0..2 * size.width()).map(move |at| {
            let [attackers, defenders, king] = pieces.each_ref().map(|lines| u64::from(lines[at]));
            SeenLine { pieces: attackers | defenders << GRID | king << (2 * GRID), side, class: classes[at] }
        })
    }

    fn add(&mut self, size: BoardSize, specials: [Bitboard; SPECIALS], rules: &[f32]) -> usize {
        let (each, width) = (specials.map(|squares| both_ways(size, squares)), size.width());
        let mut lines = [0; MOST_LINES];
        for (at, line) in lines.iter_mut().enumerate().take(2 * width) {
            let bits = |kind: usize| u64::from(each[kind][at]) << (kind * GRID);
            let distance = (at % width).min(width - 1 - at % width);
            let class = LineClass { size, distance, specials: (0..SPECIALS).map(bits).sum(), rules: rules.to_vec() };
            let place = self.known.iter().position(|other| *other == class).unwrap_or_else(|| {
                self.known.push(class);
                self.known.len() - 1
            });
            *line = place as u32;
        }
        self.contexts.push(Context { size, specials, rules: rules.to_vec(), lines });
        self.contexts.len() - 1
    }
}

/// A set's rows, then its columns, as bits.
fn both_ways(size: BoardSize, squares: Bitboard) -> [u16; MOST_LINES] {
    let (mut lines, width) = ([0; MOST_LINES], size.width());
    for row in 0..width {
        lines[row] = (squares.bits() >> (row * GRID) & LINE) as u16;
        let mut rest = lines[row];
        while rest != 0 {
            lines[width + rest.trailing_zeros() as usize] |= 1 << row;
            rest &= rest - 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InputBatch, encode};
    use tablut_rules::{Position, Rules, Side, Situation};

    #[test]
    fn the_documents_example_holds() {
        let rules = Rules::load("kvasir").unwrap();
        let view = Situation {
            rules: &rules,
            position: Position::start(Side::Attackers),
            occurrences: 0,
            plies_since_capture: 0,
            moves: &[][..],
        };
        let mut batch = InputBatch::default();
        encode(&view, &mut batch);
        let mut classes = Classes::default();
        let lines: Vec<_> = classes.lines(batch.row(0)).collect();
        assert_eq!(lines[4].pieces, 67_330_435);
        assert_eq!(lines[4].key(), lines[9 + 4].key());
        assert_eq!(classes.class(lines[4]).distance, 4);
        // The lines of equal distance have the same class under these rules.
        assert_eq!((lines[0].class, lines[0].class), (lines[8].class, lines[9].class));
    }

    #[test]
    fn rows_and_columns_hold_the_squares() {
        for size in BoardSize::ALL {
            let squares: Bitboard = size.squares().filter(|square| square.index() * 7 % 5 < 2).collect();
            let lines = both_ways(size, squares);
            for square in size.squares() {
                let (row, column) = (square.row(), square.column());
                let expected = squares.contains(square);
                assert_eq!(lines[row] >> column & 1 == 1, expected);
                assert_eq!(lines[size.width() + column] >> row & 1 == 1, expected);
            }
        }
    }
}
