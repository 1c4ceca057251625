//! Positions that recur, and what the rule set makes of them.

use crate::game::Game;
use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::ruleset::RepetitionResult;
use crate::side::Side;

impl Game {
    /// Indices into the plies of earlier occurrences of the current position, latest first. Index
    /// `i` is the position before ply `i`; index 0 is the start.
    fn earlier_occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        // Captures cannot be taken back, so nothing before the last one can recur.
        let reach = (self.plies_since_capture as usize).min(self.plies.len());
        let oldest = self.plies.len() - reach;
        let counted = |index: usize| index > 0 || self.rules.set().repetition.start_counts;
        // The side to move must be the same: every second position.
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

    /// What the rule set says of the current occurrence of the position.
    pub(super) fn repetition_outcome(&self) -> Option<Outcome> {
        let repetition = &self.rules.set().repetition;
        let draw = Outcome { winner: None, reason: Reason::Repetition };
        // Ignored repetition counts no occurrence, so it never gets here.
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

    /// The aggressor among the plies since the position's previous occurrence (rulebook KV9): the
    /// side that had a choice where the other had none; the side that has just moved where both had;
    /// `None` where neither had.
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

    /// Whether the opponent threatened to win at once, so that the side to move had to answer.
    fn was_compelled(&self, before: &Position) -> bool {
        let opponent = before.side_to_move().opponent();
        self.rules.wins_at_once(before, opponent)
    }
}
