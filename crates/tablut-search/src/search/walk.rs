//! The game on which simulations play their moves. It finds results without an evaluation: at every leaf the end of the
//! game, a win in one ply and the results of [`LeafSolver`], and near the root wins in three plies.
//!
//! A root move is played on the game if the position after it does not show the result, or if the history may end the game.
//! So the search also finds that a repetition or a limit ends the game
//! before a threat is carried out. Such an ending never counts as lost here. The tree finds its value.

use tablut_rules::{Game, Move, MoveList, Position, Reason, Side, Situation};

use crate::config::Solver;
use crate::leaf::LeafSolver;
use crate::proof::Proof;

/// A game and the line that a simulation has played on it.
#[derive(Debug)]
pub(super) struct Walk {
    /// At the root, except during a simulation.
    pub game: Game,
    /// Hashes of the positions from the root up to, but not including, the current position.
    line: Vec<u64>,
    /// The legal moves of the position at which they were last listed.
    moves: MoveList,
    leaf: LeafSolver,
    replies: MoveList,
    blocking: MoveList,
    /// The reply that refuted a root move last.
    refutation: Option<Move>,
}

enum Look {
    Proof(Proof),
    NoProof,
    Unclear,
}

impl Walk {
    pub fn new(game: Game) -> Self {
        Self {
            game,
            line: Vec::new(),
            moves: MoveList::default(),
            leaf: LeafSolver::default(),
            replies: MoveList::default(),
            blocking: MoveList::default(),
            refutation: None,
        }
    }

    pub fn play(&mut self, mv: Move) {
        self.line.push(self.game.position().hash());
        self.game.play_trusted(mv);
    }

    pub fn return_to_root(&mut self) {
        for _ in self.line.drain(..) {
            self.game.undo();
        }
    }

    /// Whether the current position was on the path before, including the root. Only every second one has the same side
    /// to move.
    pub fn repeats_below_root(&self) -> bool {
        let hash = self.game.position().hash();
        self.line.iter().rev().skip(1).step_by(2).any(|earlier| *earlier == hash)
    }

    pub fn list_moves(&mut self) -> &MoveList {
        self.game.legal_moves(&mut self.moves);
        &self.moves
    }

    /// The moves that were listed last.
    pub fn moves(&self) -> &MoveList {
        &self.moves
    }

    /// The situation for the current position, whose moves are listed.
    pub fn situation(&self) -> Situation {
        self.game.owned_situation(&self.moves)
    }

    /// The result of a new node, if it is known. Otherwise its moves are listed.
    pub fn leaf_proof(&mut self, solver: Solver) -> Option<Proof> {
        if let Some(outcome) = self.game.outcome() {
            return Some(Proof::of_outcome(outcome));
        }
        let mover = self.game.position().side_to_move();
        if solver.is_on() && self.game.rules().wins_at_once(self.game.position(), mover) {
            return Some(Proof::win_at_once(mover));
        }
        self.game.legal_moves(&mut self.moves);
        self.leaf.look(&mut self.game, &self.moves, solver)
    }

    /// Whether each of the listed moves loses at once, if [`Walk::leaf_proof`] has just listed them. It is empty if no
    /// move is known to lose.
    pub fn lost(&self) -> &[bool] {
        self.leaf.lost()
    }

    /// Writes the result after each root move, if it is known. It does not count the move itself.
    pub fn proofs_after<'a>(&mut self, moves: impl Iterator<Item = (Move, &'a mut Option<Proof>)>) {
        // Without a past that matters, the position after a move decides, and most moves need not be played on the game.
        let past_matters = self.game.history_may_end_it();
        for (mv, proof) in moves {
            let look = if past_matters { Look::Unclear } else { self.look_after(mv) };
            *proof = match look {
                Look::Proof(found) => Some(found),
                Look::NoProof => None,
                Look::Unclear => self.proof_after(mv),
            };
        }
    }

    /// What the position after a root move shows, without its history.
    fn look_after(&mut self, mv: Move) -> Look {
        let (rules, position) = (self.game.rules(), self.game.position());
        let side = position.side_to_move();
        let after = rules.apply(position, mv).position;
        if rules.decided(&after).is_some() || !rules.has_legal_move(&after) {
            return Look::Unclear;
        }
        if rules.wins_at_once(&after, side.opponent()) {
            return Look::Proof(Proof::win_at_once(side.opponent()));
        }
        if self.refutes(&after) { Look::NoProof } else { Look::Unclear }
    }

    /// The result after a root move, which is played on the game.
    fn proof_after(&mut self, mv: Move) -> Option<Proof> {
        let side = self.game.position().side_to_move();
        self.game.play_trusted(mv);
        let proof = match self.game.outcome() {
            Some(outcome) => Some(Proof::of_outcome(outcome)),
            None if self.wins_now(side.opponent()) => Some(Proof::win_at_once(side.opponent())),
            None if self.wins_later(side) => Some(Proof::win_at_once(side).one_ply_earlier()),
            None => None,
        };
        self.game.undo();
        proof
    }

    /// Whether the game continues and `side`, to move, wins at once.
    fn wins_now(&self, side: Side) -> bool {
        self.game.outcome().is_none() && self.game.rules().wins_at_once(self.game.position(), side)
    }

    /// Whether some reply in `position` certainly leaves the opponent, who has just moved, without a win in the next move.
    fn refutes(&mut self, position: &Position) -> bool {
        let (rules, mover) = (self.game.rules(), position.side_to_move());
        let refutes = |reply: &Move| {
            let after = rules.apply(position, *reply).position;
            !rules.wins_at_once(&after, mover.opponent()) && !self.is_nearly_blocked(&after, mover)
        };
        // One reply usually refutes many moves.
        if self.refutation.is_some_and(|reply| rules.check_legal(position, reply).is_ok() && refutes(&reply)) {
            return true;
        }
        let mut found = None;
        rules.every_move(position, |reply| {
            found = Some(reply).filter(&refutes);
            found.is_none()
        });
        self.refutation = found.or(self.refutation);
        found.is_some()
    }

    /// Whether `side`, which has just moved, wins with its next move after every reply: by capture or escape, or
    /// because the opponent has no move left. `side` need not have a threat, because the opponent may be in zugzwang.
    fn wins_later(&mut self, side: Side) -> bool {
        let position = *self.game.position();
        if self.refutes(&position) {
            return false;
        }
        let mut replies = std::mem::take(&mut self.replies);
        self.game.legal_moves(&mut replies);
        let wins = replies.iter().all(|reply| {
            self.game.play_trusted(*reply);
            let wins = self.wins_now(side) || self.blocks_now(side);
            self.game.undo();
            wins
        });
        self.replies = replies;
        wins
    }

    /// Whether one move could leave `side` without a move, if it captures no shield wall. A move takes the last step only from pieces next to the
    /// square that it lands on, and captures no others. These are at most three, because the fourth neighbour is on the
    /// side that the move came from.
    fn is_nearly_blocked(&self, position: &Position, side: Side) -> bool {
        let rules = self.game.rules();
        let special = rules.throne() | rules.corners() | rules.camps();
        let open_to_all = rules.size().board() - (special | position.occupied());
        (position.pieces(side) & open_to_all.neighbours()).len() <= 3
    }

    /// Whether the game continues and a move of `side`, which is to move, leaves the opponent without a move.
    fn blocks_now(&mut self, side: Side) -> bool {
        if self.game.outcome().is_some() || !self.is_nearly_blocked(self.game.position(), side.opponent()) {
            return false;
        }
        let mut moves = std::mem::take(&mut self.blocking);
        self.game.legal_moves(&mut moves);
        let blocks = moves.iter().any(|mv| {
            let rules = self.game.rules();
            if rules.has_legal_move(&rules.apply(self.game.position(), *mv).position) {
                return false;
            }
            self.game.play_trusted(*mv);
            let outcome = self.game.outcome();
            self.game.undo();
            outcome.is_some_and(|outcome| outcome.winner == Some(side) && outcome.reason == Reason::NoMoves)
        });
        self.blocking = moves;
        blocks
    }
}
