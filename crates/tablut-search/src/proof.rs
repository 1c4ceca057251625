//! Proven results and how they are backed up.
//!
//! # Why a proof in a tree is sound
//!
//! A node of a tree stands for one line of moves after the game's own history, so its state holds the whole history:
//! counts of repetitions, plies since the last capture, the ply. Terminal nodes are judged by `Game` on that very
//! line. A node's children are all the legal moves of its state. So minimax over the children is exact, under every
//! repetition rule and limit, and no argument about positions is needed.
//!
//! # What a proof says of the position alone
//!
//! A proof is marked [`Proof::from_history`] when an ending by repetition, by the aggressor's rule, by the no-capture
//! limit or by the ply limit was used in it. All draws are. If it is not marked, every line of it ends with a capture of
//! the king, an escape or a blockade.
//!
//! Take the game without its rule of repetition, and call a *state* the position with the counters that end games (plies
//! since the last capture, ply; each where there is a limit). An unmarked proof shows that its winner forces the end
//! from its state in that game, within the plies it says: by induction over the proof, since legal moves depend on the
//! position alone, the winner's node has a child with such a proof, and the loser's has one for every move. Which
//! path each part of the proof was found on does not matter.
//!
//! So in a tree an unmarked proof also holds in every game that reaches the position with no more history than here
//! (each position seen no more often, no fewer plies left to both limits). With a longer one the opponent may reach
//! a draw by repetition inside the proof.
//!
//! # Why a proof in a graph is sound
//!
//! Paths meet in a node only when they are *fresh*: no position has recurred on them since the last capture; and only
//! under rules by which a position may recur without ending the game, so that an ending needs three occurrences.
//!
//! *An unmarked proof holds on every fresh path to its state.* Let d(s) be the least number of plies within which the
//! winner forces the end from the state s in the game without a rule of repetition; it is at most what the proof says. The
//! winner plays so that d falls with each ply, whatever the opponent does. Could a position come twice on the line that
//! follows? The second time its counters would be as high or higher, and with fewer plies left to the limits nothing is
//! won sooner: d would be no less than it was. But it has fallen. So every position comes at most once on the line. On
//! the fresh path before, it came at most once since the last capture, and before that it was another position. That
//! makes two occurrences, not three: no rule of repetition speaks before the winner has won. The same holds one
//! ply past a fresh path, when its last move has brought a position about for the second time: that position has two
//! occurrences, but d has it come no more. So a shared child's unmarked proof counts for a detour past it too.
//!
//! *A marked proof holds on its own path.* It is backed up along one path from endings on that very path, and from
//! proofs that hold there: marked ones of the same path, unmarked ones. The shared node remembers the path (by its 128-bit
//! hash), and on all others counts as unproven, with its mean value. A node that one path alone leads to needs no
//! such care: the root, and every node after a recurrence until the next capture.
//!
//! *Moves seen to lose at once* are unmarked proofs of two plies. At a fresh node nothing within two plies can occur for the
//! third time, and the counters are the node's own, so what was seen there on one path is seen on all.
//!
//! A proof of one side's win for all fresh paths, and a marked one of something else for one of them, cannot both be: each
//! is exact where it holds. `tests/behaviour/graph_proofs.rs` holds graphs to trees, to a solver that shares nothing with
//! them, and to playing proven wins out against replies that go to and fro.
//!
//! # Distance
//!
//! [`Proof::plies`] bounds the length of the game: the winner can force it within so many plies. Wins in one ply are seen
//! at once, so a distance of 1 is exact; a longer one is the shortest among the lines searched.

use tablut_rules::{Outcome, Reason, Side};

/// A proven result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Who wins with best play; `None` for a draw.
    pub winner: Option<Side>,
    /// Plies within which the winner can force the end, or either side of a draw an end that it does not lose; 0 when
    /// the game is over.
    pub plies: u16,
    /// The result rests on the game's history (repetition or a limit), not on the position alone.
    pub from_history: bool,
}

impl Proof {
    /// The proof that a finished game is.
    pub fn of_outcome(outcome: Outcome) -> Self {
        // Any reason that the position alone does not show counts as history.
        let from_history = !matches!(outcome.reason, Reason::KingCaptured | Reason::KingEscaped | Reason::NoMoves);
        Self { winner: outcome.winner, plies: 0, from_history }
    }

    /// `side`, to move, wins with its next move by escape or capture of the king.
    pub fn win_at_once(side: Side) -> Self {
        Self { winner: Some(side), plies: 1, from_history: false }
    }

    /// The same result, seen one ply earlier.
    #[must_use]
    pub fn one_ply_earlier(self) -> Self {
        Self { plies: self.plies.saturating_add(1), ..self }
    }

    /// How good the result is for `side`, higher is better: shortest win, draw, longest loss; of equals the one that
    /// does not rest on history.
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

/// The proof of a node from those of its children: `mover` is to move and has `n_moves` legal moves, `children` are the
/// proofs of the moves proven so far. One win is enough; anything else needs all the moves.
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
    // No move wins: the result rests on every one of them.
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
