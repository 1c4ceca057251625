//! Repeated positions and the rule set's answer to them.

use crate::game::Game;
use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::ruleset::RepetitionResult;
use crate::side::Side;

impl Game {
    /// Plies at which the current position occurred before, latest first. Index `i` means the position before ply `i`;
    /// index 0 is the start position.
    fn earlier_occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        // A captured piece never returns, so no position from before the last capture can occur again.
        let reach = (self.plies_since_capture as usize).min(self.plies.len());
        let oldest = self.plies.len() - reach;
        let counted = |index: usize| index > 0 || self.rules.set().repetition.start_counts;
        // Only every second position has the same side to move.
        (oldest..self.plies.len())
            .rev()
            .skip(1)
            .step_by(2)
            .filter(move |&i| self.plies[i].before == self.position && counted(i))
    }

    /// The number of earlier occurrences that count.
    pub(super) fn count_occurrences(&self) -> u32 {
        if self.rules.set().repetition.result == RepetitionResult::Ignored {
            return 0;
        }
        self.earlier_occurrences().count() as u32
    }

    /// The outcome that the rule set gives to this occurrence of the position, if any.
    pub(super) fn repetition_outcome(&self) -> Option<Outcome> {
        let repetition = &self.rules.set().repetition;
        let draw = Outcome { winner: None, reason: Reason::Repetition };
        // Occurrences are not counted when repetition is ignored.
        if repetition.result == RepetitionResult::Ignored || self.occurrences + 1 < repetition.occurrences {
            return None;
        }
        let mover = self.position.side_to_move().opponent();
        match repetition.result {
            RepetitionResult::Ignored => None,
            RepetitionResult::Draw => Some(draw),
            RepetitionResult::MoverLoses => {
                Some(Outcome { winner: Some(mover.opponent()), reason: Reason::Repetition })
            }
            RepetitionResult::AggressorLoses => Some(match self.aggressor(mover) {
                Some(aggressor) => Outcome { winner: Some(aggressor.opponent()), reason: Reason::Aggressor },
                None => draw,
            }),
        }
    }

    /// The aggressor among the plies since the previous occurrence of the position (rulebook KV9). It is the side that
    /// had a choice, if the other side had none. It is the side that has just moved, if both had a choice. It is `None`
    /// if neither had.
    fn aggressor(&self, mover: Side) -> Option<Side> {
        let since = self.earlier_occurrences().next()?;
        let cycle = &self.plies[since..];
        let had_choice = |side: Side| {
            cycle
                .iter()
                .map(|ply| &ply.before)
                .filter(|before| before.side_to_move() == side)
                .any(|before| !self.was_compelled(before))
        };
        match (had_choice(mover), had_choice(mover.opponent())) {
            (true, _) => Some(mover),
            (false, true) => Some(mover.opponent()),
            (false, false) => None,
        }
    }

    /// Whether the opponent threatened an immediate win, so that the side to move had to answer.
    fn was_compelled(&self, before: &Position) -> bool {
        let opponent = before.side_to_move().opponent();
        self.rules.wins_at_once(before, opponent)
    }
}
