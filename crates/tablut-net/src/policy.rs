//! The policy index: the place of a move's logit in the net's policy table.
//!
//! The table has [`POLICY_PLANES`] planes of 81 squares; `entry = plane * 81 + square`. Planes 0 to 31 are the four
//! directions times eight distances, read at the square that the piece leaves. The last plane is for rule sets that let
//! the mover choose a capture. It is read at the square of the captured piece, and its entry is added to the first one.

use crate::board::{BOARD, SIZE, SQUARES};
use tablut_rules::{Direction, Move, Symmetry};

/// Distances that a piece can move: 1 to 8.
pub const DISTANCES: usize = SIZE - 1;
/// Planes of the policy table: directions × distances, and one for the choice of capture.
pub const POLICY_PLANES: usize = 4 * DISTANCES + 1;
/// Entries of the policy table.
pub const POLICY_ENTRIES: usize = POLICY_PLANES * SQUARES;
const CHOICE_PLANE: usize = POLICY_PLANES - 1;

/// The place of a move's logit: one entry of the policy table. If the mover chooses which piece to capture, a second
/// entry is added to it.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub struct PolicyIndex {
    /// Entry of the direction, the distance and the from square, below `32 * 81`.
    pub entry: u16,
    /// Entry of the chosen captured square, or [`PolicyIndex::NO_CHOICE`].
    pub choice: u16,
}

impl PolicyIndex {
    /// The value of [`PolicyIndex::choice`] for a move without a choice.
    pub const NO_CHOICE: u16 = u16::MAX;

    /// The index of `mv`.
    pub fn of(mv: Move) -> Self {
        let plane = mv.direction().index() * DISTANCES + mv.distance() - 1;
        let choice = mv.choice.map_or(Self::NO_CHOICE, |square| (CHOICE_PLANE * SQUARES + BOARD.place(square)) as u16);
        Self { entry: (plane * SQUARES + BOARD.place(mv.from)) as u16, choice }
    }

    /// The index of the same move on the board transformed by `symmetry`.
    pub fn transformed(self, symmetry: Symmetry) -> Self {
        if symmetry == Symmetry::Identity {
            return self;
        }
        let turn = |entry: u16| {
            let (plane, square) = (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES);
            let square = BOARD.place(symmetry.square(BOARD, BOARD.square(square)));
            let plane = if plane == CHOICE_PLANE {
                plane
            } else {
                let direction = symmetry.direction(Direction::ALL[plane / DISTANCES]);
                direction.index() * DISTANCES + plane % DISTANCES
            };
            (plane * SQUARES + square) as u16
        };
        Self {
            entry: turn(self.entry),
            choice: if self.choice == Self::NO_CHOICE { self.choice } else { turn(self.choice) },
        }
    }

    /// The logit in a policy table of [`POLICY_ENTRIES`] values.
    ///
    /// # Panics
    /// If the table is shorter.
    pub fn logit(self, table: &[f32]) -> f32 {
        let base = table[usize::from(self.entry)];
        if self.choice == Self::NO_CHOICE { base } else { base + table[usize::from(self.choice)] }
    }
}
