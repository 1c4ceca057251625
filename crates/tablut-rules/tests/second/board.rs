//! The second generator's board: characters by row and column, with its own geometry.

/// A square as column and row, from 0. It may be outside the board.
pub type At = (i8, i8);

/// North, east, south, west.
pub const DIRECTIONS: [At; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// The middle of a board of `n` by `n` squares.
pub fn throne(n: i8) -> At {
    (n / 2, n / 2)
}

pub fn inside(n: i8, at: At) -> bool {
    (0..n).contains(&at.0) && (0..n).contains(&at.1)
}

pub fn plus(at: At, step: At) -> At {
    (at.0 + step.0, at.1 + step.1)
}

pub fn is_edge(n: i8, at: At) -> bool {
    inside(n, at) && (at.0 == 0 || at.0 == n - 1 || at.1 == 0 || at.1 == n - 1)
}

pub fn is_corner(n: i8, at: At) -> bool {
    (at.0 == 0 || at.0 == n - 1) && (at.1 == 0 || at.1 == n - 1)
}

pub fn beside_throne(n: i8, at: At) -> bool {
    DIRECTIONS.iter().any(|&step| plus(at, step) == throne(n))
}

/// The group of a camp of Tablut's board: west, south, east, north; 0 for no camp.
pub fn camp_group(at: At) -> u8 {
    match at {
        (0, 3..=5) | (1, 4) => 1,
        (3..=5, 0) | (4, 1) => 2,
        (8, 3..=5) | (7, 4) => 3,
        (3..=5, 8) | (4, 7) => 4,
        _ => 0,
    }
}

/// The board by row and column, with `.` for an empty square, and the side to move. It has `n` by `n` squares.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Board {
    pub n: i8,
    pub cells: [[char; 11]; 11],
    pub turn: char,
}

impl Board {
    pub fn empty(n: i8, turn: char) -> Board {
        Board { n, cells: [['.'; 11]; 11], turn }
    }

    pub fn parse(text: &str) -> Board {
        let (rows, turn) = text.split_at(text.len() - 2);
        let n = rows.split('/').count() as i8;
        let mut board = Board::empty(n, turn.chars().nth(1).expect("a side to move"));
        for (i, row) in rows.split('/').enumerate() {
            let (mut column, mut number) = (0, 0);
            for c in row.chars() {
                if let Some(digit) = c.to_digit(10) {
                    number = 10 * number + digit as i8;
                } else {
                    board.set((column + number, n - 1 - i as i8), c);
                    (column, number) = (column + number + 1, 0);
                }
            }
        }
        board
    }

    pub fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in self.cells[..self.n as usize].iter().rev() {
            let mut line: String = row[..self.n as usize].iter().collect();
            for n in (1..=self.n as usize).rev() {
                line = line.replace(&".".repeat(n), &n.to_string());
            }
            rows.push(line);
        }
        format!("{} {}", rows.join("/"), self.turn)
    }

    /// Every square, row by row from a1.
    pub fn squares(&self) -> impl Iterator<Item = At> + use<> {
        let n = self.n;
        (0..n).flat_map(move |row| (0..n).map(move |column| (column, row)))
    }

    pub fn at(&self, at: At) -> char {
        if inside(self.n, at) { self.cells[at.1 as usize][at.0 as usize] } else { '#' }
    }

    pub fn set(&mut self, at: At, piece: char) {
        self.cells[at.1 as usize][at.0 as usize] = piece;
    }

    pub fn find_king(&self) -> Option<At> {
        self.squares().find(|&at| self.at(at) == 'K')
    }
}
