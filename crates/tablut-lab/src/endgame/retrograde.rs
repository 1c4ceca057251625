//! Retrograde analysis of one class of material, from ends of games to the positions that lead to them.
//!
//! A first pass visits every position. It finds results within two plies, and wins by captures, which lead to smaller
//! classes. Then losses and wins are found in turn, the shortest first. A position is lost if every move leads to a win
//! of the opponent. An open position stores its first move that does not, so each of its moves is looked up about once.
//! A position from which a move leads to a lost one is won. Wins are found from the lost positions' predecessors, or from
//! the moves of the open positions if these are fewer.
//!
//! All moves, captures and wins are those of `tablut-rules`. Candidate predecessors move a piece back along its lines.
//! A candidate counts if `tablut-rules` accepts the forward move and the move leads to the position.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tablut_rules::{Applied, Bitboard, Direction, Move, MoveList, Position, Rules, Side, Square};

use super::index::Index;
use super::material::Material;
use super::table::{Cell, Cells, Table};

/// Solves a class of material on all cores. `smaller` has every class that a capture leads to.
pub(super) fn solve(rules: &Rules, index: Index, smaller: &BTreeMap<Material, Table>) -> Table {
    let cells = Cells::new(index.n_slots());
    let retrograde = Retrograde { rules, smaller, table: Table { index, cells } };
    let mut longest = retrograde.look_at_all();
    // A loss is one ply longer than the longest win that it allows.
    let mut plies = 0;
    while plies <= longest + 1 {
        retrograde.find_losses(plies);
        if retrograde.pass_on_losses(plies) {
            longest = longest.max(plies + 1);
        }
        plies += 2;
    }
    retrograde.table
}

struct Retrograde<'a> {
    rules: &'a Rules,
    smaller: &'a BTreeMap<Material, Table>,
    table: Table,
}

impl Retrograde<'_> {
    /// Every slot with its cell, on all cores. A pass changes a cell only in a way that the other cells of the same pass
    /// do not depend on, so its result does not depend on the order.
    fn cells(&self) -> impl ParallelIterator<Item = (usize, Cell)> {
        (0..self.table.cells.len()).into_par_iter().map(|slot| (slot, self.table.cells.get(slot)))
    }

    /// The largest number of plies that is found.
    fn look_at_all(&self) -> u32 {
        let looked = self.cells().map_init(MoveList::new, |moves, (slot, _)| {
            let position = self.table.index.position(slot)?;
            let plies = self.plies_at_first_sight(&position, moves);
            self.table.cells.set(slot, plies.map_or(Cell::open(0), Cell::decided));
            plies
        });
        looked.flatten().max().unwrap_or(0)
    }

    /// The plies until the game ends, if they follow without the results of the position's own class. A win by a
    /// capture may turn out to be shorter.
    fn plies_at_first_sight(&self, position: &Position, moves: &mut MoveList) -> Option<u32> {
        let (rules, mover) = (self.rules, position.side_to_move());
        let opponent = mover.opponent();
        if rules.wins_at_once(position, mover) {
            return Some(1);
        }
        if !rules.has_legal_move(position) {
            return Some(0);
        }
        if rules.wins_at_once(position, opponent) && !rules.can_parry(position, opponent) {
            return Some(2);
        }
        rules.legal_moves(position, moves);
        let captures = moves.iter().map(|&mv| rules.apply(position, mv)).filter(|after| !after.captured.is_empty());
        let losses =
            captures.filter_map(|after| plies_in(self.smaller, &after.position)).filter(|plies| plies % 2 == 0);
        losses.min().map(|plies| plies + 1)
    }

    /// Decides the open positions that are lost in `plies`: every move leads to a win of the opponent in fewer plies.
    fn find_losses(&self, plies: u32) {
        self.cells().for_each_init(MoveList::new, |moves, (slot, cell)| {
            let Some(first) = cell.first_move() else { return };
            let Some(position) = self.table.index.position(slot) else { return };
            self.rules.legal_moves(&position, moves);
            let holds = |mv: &Move| !self.is_won_within(plies, &self.rules.apply(&position, *mv));
            match moves[first..].iter().position(holds) {
                Some(0) => {}
                Some(skipped) => self.table.cells.set(slot, Cell::open(first + skipped)),
                None => self.table.cells.set(slot, Cell::decided(plies)),
            }
        });
    }

    /// Whether the side to move in `after` is known to win in fewer than `plies`.
    fn is_won_within(&self, plies: u32, after: &Applied) -> bool {
        if self.rules.wins_at_once(&after.position, after.position.side_to_move()) {
            return plies > 1;
        }
        let known = if after.captured.is_empty() {
            let slot = self.table.index.slot(&after.position).expect("a move without captures stays in the class");
            self.table.cells.get(slot).plies()
        } else {
            plies_in(self.smaller, &after.position)
        };
        known.is_some_and(|known| known % 2 == 1 && known < plies)
    }

    /// Marks the positions from which a move leads to a position that is lost in `plies`. Whether there are any.
    ///
    /// It starts from the lost positions, or from those that may be won, whichever are fewer.
    fn pass_on_losses(&self, plies: u32) -> bool {
        let is_lost = |cell: Cell| cell == Cell::decided(plies);
        let may_win = |cell: Cell| match cell.plies() {
            Some(known) => known % 2 == 1 && known > plies + 1,
            None => cell.first_move().is_some(),
        };
        if self.cells().filter(|&(_, cell)| may_win(cell)).count()
            < self.cells().filter(|&(_, cell)| is_lost(cell)).count()
        {
            let wins = self.cells().map_init(MoveList::new, |moves, (slot, cell)| {
                let position = may_win(cell).then(|| self.table.index.position(slot))??;
                self.rules.legal_moves(&position, moves);
                let wins = moves.iter().any(|&mv| {
                    let after = self.rules.apply(&position, mv);
                    after.captured.is_empty()
                        && self
                            .table
                            .index
                            .slot(&after.position)
                            .is_some_and(|slot| is_lost(self.table.cells.get(slot)))
                });
                wins.then(|| self.table.cells.lower(slot, plies + 1))
            });
            return wins.flatten().count() > 0;
        }
        let lost = self.cells().filter(|&(_, cell)| is_lost(cell));
        let marked = lost.map(|(slot, _)| {
            let Some(position) = self.table.index.position(slot) else { return false };
            let before = self.predecessors(&position);
            for &before in &before {
                self.table.cells.lower(before, plies + 1);
            }
            !before.is_empty()
        });
        marked.reduce(|| false, |a, b| a || b)
    }

    /// The slots from which a move of the opponent leads to the position without a capture.
    fn predecessors(&self, position: &Position) -> Vec<usize> {
        let mover = position.side_to_move().opponent();
        let occupied = position.occupied();
        let mut slots = Vec::new();
        for to in position.pieces(mover) {
            for direction in Direction::ALL {
                let squares = std::iter::successors(to.step(direction), |square| square.step(direction));
                for from in squares.take_while(|square| !occupied.contains(*square)) {
                    let Some(before) = with_piece_moved(position, mover, to, from) else { continue };
                    let mv = Move::new(from, to);
                    let legal = self.rules.check_legal(&before, mv).is_ok();
                    if legal && self.rules.apply(&before, mv).position == *position {
                        slots.extend(self.table.index.slot(&before));
                    }
                }
            }
        }
        slots
    }
}

/// The plies until the game ends, for a position of a smaller class. `None` if neither side wins.
fn plies_in(smaller: &BTreeMap<Material, Table>, position: &Position) -> Option<u32> {
    let table = smaller.get(&Material::of(position)).expect("smaller classes are solved first");
    let slot = table.index.slot(position).expect("a capture leads to a position of its class");
    table.cells.get(slot).plies()
}

/// The position with the piece on `from` moved to the empty square `to`, and `side` to move.
fn with_piece_moved(position: &Position, side: Side, from: Square, to: Square) -> Option<Position> {
    let (mut attackers, mut defenders, mut king) = (position.attackers(), position.defenders(), position.king());
    let replace = |set: &mut Bitboard| {
        set.remove(from);
        set.insert(to);
    };
    match side {
        Side::Attackers => replace(&mut attackers),
        Side::Defenders if king == Some(from) => king = Some(to),
        Side::Defenders => replace(&mut defenders),
    }
    Position::from_parts(position.size(), attackers, defenders, king, side).ok()
}
