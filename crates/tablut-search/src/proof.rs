//! Proven results and how they are backed up.
//!
//! # Why a proof in a tree is sound
//!
//! A node of a tree stands for one line of moves after the game's own history. So its state contains the whole history:
//! counts of repetitions, plies since the last capture, and the ply. `Game` decides the result of terminal nodes on
//! exactly that line. A node's children are all legal moves of its state. So minimax over the children is exact under
//! every repetition rule and limit. No argument about positions is needed.
//!
//! # What a proof implies for the position without its history
//!
//! A proof is marked [`Proof::from_history`] if it uses an ending by repetition, by the aggressor rule, by the
//! no-capture limit or by the ply limit. All draws are marked. If a proof is not marked, every line in it ends with a
//! capture of the king, an escape or a blockade.
//!
//! Consider the game without its repetition rule. Call the position together with the counters that end games a
//! *state*. The counters are the plies since the last capture and the ply, each only if there is a limit. An unmarked
//! proof shows that, in that game, its winner can force the end from the state within the proof's number of plies. This
//! follows by induction over the proof: legal moves depend only on the position, the winner's node has a child with
//! such a proof, and the loser's node has such a child for every move. It does not matter on which path each part of
//! the proof was found.
//!
//! So an unmarked proof in a tree also holds in every game that reaches the position with no more history than here:
//! each position occurred no more often, and no fewer plies are left to both limits. With a longer history the opponent
//! may reach a draw by repetition inside the proof.
//!
//! # Distance
//!
//! [`Proof::plies`] is an upper bound on the length of the game: the winner can force the end within this number of
//! plies. Wins in one ply are always found, so a distance of 1 is exact. A longer distance is the shortest among the
//! lines that were searched.

use serde::{Deserialize, Serialize};
use tablut_rules::{Outcome, Reason, Side};

/// A proven result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The winner with best play, or `None` for a draw.
    pub winner: Option<Side>,
    /// Plies within which the winner can force the end. For a draw, plies within which either side can force an end
    /// that it does not lose. 0 if the game is over.
    pub plies: u16,
    /// Whether the result depends on the game's history (repetition or a limit), not only on the position.
    pub from_history: bool,
}

impl Proof {
    /// The proof for a finished game.
    pub fn of_outcome(outcome: Outcome) -> Self {
        // All other reasons depend on more than the position.
        let from_history = !matches!(
            outcome.reason,
            Reason::KingCaptured | Reason::KingEscaped | Reason::Encirclement | Reason::ExitFort | Reason::NoMoves
        );
        Self { winner: outcome.winner, plies: 0, from_history }
    }

    /// The proof for a position in which `side` is to move and wins at once, by escape or capture of the king.
    pub fn win_at_once(side: Side) -> Self {
        Self { winner: Some(side), plies: 1, from_history: false }
    }

    /// The same result, one ply earlier.
    #[must_use]
    pub fn one_ply_earlier(self) -> Self {
        Self { plies: self.plies.saturating_add(1), ..self }
    }

    /// How good the result is for `side`; higher is better. The order is shortest win, draw, longest loss. Among equal
    /// results, one that does not depend on history is better.
    pub fn rank_for(self, side: Side) -> (i32, bool) {
        let plies = i32::from(self.plies);
        let worth = match self.winner {
            Some(winner) if winner == side => 100_000 - plies,
            None => 0,
            Some(_) => plies - 100_000,
        };
        (worth, !self.from_history)
    }
}

/// The proof of a node from the proofs of its children. `mover` is to move and has `n_moves` legal moves. `children`
/// are the proofs of the moves proven so far. One win is enough. Any other result needs all moves.
pub fn backed_up(mover: Side, n_moves: usize, children: impl Iterator<Item = Proof>) -> Option<Proof> {
    let (mut best, mut n, mut longest, mut from_history): (Option<Proof>, usize, u16, bool) = (None, 0, 0, false);
    for child in children {
        n += 1;
        longest = longest.max(child.plies);
        from_history |= child.from_history;
        if best.is_none_or(|best| child.rank_for(mover) > best.rank_for(mover)) {
            best = Some(child);
        }
    }
    let best = best?;
    if best.winner == Some(mover) {
        return Some(best.one_ply_earlier());
    }
    // No move wins, so the result depends on all of them.
    (n == n_moves).then(|| Proof { from_history, plies: longest, ..best }.one_ply_earlier())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Side = Side::Attackers;
    const D: Side = Side::Defenders;

    fn proof(winner: Option<Side>, plies: u16, from_history: bool) -> Proof {
        Proof { winner, plies, from_history }
    }

    #[test]
    fn proofs_back_up_as_minimax_does() {
        let (win, quick) = (proof(Some(A), 4, false), proof(Some(A), 2, false));
        let (loss, slow) = (proof(Some(D), 3, false), proof(Some(D), 7, false));
        let draw = proof(None, 2, true);
        #[rustfmt::skip]
        let table: [(Side, usize, &[Proof], Option<Proof>); 9] = [
            (A, 3, &[], None),
            (A, 3, &[win], Some(proof(Some(A), 5, false))),           // one win is enough
            (A, 3, &[loss, win, quick], Some(proof(Some(A), 3, false))), // the shortest
            (A, 3, &[loss, slow], None),                              // a move is open
            (A, 2, &[loss, slow], Some(proof(Some(D), 8, false))),    // the longest loss
            (A, 3, &[loss, draw, slow], Some(proof(None, 8, true))),  // a draw is better than a loss
            (D, 2, &[win, draw], Some(proof(None, 5, true))),
            (D, 2, &[win, quick], Some(proof(Some(A), 5, false))),
            (D, 2, &[win, loss], Some(proof(Some(D), 4, false))),
        ];
        for (mover, n_moves, children, expected) in table {
            assert_eq!(backed_up(mover, n_moves, children.iter().copied()), expected, "{mover} {children:?}");
        }
    }

    #[test]
    fn a_loss_rests_on_history_when_any_reply_does_and_a_win_only_on_its_own_line() {
        let (plain, marked) = (proof(Some(A), 2, false), proof(Some(A), 2, true));
        assert!(backed_up(D, 2, [plain, marked].into_iter()).expect("all moves lose").from_history);
        assert!(!backed_up(D, 2, [plain, plain].into_iter()).expect("all moves lose").from_history);
        assert!(!backed_up(A, 9, [marked, plain].into_iter()).expect("a win").from_history);
        assert!(backed_up(A, 9, [marked].into_iter()).expect("a win").from_history);
    }
}
