//! The solver at a leaf. Without an evaluation it finds moves that lose at once, losses in two plies, and wins in three
//! plies.
//!
//! Most moves at a leaf change nothing about who wins at once, and a few masks show that ([`tablut_rules::Foresight`]).
//! The solver plays only the other moves, on the position without its history. It refutes a win in three in the same
//! way, with the opponent's moves that could matter. The remaining candidates are played on the game, because its
//! history decides repetitions and limits. A move that ends the game by its history counts as neither lost nor won
//! here. The tree finds its value.

#[cfg(test)]
mod tests;

use tablut_rules::{Game, Move, MoveList, Side};

use crate::config::Solver;
use crate::proof::Proof;

/// The solver at a leaf. It reuses its buffers for all leaves.
#[derive(Debug, Default)]
pub struct LeafSolver {
    lost: Vec<bool>,
    replies: MoveList,
}

impl LeafSolver {
    /// The proven result of the game's position, if the solver finds one: a loss of the side to move in two plies or,
    /// with `Deep`, a win in three. With `Threats` it searches only if the opponent threatens to win. The game must not
    /// be over, the side to move must not [win at once](tablut_rules::Rules::wins_at_once), and `moves` are the legal
    /// moves. The game is the same afterwards.
    pub fn look(&mut self, game: &mut Game, moves: &[Move], solver: Solver) -> Option<Proof> {
        self.lost.clear();
        if !solver.is_on() {
            return None;
        }
        let (rules, position) = (game.rules(), game.position());
        let mover = position.side_to_move();
        let threatened = rules.wins_at_once(position, mover.opponent());
        if solver == Solver::Threats && !threatened {
            return None;
        }
        let foresight = rules.foresight(position);
        let mut history = History::default();
        for &mv in moves {
            let proof = if foresight.may_change(mv) {
                self.result_after(game, mv, solver, &mut history)
            } else if threatened && history.lets_go_on(game, mv) {
                Some(Proof::win_at_once(mover.opponent()))
            } else {
                None
            };
            if proof.is_some_and(|proof| proof.winner == Some(mover)) {
                return proof.map(Proof::one_ply_earlier);
            }
            self.lost.push(proof.is_some());
        }
        let all_lost = self.lost.iter().all(|lost| *lost);
        all_lost.then(|| Proof::win_at_once(mover.opponent()).one_ply_earlier())
    }

    /// Whether each legal move loses at once, in the order of the moves. It is empty if the last
    /// [`look`](LeafSolver::look) did not compute it, and meaningless if that call returned a proof.
    pub fn lost(&self) -> &[bool] {
        &self.lost
    }

    /// The result after `mv`, if the solver finds one: an immediate win of the opponent or, with `Deep`, a win of the
    /// mover in two.
    fn result_after(&mut self, game: &mut Game, mv: Move, solver: Solver, history: &mut History) -> Option<Proof> {
        let (rules, mover) = (game.rules(), game.position().side_to_move());
        let after = rules.apply(game.position(), mv).position;
        if rules.wins_at_once(&after, mover.opponent()) {
            return history.lets_go_on(game, mv).then(|| Proof::win_at_once(mover.opponent()));
        }
        if solver == Solver::Threats || !rules.wins_at_once(&after, mover) || rules.can_parry(&after, mover) {
            return None;
        }
        game.play_trusted(mv);
        let wins = game.outcome().is_none() && self.every_reply_loses(game, mover);
        game.undo();
        wins.then(|| Proof::win_at_once(mover).one_ply_earlier())
    }

    /// Whether `side`, which has just moved and threatens to win at once, wins after every reply.
    fn every_reply_loses(&mut self, game: &mut Game, side: Side) -> bool {
        game.legal_moves(&mut self.replies);
        self.replies.iter().all(|reply| {
            game.play_trusted(*reply);
            let wins = game.outcome().is_none() && game.rules().wins_at_once(game.position(), side);
            game.undo();
            wins
        })
    }
}

/// Whether the game's history may end it with the next move. It is computed at most once, when it is needed.
#[derive(Default)]
struct History {
    may_end: Option<bool>,
}

impl History {
    /// Whether the game continues after a move that lets the opponent win at once. (So the opponent has a move.)
    fn lets_go_on(&mut self, game: &mut Game, mv: Move) -> bool {
        if !*self.may_end.get_or_insert_with(|| game.history_may_end_it()) {
            return true;
        }
        game.play_trusted(mv);
        let goes_on = game.outcome().is_none();
        game.undo();
        goes_on
    }
}
