//! The board that nets play on.

use tablut_rules::{BoardSize, Rules};

use crate::error::NetError;

/// The board that nets play on.
pub const BOARD: BoardSize = BoardSize::Nine;

/// Squares along one side of [`BOARD`].
pub const SIZE: usize = BOARD.width();

/// Squares of [`BOARD`].
pub const SQUARES: usize = BOARD.n_squares();

/// Checks that nets can play by these rules.
///
/// # Errors
/// If the rules have another board than nets.
pub fn check_board(rules: &Rules) -> Result<(), NetError> {
    if rules.size() == BOARD {
        return Ok(());
    }
    Err(NetError::Board { rules: rules.name().to_owned(), size: rules.size(), expected: BOARD })
}
