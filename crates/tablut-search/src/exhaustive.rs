//! A solver for puzzles and tests, which shares no code with the search tree. It finds the number of plies within which
//! a side can force a win.
//!
//! It looks about seven plies ahead in real games. It stores positions when the history cannot matter, and it skips
//! moves that provably cannot win.
//!
//! The search has two parts. While a repetition or a limit could end the game within the remaining plies, it plays
//! every move on the `Game`, which has the history. When neither can, only the position matters, and the search
//! without history takes over, unless the rules have shield walls, exit forts or encirclement. That search may store positions, because equal positions then have equal results,
//! regardless of the moves that led to them.

mod history;
mod memoryless;

use tablut_rules::{Game, Move, MoveList, Position, Side};

use self::history::may_end_game;
use self::memoryless::Memoryless;
pub use self::memoryless::TooManyPositions;

/// Finds the shortest forced win of one side in one position of a game.
///
/// ```
/// use std::sync::Arc;
/// use tablut_rules::{Game, Rules, Side};
/// use tablut_search::exhaustive::WinSolver;
///
/// let rules = Arc::new(Rules::named("kvasir")?);
/// let game = Game::from_position(rules, "9/9/9/2KT5/9/9/9/2T6/1tt6 d".parse()?)?;
/// let mut solver = WinSolver::new(&game, Side::Defenders, 1_000_000);
/// assert_eq!(solver.shortest_win(7)?, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WinSolver {
    game: Game,
    side: Side,
    /// The game's positions, with the current one last.
    positions: Vec<Position>,
    memoryless: Memoryless,
    /// Reusable lists, indexed by the remaining plies.
    lists: Vec<MoveList>,
}

impl WinSolver {
    /// A solver for wins of `side` from the game's current position. Each question searches at most `max_positions`
    /// positions.
    pub fn new(game: &Game, side: Side, max_positions: u64) -> Self {
        let mut positions = vec![*game.start()];
        for mv in game.moves() {
            let last = positions[positions.len() - 1];
            positions.push(game.rules().apply(&last, mv).position);
        }
        let memoryless = Memoryless::new(game.rules().clone(), side, max_positions);
        Self { game: game.clone(), side, positions, memoryless, lists: Vec::new() }
    }

    /// Whether the side can force a win within `plies`.
    ///
    /// # Errors
    /// If the solver needs more positions than allowed.
    pub fn wins_within(&mut self, plies: u32) -> Result<bool, TooManyPositions> {
        self.memoryless.budget.positions = 0;
        self.wins(plies)
    }

    /// The smallest number of plies, up to `max_plies`, within which the side can force a win.
    ///
    /// # Errors
    /// If the solver needs more positions than allowed.
    pub fn shortest_win(&mut self, max_plies: u32) -> Result<Option<u32>, TooManyPositions> {
        self.memoryless.budget.positions = 0;
        for plies in 0..=max_plies {
            if self.wins(plies)? {
                return Ok(Some(plies));
            }
        }
        Ok(None)
    }

    /// The legal moves that win within `plies`, including the move itself, in the order of `Rules::legal_moves`.
    ///
    /// # Errors
    /// If the solver needs more positions than allowed.
    pub fn winning_moves(&mut self, plies: u32) -> Result<Vec<Move>, TooManyPositions> {
        self.memoryless.budget.positions = 0;
        let mut moves = MoveList::new();
        self.game.legal_moves(&mut moves);
        let mut winning = Vec::new();
        for &mv in moves.iter().filter(|_| plies > 0) {
            if self.wins_after(mv, plies - 1)? {
                winning.push(mv);
            }
        }
        Ok(winning)
    }

    fn wins(&mut self, plies: u32) -> Result<bool, TooManyPositions> {
        if let Some(outcome) = self.game.outcome() {
            return Ok(outcome.winner == Some(self.side));
        }
        if plies == 0 {
            return Ok(false);
        }
        if !self.game.rules().has_edge_clauses() && !may_end_game(&self.game, &self.positions, plies) {
            return self.memoryless.wins(self.game.position(), plies);
        }
        self.memoryless.budget.spend()?;
        self.lists.resize_with(self.lists.len().max(plies as usize + 1), MoveList::new);
        let ours = self.game.position().side_to_move() == self.side;
        let mut moves = std::mem::take(&mut self.lists[plies as usize]);
        self.game.legal_moves(&mut moves);
        // One of our moves that wins is enough. So is one of the opponent's moves that does not lose.
        let decisive = |answer: &Result<bool, _>| *answer != Ok(!ours);
        let answer = moves.iter().map(|mv| self.wins_after(*mv, plies - 1)).find(decisive);
        self.lists[plies as usize] = moves;
        answer.unwrap_or(Ok(!ours))
    }

    fn wins_after(&mut self, mv: Move, plies: u32) -> Result<bool, TooManyPositions> {
        self.game.play_trusted(mv);
        self.positions.push(*self.game.position());
        let answer = self.wins(plies);
        self.positions.pop();
        self.game.undo();
        answer
    }
}
