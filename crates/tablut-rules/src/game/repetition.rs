//! Repeated positions and their result under the rule set.

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

    /// Whether the history may end the game with the next move: by a limit, or because a move without a capture may
    /// repeat a position often enough. If not, the next move ends the game only by its position ([`crate::Rules::decided`]),
    /// or by leaving the opponent without a move. The game is not over.
    pub fn history_may_end_it(&self) -> bool {
        let set = self.rules.set();
        let at_limit = set.no_capture_plies.is_some_and(|limit| self.plies_since_capture + 1 >= limit)
            || self.max_plies.is_some_and(|limit| self.ply() + 1 >= limit);
        if at_limit || set.repetition.result == RepetitionResult::Ignored {
            return at_limit;
        }
        let needed = set.repetition.occurrences.saturating_sub(1) as usize;
        let reach = (self.plies_since_capture as usize).min(self.plies.len());
        let since_capture = self.plies[self.plies.len() - reach..].iter().rev();
        let near = since_capture.step_by(2).filter(|ply| is_one_move_away(&self.position, &ply.before));
        near.take(needed).count() >= needed
    }

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
            RepetitionResult::DefendersLose => {
                Some(Outcome { winner: Some(Side::Attackers), reason: Reason::Repetition })
            }
            RepetitionResult::AggressorLoses => Some(match self.aggressor(mover) {
                Some(aggressor) => Outcome { winner: Some(aggressor.opponent()), reason: Reason::Aggressor },
                None => draw,
            }),
        }
    }

    /// The aggressor among the plies since the previous occurrence of the position (clause KV9). It is the side that
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

/// Whether a move without a capture may turn `position` into `other`. The function compares only the numbers of changed
/// squares, so the answer can be true although no such move exists.
fn is_one_move_away(position: &Position, other: &Position) -> bool {
    let same_king = position.king() == other.king();
    let attackers = (position.attackers() ^ other.attackers()).len();
    let defenders = (position.defenders() ^ other.defenders()).len();
    match position.side_to_move() {
        Side::Attackers => same_king && defenders == 0 && attackers == 2,
        Side::Defenders => attackers == 0 && defenders == if same_king { 2 } else { 0 },
    }
}
