//! The policy index: the place of a move's logit in the net's policy table.
//!
//! The table has a plane of the board's squares for each direction and distance, and one more; `entry = plane * squares +
//! square`. On Tablut's board these are 32 planes of 81 squares, for four directions times eight distances, read at the
//! square that the piece leaves. The last plane is for rule sets that let the mover choose a capture. It is read at the
//! square of the captured piece, and its entry is added to the first one.

use tablut_rules::{BoardSize, Direction, Move, Symmetry};

/// Planes of the policy table: directions × distances, and one for the choice of capture.
pub const fn policy_planes(size: BoardSize) -> usize {
    4 * size.max_distance() + 1
}

/// Entries of the policy table.
pub const fn policy_entries(size: BoardSize) -> usize {
    policy_planes(size) * size.n_squares()
}

/// The place of a move's logit: one entry of the policy table. If the mover chooses which piece to capture, a second
/// entry is added to it.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub struct PolicyIndex {
    /// Entry of the direction, the distance and the from square, below `32 * 81` on Tablut's board.
    pub entry: u16,
    /// Entry of the chosen captured square, or [`PolicyIndex::NO_CHOICE`].
    pub choice: u16,
}

impl PolicyIndex {
    /// The value of [`PolicyIndex::choice`] for a move without a choice.
    pub const NO_CHOICE: u16 = u16::MAX;

    /// The index of `mv` on a board of this size.
    pub fn of(size: BoardSize, mv: Move) -> Self {
        let entry = |plane: usize, square| (plane * size.n_squares() + size.place(square)) as u16;
        let (direction, distance) = mv.from.line_to(mv.to).expect("a move runs along a row or a column");
        let plane = direction.index() * size.max_distance() + distance - 1;
        let choice = mv.choice.map_or(Self::NO_CHOICE, |square| entry(policy_planes(size) - 1, square));
        Self { entry: entry(plane, mv.from), choice }
    }

    /// The index of the same move on the board transformed by `symmetry`.
    pub fn transformed(self, size: BoardSize, symmetry: Symmetry) -> Self {
        if symmetry == Symmetry::Identity {
            return self;
        }
        let (squares, distances) = (size.n_squares(), size.max_distance());
        let turn = |entry: u16| {
            let (plane, square) = (usize::from(entry) / squares, usize::from(entry) % squares);
            let square = size.place(symmetry.square(size, size.square(square)));
            let plane = Direction::ALL
                .get(plane / distances)
                .map_or(plane, |&direction| symmetry.direction(direction).index() * distances + plane % distances);
            (plane * squares + square) as u16
        };
        Self {
            entry: turn(self.entry),
            choice: if self.choice == Self::NO_CHOICE { self.choice } else { turn(self.choice) },
        }
    }

    /// The logit in a policy table of [`policy_entries`] values.
    ///
    /// # Panics
    /// If the table is shorter.
    pub fn logit(self, table: &[f32]) -> f32 {
        let base = table[usize::from(self.entry)];
        if self.choice == Self::NO_CHOICE { base } else { base + table[usize::from(self.choice)] }
    }
}
