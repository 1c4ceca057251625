//! The policy index: which entry of the net's policy table is a move's logit.
//!
//! The table has [`POLICY_PLANES`] planes of 81 squares; `entry = plane * 81 + square`. Planes 0 to 31 are the
//! four directions times eight distances, read at the square that the piece leaves. The last plane is read at the
//! square of the piece that the mover chooses to capture, where the rule set gives a choice; the two are added.

use tablut_rules::{Direction, Move, SIZE, SQUARES, Square, Symmetry};

/// Distances that a piece can move: 1 to 8.
pub const DISTANCES: usize = SIZE - 1;
/// Planes of the policy table: directions × distances, and one for the choice of capture.
pub const POLICY_PLANES: usize = 4 * DISTANCES + 1;
/// Entries of the policy table.
pub const POLICY_ENTRIES: usize = POLICY_PLANES * SQUARES;
/// The plane of the chosen capture.
const CHOICE_PLANE: usize = POLICY_PLANES - 1;

/// Where a move's logit is found: one entry of the policy table, and a second one that is added to it where the
/// mover chooses which piece to capture.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub struct PolicyIndex {
    /// Entry of direction, distance and square left, below `32 * 81`.
    pub entry: u16,
    /// Entry of the chosen captured square, or [`PolicyIndex::NO_CHOICE`].
    pub choice: u16,
}

impl PolicyIndex {
    /// Stands in [`PolicyIndex::choice`] for a move without a choice.
    pub const NO_CHOICE: u16 = u16::MAX;

    /// The index of `mv`.
    pub fn of(mv: Move) -> Self {
        let plane = mv.direction().index() * DISTANCES + mv.distance() - 1;
        let choice = mv.choice.map_or(Self::NO_CHOICE, |square| (CHOICE_PLANE * SQUARES + square.index()) as u16);
        Self { entry: (plane * SQUARES + mv.from.index()) as u16, choice }
    }

    /// The index of the same move on the board turned by `symmetry`.
    pub fn transformed(self, symmetry: Symmetry) -> Self {
        let turn = |entry: u16| {
            let (plane, square) = (usize::from(entry) / SQUARES, usize::from(entry) % SQUARES);
            let square = Square::from_index(square).expect("below 81");
            let square = symmetry.square(square).index();
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
    /// When the table is shorter.
    pub fn logit(self, table: &[f32]) -> f32 {
        let base = table[usize::from(self.entry)];
        if self.choice == Self::NO_CHOICE { base } else { base + table[usize::from(self.choice)] }
    }
}
