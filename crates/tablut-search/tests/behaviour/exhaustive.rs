//! A simple solver as the reference of the tests. It plays every move of a `Game`, so its answers follow all rules,
//! including history and limits.
//!
//! It is a depth-first and/or search. Its only optimisation is the move order: the first refutation ends a branch. It
//! looks about five plies ahead. A side forces a goal within `n` plies if the game ends with the goal reached after at
//! most `n` plies, whatever the opponent plays.

use tablut_rules::{Game, Move, MoveList, Outcome, Side};
use tablut_search::exhaustive::TooManyPositions;

/// The goal that a side tries to force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The side wins.
    Win,
    /// The game ends, and the side has not lost.
    NotLose,
}

/// The known result of a position after all lines up to some length were searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side wins in exactly this number of plies if both sides play best.
    Win(Side, u32),
    /// Both sides can force an end of the game without losing.
    Draw,
    /// The result is unknown. It needs longer lines.
    Open,
}

/// A depth-first solver with a limit on its work.
#[derive(Debug)]
pub struct Exhaustive {
    game: Game,
    max_positions: u64,
    positions: u64,
    /// A reusable list, and the last reply that refuted a line of this length, indexed by ply.
    lists: Vec<(MoveList, Option<Move>)>,
}

impl Exhaustive {
    /// A solver for the game's current position. Each question searches at most `max_positions` positions.
    pub fn new(game: &Game, max_positions: u64) -> Self {
        Self { game: game.clone(), max_positions, positions: 0, lists: Vec::new() }
    }

    /// Whether `side` can force the goal within `plies`.
    pub fn forces(&mut self, side: Side, goal: Goal, plies: u32) -> Result<bool, TooManyPositions> {
        self.positions = 0;
        self.lists.resize_with(plies as usize + 1, Default::default);
        self.search(side, goal, plies)
    }

    /// The smallest number of plies, up to `max_plies`, in which `side` can force a win.
    pub fn shortest_win(&mut self, side: Side, max_plies: u32) -> Result<Option<u32>, TooManyPositions> {
        for plies in 0..=max_plies {
            if self.forces(side, Goal::Win, plies)? {
                return Ok(Some(plies));
            }
        }
        Ok(None)
    }

    /// What all lines of at most `max_plies` plies prove.
    pub fn solve(&mut self, max_plies: u32) -> Result<Verdict, TooManyPositions> {
        for side in [Side::Attackers, Side::Defenders] {
            if let Some(plies) = self.shortest_win(side, max_plies)? {
                return Ok(Verdict::Win(side, plies));
            }
        }
        let drawn = self.forces(Side::Attackers, Goal::NotLose, max_plies)?
            && self.forces(Side::Defenders, Goal::NotLose, max_plies)?;
        Ok(if drawn { Verdict::Draw } else { Verdict::Open })
    }

    /// The first moves with which the side to move can force a win within `plies`.
    pub fn winning_moves(&mut self, plies: u32) -> Result<Vec<Move>, TooManyPositions> {
        let side = self.game.position().side_to_move();
        let mut moves = MoveList::new();
        self.game.legal_moves(&mut moves);
        let mut winning = Vec::new();
        for &mv in &moves {
            self.game.play_trusted(mv);
            let wins = self.forces(side, Goal::Win, plies.saturating_sub(1));
            self.game.undo();
            if wins? {
                winning.push(mv);
            }
        }
        Ok(winning)
    }

    fn search(&mut self, side: Side, goal: Goal, plies: u32) -> Result<bool, TooManyPositions> {
        self.positions += 1;
        if self.positions > self.max_positions {
            return Err(TooManyPositions { max_positions: self.max_positions });
        }
        if let Some(outcome) = self.game.outcome() {
            return Ok(reached(outcome, side, goal));
        }
        if plies == 0 {
            return Ok(false);
        }
        let ours = self.game.position().side_to_move() == side;
        let (mut moves, last) = std::mem::take(&mut self.lists[plies as usize]);
        self.game.legal_moves(&mut moves);
        // The move that decided the last position at this depth often decides this one too.
        let first = last.filter(|mv| moves.contains(mv));
        let mut decisive = None;
        let mut failed = None;
        for &mv in first.iter().chain(moves.iter().filter(|mv| Some(**mv) != first)) {
            self.game.play_trusted(mv);
            let forced = self.search(side, goal, plies - 1);
            self.game.undo();
            match forced {
                // One of our moves that forces the goal is enough. So is one of the opponent's moves that prevents it.
                Ok(forced) if forced == ours => decisive = Some(mv),
                Ok(_) => continue,
                Err(error) => failed = Some(error),
            }
            break;
        }
        self.lists[plies as usize] = (moves, decisive.or(last));
        failed.map_or(Ok(decisive.is_some() == ours), Err)
    }
}

fn reached(outcome: Outcome, side: Side, goal: Goal) -> bool {
    match goal {
        Goal::Win => outcome.winner == Some(side),
        Goal::NotLose => outcome.winner != Some(side.opponent()),
    }
}
