//! The second generator's board: characters by row and column, with its own geometry.

/// A square as column and row, from 0. It may be outside the board.
pub type At = (i8, i8);

pub const THRONE: At = (4, 4);

/// North, east, south, west.
pub const DIRECTIONS: [At; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

pub fn inside(at: At) -> bool {
    (0..9).contains(&at.0) && (0..9).contains(&at.1)
}

pub fn plus(at: At, step: At) -> At {
    (at.0 + step.0, at.1 + step.1)
}

pub fn is_edge(at: At) -> bool {
    at.0 == 0 || at.0 == 8 || at.1 == 0 || at.1 == 8
}

pub fn is_corner(at: At) -> bool {
    (at.0 == 0 || at.0 == 8) && (at.1 == 0 || at.1 == 8)
}

pub fn beside_throne(at: At) -> bool {
    matches!(at, (4, 3 | 5) | (3 | 5, 4))
}

/// The group of a camp: west, south, east, north; 0 for no camp.
pub fn camp_group(at: At) -> u8 {
    match at {
        (0, 3..=5) | (1, 4) => 1,
        (3..=5, 0) | (4, 1) => 2,
        (8, 3..=5) | (7, 4) => 3,
        (3..=5, 8) | (4, 7) => 4,
        _ => 0,
    }
}

/// The board by row and column, with `.` for an empty square, and the side to move.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Board {
    pub cells: [[char; 9]; 9],
    pub turn: char,
}

impl Board {
    pub fn parse(text: &str) -> Board {
        let (rows, turn) = text.split_at(text.len() - 2);
        let mut cells = [['.'; 9]; 9];
        for (i, row) in rows.split('/').enumerate() {
            let mut column = 0;
            for c in row.chars() {
                if c.is_ascii_digit() {
                    column += c as usize - '0' as usize;
                } else {
                    cells[8 - i][column] = c;
                    column += 1;
                }
            }
        }
        Board { cells, turn: turn.chars().nth(1).expect("a side to move") }
    }

    pub fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in self.cells.iter().rev() {
            let mut line: String = row.iter().collect();
            for n in (1..=9).rev() {
                line = line.replace(&".".repeat(n), &n.to_string());
            }
            rows.push(line);
        }
        format!("{} {}", rows.join("/"), self.turn)
    }

    pub fn at(&self, at: At) -> char {
        if inside(at) { self.cells[at.1 as usize][at.0 as usize] } else { '#' }
    }

    pub fn set(&mut self, at: At, piece: char) {
        self.cells[at.1 as usize][at.0 as usize] = piece;
    }

    pub fn find_king(&self) -> Option<At> {
        (0..81i8).map(|i| (i % 9, i / 9)).find(|&at| self.at(at) == 'K')
    }
}
