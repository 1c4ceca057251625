//! A solver for puzzles and tests, which shares no code with the search tree. It finds the number of plies within which
//! a side can force a win.
//!
//! It looks about nine plies ahead in real games. It stores positions, and it skips moves that provably cannot win.
//!
//! The search has two parts. The search without history asks what follows from the position alone. It may store
//! positions, because equal positions then have equal results, regardless of the moves that led to them. The search
//! with history plays moves on the `Game`. It is needed only while a repetition or a limit could change the result.

mod history;
mod memoryless;

use tablut_rules::{Game, Move, MoveList, Position, Side};

use self::history::{may_end_game, may_help, win_holds};
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
        let without_history = self.memoryless.wins(self.game.position(), plies)?;
        let is_exact = if without_history {
            win_holds(&self.game, &self.positions, plies)
        } else {
            !may_help(self.side, &self.game)
        };
        if is_exact || !may_end_game(&self.game, &self.positions, plies) {
            return Ok(without_history);
        }
        self.memoryless.budget.spend()?;
        self.lists.resize_with(self.lists.len().max(plies as usize + 1), MoveList::new);
        let mut moves = std::mem::take(&mut self.lists[plies as usize]);
        self.game.legal_moves(&mut moves);
        let answer = self.decides(&moves, plies, without_history);
        self.lists[plies as usize] = moves;
        answer
    }

    /// Whether the side wins within `plies`, with the history. `moves` are the legal moves, and `without_history` is the
    /// answer without the history.
    fn decides(&mut self, moves: &MoveList, plies: u32, without_history: bool) -> Result<bool, TooManyPositions> {
        // One of our moves that wins is enough. So is one of the opponent's moves that does not lose.
        let decisive = self.game.position().side_to_move() == self.side;
        // If a move decides without the history, it probably does so with it. Such moves come first.
        let mut later = Vec::new();
        for &mv in moves {
            if without_history == decisive && self.wins_without_history(mv, plies - 1)? != decisive {
                later.push(mv);
            } else if self.wins_after(mv, plies - 1)? == decisive {
                return Ok(decisive);
            }
        }
        for mv in later {
            if self.wins_after(mv, plies - 1)? == decisive {
                return Ok(decisive);
            }
        }
        Ok(!decisive)
    }

    fn wins_without_history(&mut self, mv: Move, plies: u32) -> Result<bool, TooManyPositions> {
        let after = self.game.rules().apply(self.game.position(), mv);
        match after.winner {
            Some(winner) => Ok(winner == self.side),
            None => self.memoryless.wins(&after.position, plies),
        }
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
