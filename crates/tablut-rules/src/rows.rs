//! Reads the rows of a board from text.

use crate::bitboard::Bitboard;
use crate::board::{N_ATTACKERS, N_DEFENDERS, SIZE, Square};
use crate::side::Piece;

/// Reads rows joined by `/`, from the top row down. Returns the squares of each kind of piece, in the order of
/// [`Piece::ALL`], or all errors.
pub(crate) fn parse_rows(text: &str) -> Result<[Bitboard; 3], Vec<String>> {
    parse_rows_in(text, (0..SIZE).rev())
}

/// Like [`parse_rows`], but with the rows in the given order.
pub(crate) fn parse_rows_in(text: &str, rows: impl Iterator<Item = usize>) -> Result<[Bitboard; 3], Vec<String>> {
    let mut boards = [Bitboard::EMPTY; 3];
    let mut faults = Vec::new();
    let n_rows = text.split('/').count();
    if n_rows != SIZE {
        faults.push(format!("{n_rows} rows, expected {SIZE}"));
    }
    for (row_text, row) in text.split('/').zip(rows) {
        parse_row(row_text, row, &mut boards, &mut faults);
    }
    let limits = [N_ATTACKERS, N_DEFENDERS, 1];
    for (piece, limit) in Piece::ALL.into_iter().zip(limits) {
        let count = boards[piece.index()].len();
        if count > limit {
            faults.push(format!("{count} {piece}s, expected at most {limit}"));
        }
    }
    if faults.is_empty() { Ok(boards) } else { Err(faults) }
}

/// Reads one row into the boards and records its errors.
fn parse_row(text: &str, row: usize, boards: &mut [Bitboard; 3], faults: &mut Vec<String>) {
    let mut column = 0;
    for letter in text.chars() {
        let piece = Piece::ALL.into_iter().find(|p| p.letter() == letter);
        if let Some(piece) = piece {
            if column < SIZE {
                boards[piece.index()].insert(Square::new(column, row));
            }
            column += 1;
            continue;
        }
        let Some(digit @ 1..) = letter.to_digit(10) else {
            let row = row + 1;
            faults.push(format!("{letter:?} in row {row}, expected t, T, K or a number of empty squares"));
            continue;
        };
        column += digit as usize;
    }
    if column != SIZE {
        faults.push(format!("{column} squares in row {}, expected {SIZE}", row + 1));
    }
}
