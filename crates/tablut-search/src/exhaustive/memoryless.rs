//! Finds wins under the rules without history, where only the position counts. It is an and/or search with iterative
//! deepening and a table of results.
//!
//! It skips moves and depths for these reasons, which hold in every position:
//!
//! - A side wins only by its own move: by the king's capture or escape, by leaving the other side without a move, by
//!   encirclement (no move of the defenders closes their own way to the edge) or by an exit fort (what the attackers can
//!   reach in any number of moves, they can still reach after one of these moves). So a win takes an odd number of
//!   plies, and an even limit can be lowered by one.
//! - A move that lets the other side win at once does not win.
//! - One move can take the last step away from at most three enemy pieces that are not on the edge. It captures them, or
//!   it lands on their last free square. All of them stand next to the square that the move lands on, and none on the
//!   side that the move came from. So an enemy with four or more such pieces that can step cannot be left without a
//!   move, and one with fewer only by a move to a square beside all of them. Only shield walls capture other pieces. They
//!   stand on the edge, so without this clause those on the edge count too.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

use tablut_rules::{Bitboard, GRID_SQUARES, Move, MoveList, Position, Rules, Side, Square};

/// The longest way of the king to the edge, in steps, that is looked at.
const LONGEST_WAY: usize = 16;

#[derive(Debug)]
pub(super) struct Memoryless {
    rules: Arc<Rules>,
    side: Side,
    /// Squares that are not a throne, corner or camp. Every piece may step on them.
    ordinary: Bitboard,
    edge: Bitboard,
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
            edge: rules.size().edge(),
            rules,
            side,
            table: HashMap::default(),
            budget: Budget { positions: 0, max_positions },
            levels: Vec::new(),
            decided: vec![0; 2 * GRID_SQUARES * GRID_SQUARES],
        }
    }

    /// Whether the side wins within `plies` from a position that is not decided.
    pub(super) fn wins(&mut self, position: &Position, plies: u32) -> Result<bool, TooManyPositions> {
        self.levels.resize_with(self.levels.len().max(plies as usize + 1), Level::default);
        if position.side_to_move() == self.side {
            self.finds_win(position, plies)
        } else if self.mover_wins_at_once(position) {
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
        if self.mover_wins_at_once(position) {
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

    /// Whether a move of the side to move ends the game by the king's capture or escape, by encirclement or by an exit
    /// fort.
    fn mover_wins_at_once(&mut self, position: &Position) -> bool {
        let mover = position.side_to_move();
        let Some(king) = position.king() else { return false };
        if self.rules.wins_at_once(position, mover) {
            return true;
        }
        let (on_edge, set) = (self.edge.contains(king), self.rules.set());
        // The king of a fort is on the edge, and an encircled king is not.
        let may_enclose = match mover {
            Side::Attackers => set.encirclement && !on_edge && !self.has_two_ways(position, king),
            Side::Defenders => set.exit_fort && (on_edge || self.rules.king_moves(position).intersects(self.edge)),
        };
        if !may_enclose {
            return false;
        }
        let mut moves = std::mem::take(&mut self.levels[0].moves);
        self.rules.legal_moves(position, &mut moves);
        let encloses = |mv: &Move| {
            let may_enclose = mover == Side::Attackers || on_edge || mv.from == king;
            may_enclose && self.rules.apply(position, *mv).winner == Some(mover)
        };
        let found = moves.iter().any(encloses);
        self.levels[0].moves = moves;
        found
    }

    /// Whether no single attacker more could cut all of the king's shortest ways to the edge over squares without
    /// attackers, because there are two squares or more at each distance. Then no move encircles the defenders. The
    /// answer may be false although it is so.
    fn has_two_ways(&self, position: &Position, king: Square) -> bool {
        let open = self.rules.size().board() - position.attackers();
        let mut reached = Bitboard::of(king);
        let mut rings = [reached; LONGEST_WAY + 1];
        for distance in 1..=LONGEST_WAY {
            let ring = (rings[distance - 1].neighbours() & open) - reached;
            reached |= ring;
            rings[distance] = ring;
            if !ring.intersects(self.edge) {
                continue;
            }
            let mut on_ways = ring & self.edge;
            for ring in rings[1..distance].iter().rev() {
                if on_ways.len() < 2 {
                    return false;
                }
                on_ways = on_ways.neighbours() & *ring;
            }
            return on_ways.len() >= 2;
        }
        false
    }

    /// Whether a move of the side leaves the other side without a move. The side does not win at once in another way.
    fn blockades(&mut self, position: &Position) -> bool {
        let enemies = position.pieces(self.side.opponent());
        let steps = (self.ordinary - position.occupied()).neighbours();
        let walled = if self.rules.has_edge_clauses() { self.edge } else { Bitboard::EMPTY };
        let free = (enemies & steps) - walled;
        if free.len() > 3 {
            return false;
        }
        let board = self.rules.size().board() - position.occupied();
        let beside_all = free.iter().fold(board, |all, enemy| all & Bitboard::of(enemy).neighbours());
        if beside_all.is_empty() {
            return false;
        }
        let mut moves = std::mem::take(&mut self.levels[0].moves);
        self.rules.legal_moves(position, &mut moves);
        let blocked = |mv: &Move| {
            beside_all.contains(mv.to) && !self.rules.has_legal_move(&self.rules.apply(position, *mv).position)
        };
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
            if !self.mover_wins_at_once(&after) {
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
