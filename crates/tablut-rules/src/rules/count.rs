//! Counting legal moves without listing them.

use crate::position::Position;
use crate::rules::Rules;
use std::ops::ControlFlow;

impl Rules {
    /// The number of legal moves: the length of the list that [`Rules::legal_moves`] fills.
    #[must_use]
    pub fn count_legal_moves(&self, position: &Position) -> u32 {
        let mut count = 0;
        let _ = self.visit_moves(position, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }
}
