//! The proof of a result, one level at a time: every winning first move, or the answer to every move of the loser.

use super::{Step, Work};
use crate::protocol::Event;
use crate::results::{RefutationBranch, RefutationView};
use crate::thinking::Thinking;
use crate::tree::NodeId;
use std::time::Duration;
use tablut_rules::{Game, Move, MoveList, Side};
use tablut_search::exhaustive::WinSolver;
use tablut_search::{EvaluateError, Evaluator};

const SIMULATIONS: u32 = 800;
/// Simulations after a move for which the exhaustive solver found no win.
const MOVE_SIMULATIONS: u32 = 120;
/// The exhaustive solver's depth after one move, in plies, and its maximum number of positions.
const SOLVER_PLIES: u32 = 5;
const SOLVER_POSITIONS: u64 = 20_000;

#[derive(Debug)]
pub struct Refutation {
    view: RefutationView,
    game: Game,
    /// Searches the position first, then the position after each move.
    thinking: Option<Thinking>,
    /// Moves that remain, in reverse order.
    moves: Vec<Move>,
    seed: u64,
}

impl Refutation {
    /// The proof for the position after `path`. Returns an error if a move is illegal or the game is over.
    pub fn new(node: NodeId, game: &Game, path: Vec<Move>, seed: u64) -> Result<Self, String> {
        let mut game = game.clone();
        for mv in &path {
            game.play(*mv).map_err(|error| error.to_string())?;
        }
        if game.outcome().is_some() {
            return Err("the game is over after these moves".to_owned());
        }
        let thinking = Some(Thinking::by_simulations(&game, SIMULATIONS, seed));
        let side = game.position().side_to_move();
        let view = RefutationView { node, path, side, proven: None, branches: Vec::new(), done: false };
        Ok(Self { view, game, thinking, moves: Vec::new(), seed })
    }

    fn begin(&mut self, thinking: &Thinking) -> Step {
        self.view.proven = thinking.value().proven.filter(|proven| proven.winner.is_some());
        if self.view.proven.is_none() {
            return self.news();
        }
        let mut moves = MoveList::new();
        self.game.legal_moves(&mut moves);
        self.moves = moves.into_vec();
        // The best move of the search is searched first.
        let best = thinking.result().chosen;
        self.moves.sort_by_key(|mv| *mv == best);
        self.news()
    }

    fn news(&mut self) -> Step {
        self.view.done = self.moves.is_empty();
        let ours = self.view.proven.is_some_and(|proven| proven.winner == Some(self.view.side));
        let order = |branch: &RefutationBranch| {
            let plies = branch.plies.map_or(i64::MAX, i64::from);
            if ours { plies } else { -plies }
        };
        self.view.branches.sort_by_key(order);
        let updates = vec![Event::Refutation(Box::new(self.view.clone())).into()];
        if self.view.done { Step::Done(updates) } else { Step::Progress(updates) }
    }

    /// Stores the result of a move. A move of the winner that does not win is left out.
    fn keep(&mut self, branch: RefutationBranch) -> Step {
        self.moves.pop();
        let ours = self.view.proven.is_some_and(|proven| proven.winner == Some(self.view.side));
        if branch.plies.is_some() || !ours {
            self.view.branches.push(branch);
        } else if !self.moves.is_empty() {
            return Step::Continue;
        }
        self.news()
    }

    /// The result of a move if the exhaustive solver finds a win.
    fn at_sight(after: &Game, mv: Move, winner: Side) -> Option<RefutationBranch> {
        let mut solver = WinSolver::new(after, winner, SOLVER_POSITIONS);
        let plies = solver.shortest_win(SOLVER_PLIES).ok()??;
        let answer = if after.position().side_to_move() == winner && plies > 0 {
            Some(*solver.winning_moves(plies).ok()?.first()?)
        } else {
            None
        };
        Some(RefutationBranch { mv, plies: Some(plies), answer })
    }
}

impl Work for Refutation {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if let Some(mut thinking) = self.thinking.take() {
            if thinking.step(evaluator, elapsed)? {
                self.thinking = Some(thinking);
                return Ok(Step::Continue);
            }
            let Some(winner) = self.view.proven.and_then(|proven| proven.winner) else {
                return Ok(self.begin(&thinking));
            };
            let Some(mv) = self.moves.last().copied() else { return Ok(self.news()) };
            let proven = thinking.value().proven.filter(|proven| proven.winner == Some(winner));
            let answer = (self.view.side != winner).then_some(thinking.result().chosen);
            let plies = proven.map(|proven| u32::from(proven.plies));
            return Ok(self.keep(RefutationBranch { mv, plies, answer: answer.filter(|_| plies.is_some()) }));
        }
        let (Some(mv), Some(winner)) = (self.moves.last().copied(), self.view.proven.and_then(|known| known.winner))
        else {
            return Ok(self.news());
        };
        let mut after = self.game.clone();
        after.play_trusted(mv);
        if let Some(branch) = Self::at_sight(&after, mv, winner) {
            return Ok(self.keep(branch));
        }
        if after.outcome().is_some() {
            return Ok(self.keep(RefutationBranch { mv, plies: None, answer: None }));
        }
        self.thinking = Some(Thinking::by_simulations(&after, MOVE_SIMULATIONS, self.seed));
        Ok(Step::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Update, updates_of};
    use std::sync::Arc;
    use tablut_rules::Rules;

    fn refuted(position: &str, path: &[&str]) -> RefutationView {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let game = Game::from_position(rules, position.parse().unwrap()).unwrap();
        let path = path.iter().map(|mv| mv.parse().unwrap()).collect();
        let mut work = Refutation::new(crate::tree::Tree::ROOT, &game, path, 1).unwrap();
        match updates_of(&mut work).pop() {
            Some(Update::Event(Event::Refutation(view))) => *view,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_winning_move_is_listed_the_shortest_first() {
        let view = refuted("9/9/9/2K6/9/9/9/9/t7t d", &[]);
        assert_eq!(view.proven.and_then(|proven| proven.winner), Some(Side::Defenders));
        let at_once: Vec<String> =
            view.branches.iter().filter(|branch| branch.plies == Some(0)).map(|branch| branch.mv.to_string()).collect();
        assert_eq!(at_once.len(), 4, "{view:?}");
        assert!(view.branches[..4].iter().all(|branch| branch.plies == Some(0)));
        assert!(view.branches.iter().all(|branch| branch.plies.is_some()) && view.done);
    }

    #[test]
    fn every_move_of_the_losing_side_has_its_answer() {
        let view = refuted("9/9/9/2K6/9/9/9/9/t7t a", &[]);
        assert_eq!(view.proven.and_then(|proven| proven.winner), Some(Side::Defenders));
        assert!(view.branches.len() > 20, "{view:?}");
        for branch in &view.branches {
            assert_eq!(branch.plies, Some(1), "{branch:?}");
            assert!(branch.answer.is_some(), "{branch:?}");
        }
        // One level further: after a move and its answer the game is over.
        let first = &view.branches[0];
        let path = [first.mv, first.answer.unwrap()].map(|mv| mv.to_string());
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let game = Game::from_position(rules, "9/9/9/2K6/9/9/9/9/t7t a".parse().unwrap()).unwrap();
        let path: Vec<Move> = path.iter().map(|mv| mv.parse().unwrap()).collect();
        assert!(Refutation::new(crate::tree::Tree::ROOT, &game, path, 1).is_err());
    }

    #[test]
    fn where_nothing_is_proven_there_is_no_proof() {
        let view = refuted("3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a", &[]);
        assert!(view.done && view.proven.is_none() && view.branches.is_empty(), "{view:?}");
    }
}
