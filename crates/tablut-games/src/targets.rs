//! The optional targets of a replay window.

use tablut_rules::Side;

/// Which of its optional targets a replay window makes. All are off by default.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// Whether a result that the search has proven is the whole value target, whatever the game's result was.
    pub proven_values: bool,
    /// Share of the draws that follow the surprise of the search, 0 to 1. The rest is the same for all positions.
    pub surprise_share: f32,
}

impl Targets {
    /// The result that `value` proves, or `None`. A search's value is exactly ±1 if it has proven a win. Proven draws
    /// cannot be told from a value of 0 and count as unproven.
    pub fn proven(&self, value: f32) -> Option<Side> {
        let winner = if value > 0.0 { Side::Attackers } else { Side::Defenders };
        (self.proven_values && value.abs() >= 1.0).then_some(winner)
    }
}
