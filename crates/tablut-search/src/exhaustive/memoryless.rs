//! Finds wins under the rules without history, where only the position counts. It is an and/or search with iterative
//! deepening and a table of results.
//!
//! It skips moves and depths for these reasons, which hold in every position if the rules have no clauses of the edge
//! ([`Rules::has_edge_clauses`]):
//!
//! - A side wins only by its own move: by the king's capture or escape, or by leaving the other side without a move. So
//!   a win takes an odd number of plies, and an even limit can be lowered by one.
//! - A move that lets the other side win at once does not win.
//! - One move can take the last step away from at most three enemy pieces. It captures them, or it lands on their last
//!   free square. All of them stand next to the square that the move lands on, and none on the side that the move came
//!   from. So an enemy with four or more pieces that can step cannot be left without a move.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

use tablut_rules::{Bitboard, GRID_SQUARES, Move, MoveList, Position, Rules, Side};

#[derive(Debug)]
pub(super) struct Memoryless {
    rules: Arc<Rules>,
    side: Side,
    /// Squares that are not a throne, corner or camp. Every piece may step on them.
    ordinary: Bitboard,
    /// What is known about positions. It grows and never removes an entry. The limit on the solver's work also limits
    /// it. It compares whole positions, so two positions are never confused.
    table: HashMap<Key, Known, BuildHasherDefault<Ready>>,
    pub(super) budget: Budget,
    /// Indexed by the remaining plies.
    levels: Vec<Level>,
    /// How often a move decided a position, weighted by the work that it saved. [`index`] gives the place of a move.
    decided: Vec<u32>,
}

/// The solver needs more positions than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the solver needs more than {max_positions} positions")]
pub struct TooManyPositions {
    /// The allowed number of positions.
    pub max_positions: u64,
}

#[derive(Debug)]
pub(super) struct Budget {
    pub(super) positions: u64,
    pub(super) max_positions: u64,
}

impl Budget {
    pub(super) fn spend(&mut self) -> Result<(), TooManyPositions> {
        self.positions += 1;
        if self.positions > self.max_positions {
            return Err(TooManyPositions { max_positions: self.max_positions });
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Level {
    moves: MoveList,
    candidates: Vec<Candidate>,
    /// The last replies that refuted an attempt to win, latest first.
    refutations: [Option<Move>; 2],
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    mv: Move,
    after: Position,
    /// Moves with a higher rank are tried earlier.
    rank: u64,
}

impl Memoryless {
    pub(super) fn new(rules: Arc<Rules>, side: Side, max_positions: u64) -> Self {
        let special = rules.throne() | rules.corners() | rules.camps();
        Self {
            ordinary: rules.size().board() - special,
            rules,
            side,
            table: HashMap::default(),
            budget: Budget { positions: 0, max_positions },
            levels: Vec::new(),
            decided: vec![0; 2 * GRID_SQUARES * GRID_SQUARES],
        }
    }

    /// Whether the side wins within `plies` from a position in which the king is neither captured nor escaped.
    pub(super) fn wins(&mut self, position: &Position, plies: u32) -> Result<bool, TooManyPositions> {
        self.levels.resize_with(self.levels.len().max(plies as usize + 1), Level::default);
        if position.side_to_move() == self.side {
            self.finds_win(position, plies)
        } else if self.rules.wins_at_once(position, self.side.opponent()) {
            Ok(false)
        } else {
            self.wins_whatever_the_reply(position, plies)
        }
    }

    /// Whether the side, which is to move, wins within `plies`.
    fn finds_win(&mut self, position: &Position, plies: u32) -> Result<bool, TooManyPositions> {
        self.budget.spend()?;
        if plies == 0 {
            return Ok(false);
        }
        if self.rules.wins_at_once(position, self.side) {
            return Ok(true);
        }
        if plies < 3 {
            return Ok(self.blockades(position));
        }
        let Known { wins_within, open_within } = self.table.get(&Key(*position)).copied().unwrap_or_default();
        if wins_within.is_some_and(|within| within <= plies) {
            return Ok(true);
        }
        let longest = plies - (plies + 1) % 2;
        let shortest = (open_within + 2).max(3);
        for depth in (shortest..=longest).step_by(2) {
            let wins = self.has_winning_move(position, depth)?;
            let open_within = if wins { depth - 2 } else { depth };
            let wins_within = wins.then_some(depth).or(wins_within);
            self.table.insert(Key(*position), Known { wins_within, open_within });
            if wins {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a move of the side leaves the other side without a move. The side does not win at once by capture or
    /// escape.
    fn blockades(&mut self, position: &Position) -> bool {
        let enemies = position.pieces(self.side.opponent());
        let steps = (self.ordinary - position.occupied()).neighbours();
        if (enemies & steps).len() > 3 {
            return false;
        }
        let mut moves = std::mem::take(&mut self.levels[0].moves);
        self.rules.legal_moves(position, &mut moves);
        let blocked = |mv: &Move| !self.rules.has_legal_move(&self.rules.apply(position, *mv).position);
        let found = moves.iter().any(blocked);
        self.levels[0].moves = moves;
        found
    }

    /// Whether the side, which is to move and does not win at once, has a move that wins within `plies`. `plies` is odd
    /// and at least 3.
    fn has_winning_move(&mut self, position: &Position, plies: u32) -> Result<bool, TooManyPositions> {
        let mut level = std::mem::take(&mut self.levels[plies as usize]);
        self.rules.legal_moves(position, &mut level.moves);
        level.candidates.clear();
        for &mv in &level.moves {
            let after = self.rules.apply(position, mv).position;
            if !self.rules.wins_at_once(&after, self.side.opponent()) {
                let threat = u64::from(self.rules.wins_at_once(&after, self.side));
                let rank = threat << 32 | u64::from(self.decided[index(self.side, mv)]);
                level.candidates.push(Candidate { mv, after, rank });
            }
        }
        level.candidates.sort_by_key(|candidate| Reverse(candidate.rank));
        let mut answer = Ok(false);
        for candidate in &level.candidates {
            answer = self.wins_whatever_the_reply(&candidate.after, plies - 1);
            if answer == Ok(true) {
                self.reward(self.side, candidate.mv, plies);
            }
            if answer != Ok(false) {
                break;
            }
        }
        self.levels[plies as usize] = level;
        answer
    }

    /// Whether the side wins within `plies` after every reply. The other side is to move and does not win at once.
    fn wins_whatever_the_reply(&mut self, position: &Position, plies: u32) -> Result<bool, TooManyPositions> {
        self.budget.spend()?;
        if plies < 2 {
            return Ok(!self.rules.has_legal_move(position));
        }
        let opponent = self.side.opponent();
        // A reply that refuted the last attempt often refutes this one too.
        for reply in self.levels[plies as usize].refutations.into_iter().flatten() {
            if self.rules.check_legal(position, reply).is_ok()
                && !self.finds_win(&self.rules.apply(position, reply).position, plies - 1)?
            {
                return Ok(false);
            }
        }
        let mut level = std::mem::take(&mut self.levels[plies as usize]);
        self.rules.legal_moves(position, &mut level.moves);
        level.candidates.clear();
        level.candidates.extend(level.moves.iter().map(|&mv| Candidate {
            mv,
            after: self.rules.apply(position, mv).position,
            rank: u64::from(self.decided[index(opponent, mv)]),
        }));
        level.candidates.sort_by_key(|candidate| Reverse(candidate.rank));
        let mut answer = Ok(true);
        for candidate in &level.candidates {
            answer = self.finds_win(&candidate.after, plies - 1);
            if answer == Ok(false) {
                self.reward(opponent, candidate.mv, plies);
                level.refutations = [Some(candidate.mv), level.refutations[0]];
            }
            if answer != Ok(true) {
                break;
            }
        }
        self.levels[plies as usize] = level;
        answer
    }

    fn reward(&mut self, side: Side, mv: Move, plies: u32) {
        let score = &mut self.decided[index(side, mv)];
        *score = score.saturating_add(plies * plies);
    }
}

fn index(side: Side, mv: Move) -> usize {
    (side.index() * GRID_SQUARES + mv.from.index()) * GRID_SQUARES + mv.to.index()
}

/// What is known about one position under the rules without history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    /// The side wins within this number of plies.
    wins_within: Option<u32>,
    /// The side does not win within this number of plies.
    open_within: u32,
}

/// A position as a key of the table. Its hash is [`Position::hash`].
#[derive(Debug, PartialEq, Eq)]
struct Key(Position);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

/// A hasher for values that already are hashes.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
