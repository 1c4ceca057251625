//! Puzzles from saved games: positions in which the solver proves a short win.

use super::{Step, Update, Work};
use crate::protocol::Event;
use crate::results::FoundPuzzle;
use crate::session::Session;
use crate::tree::NodeId;
use std::time::Duration;
use tablut_rules::{Game, Move};
use tablut_search::exhaustive::WinSolver;
use tablut_search::{EvaluateError, Evaluator};

/// The solver's depth in plies, and its maximum number of positions.
const SOLVER_PLIES: u32 = 5;
const SOLVER_POSITIONS: u64 = 60_000;
/// The minimum number of plies to the win. A win in one ply is too easy.
const LEAST_PLIES: u32 = 3;
/// The search stops after the game in which it has found this many puzzles.
const MAX_FINDS: usize = 100;
/// Only this many positions at the end of a game are searched.
const LAST_PLIES: usize = 60;

/// A short win of the side to move: the plies that it takes, and every first move that wins in this number of plies.
pub fn short_win(game: &Game) -> Option<(u32, Vec<Move>)> {
    if game.outcome().is_some() {
        return None;
    }
    let side = game.position().side_to_move();
    let mut solver = WinSolver::new(game, side, SOLVER_POSITIONS);
    let plies = solver.shortest_win(SOLVER_PLIES).ok()??;
    let solutions = solver.winning_moves(plies).ok()?;
    Some((plies, solutions))
}

#[derive(Debug)]
pub struct PuzzleSearch {
    /// Games to search, in reverse order.
    games: Vec<(String, Session)>,
    n_games: usize,
    /// Positions of the current game that remain, in reverse order.
    positions: Vec<NodeId>,
    found: Vec<FoundPuzzle>,
}

impl PuzzleSearch {
    pub fn new(mut games: Vec<(String, Session)>) -> Self {
        games.reverse();
        let n_games = games.len();
        let mut search = Self { games, n_games, positions: Vec::new(), found: Vec::new() };
        search.positions = search.plan();
        search
    }

    fn plan(&self) -> Vec<NodeId> {
        let Some((_, session)) = self.games.last() else { return Vec::new() };
        let mut line = session.tree().main_line();
        line.pop();
        line.reverse();
        line.truncate(LAST_PLIES);
        line
    }

    fn look(&self, node: NodeId) -> Option<FoundPuzzle> {
        let (name, session) = self.games.last()?;
        let game = session.game_at(node).ok()?;
        let (plies, solutions) = short_win(&game)?;
        let played = session.tree().node(node)?.children.first().and_then(|child| session.tree().mv(*child));
        let missed = played.is_none_or(|played| !solutions.contains(&played));
        let side = game.position().side_to_move();
        let ply = game.ply();
        // The later positions of a win that was played out are not puzzles. Only the first one is.
        let carried =
            |find: &FoundPuzzle| find.game == *name && find.side == side && !find.missed && find.ply + 2 == ply;
        if plies < LEAST_PLIES || self.found.iter().any(carried) {
            return None;
        }
        let game = name.clone();
        let rules = session.rules().name().to_owned();
        Some(FoundPuzzle { game, node, rules, ply, side, distance: plies.div_ceil(2), missed })
    }

    fn updates(&self) -> Vec<Update> {
        let mut puzzles = self.found.clone();
        // Missed wins are more interesting than played ones.
        puzzles.sort_by_key(|find| !find.missed);
        vec![Event::FoundPuzzles { puzzles, looked: self.n_games - self.games.len(), of: self.n_games }.into()]
    }
}

impl Work for PuzzleSearch {
    fn step(&mut self, _: &mut dyn Evaluator, _: Duration) -> Result<Step, EvaluateError> {
        if let Some(node) = self.positions.pop() {
            let found = self.look(node);
            self.found.extend(found);
            return Ok(Step::Continue);
        }
        self.games.pop();
        self.positions = self.plan();
        let updates = self.updates();
        let done = self.games.is_empty() || self.found.len() >= MAX_FINDS;
        Ok(if done { Step::Done(updates) } else { Step::Progress(updates) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Players;
    use crate::work::updates_of;
    use std::sync::Arc;
    use tablut_rules::Rules;

    #[test]
    fn a_win_that_was_missed_makes_a_puzzle_with_all_its_solutions() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        // The king has no open line. From several squares he has two, and the attackers can close only one.
        let start = "3t5/9/9/t2K4t/9/9/9/9/3t5 d".parse().unwrap();
        let mut session = Session::from_position(rules, start, Players::people()).unwrap();
        let (plies, solutions) = short_win(session.game()).expect("two open lines are one step away");
        assert_eq!(plies, 3);
        let moves = session.moves().unwrap();
        let other = moves.iter().find(|mv| !solutions.contains(mv)).copied();
        let good = solutions[0];
        for (mv, missed) in [(Some(good), false), (other, true)] {
            let Some(mv) = mv else { continue };
            session.go_to(crate::tree::Tree::ROOT).unwrap();
            session.play(mv).unwrap();
            session.promote(session.current()).unwrap();
            let mut work =
                PuzzleSearch::new(vec![("game".to_owned(), session.clone()), ("same".to_owned(), session.clone())]);
            let found = match updates_of(&mut work).pop() {
                Some(Update::Event(Event::FoundPuzzles { puzzles, looked: 2, of: 2 })) => puzzles,
                other => panic!("{other:?}"),
            };
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(found.iter().all(|find| find.distance == 2 && find.missed == missed), "{found:?}");
            assert_eq!(found[0].game, "game");
        }
    }
}
