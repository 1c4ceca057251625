//! Retrograde analysis of one class of material, from ends of games to the positions that lead to them.
//!
//! A first pass visits every position. It finds results within two plies, and wins by captures, which lead to smaller
//! classes. Then losses and wins are found in turn, the shortest first. A position is lost if every move leads to a win
//! of the opponent. An open position stores its first move that does not, and waits for another check until this move
//! may have been found to lose. A position from which a move leads to a lost one is won. Wins are found from the lost
//! positions' predecessors, or from the moves of the open positions if that takes less time.
//!
//! All moves, captures and wins are those of `tablut-rules`. Candidate predecessors move a piece back along its lines.
//! A candidate counts if `tablut-rules` accepts the forward move and the move captures nothing.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tablut_rules::{Applied, Bitboard, Direction, Move, Position, Rules, Side, Square};

use super::index::Index;
use super::material::Material;
use super::table::{Cell, Cells, Table};

/// About how many positions can be looked at in the time that it takes to find the predecessors of one.
const LOOKS_PER_PREDECESSORS: u64 = 6;

/// Solves a class of material on all cores. `smaller` has every class that a capture leads to.
pub(super) fn solve(rules: &Rules, index: Index, smaller: &BTreeMap<Material, Table>) -> Table {
    let cells = Cells::new(index.n_slots());
    let retrograde = Retrograde { rules, smaller, table: Table { index, cells } };
    let mut longest = retrograde.look_at_all();
    let mut plies = 0;
    // A loss is one ply longer than the longest win that it allows.
    while plies <= longest + 1 {
        let counts = Side::ALL.map(|side| retrograde.find_losses(side, plies));
        for loser in Side::ALL {
            let winner = loser.opponent();
            let (n_lost, n_open) = counts[loser.index()];
            let (_, n_may_win) = counts[winner.index()];
            let n_wins = retrograde.pass_on_losses(loser, plies, n_lost, n_may_win);
            if n_wins > 0 {
                longest = longest.max(plies + 1);
            }
            // Until the first check all open positions wait.
            if plies > 0 {
                retrograde.let_wait(winner, plies + 1, LOOKS_PER_PREDECESSORS * n_wins > n_open);
            }
        }
        plies += 2;
    }
    retrograde.table
}

/// What is known of a move.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Reply {
    /// The opponent wins in fewer plies than those of the pass.
    Wins,
    /// The move is a capture after which the opponent wins, but later.
    WinsLater,
    /// Everything else.
    Unknown,
}

struct Retrograde<'a> {
    rules: &'a Rules,
    smaller: &'a BTreeMap<Material, Table>,
    table: Table,
}

impl Retrograde<'_> {
    /// The slots with `side` to move and their cells, on all cores. A pass changes a cell only in a way that the other
    /// cells of the same pass do not depend on, so its result does not depend on the order.
    fn cells(&self, side: Side) -> impl ParallelIterator<Item = (usize, Cell)> {
        self.table.index.slots(side).into_par_iter().map(|slot| (slot, self.table.cells.get(slot)))
    }

    /// The largest number of plies that is found.
    fn look_at_all(&self) -> u32 {
        let looked = Side::ALL.into_par_iter().flat_map(|side| self.cells(side)).filter_map(|(slot, _)| {
            let cell = self.cell_at_first_sight(&self.table.index.position(slot)?);
            self.table.cells.set(slot, cell);
            cell.plies()
        });
        looked.max().unwrap_or(0)
    }

    /// What follows without the results of the position's own class. A win by a capture may turn out to be shorter.
    fn cell_at_first_sight(&self, position: &Position) -> Cell {
        let (rules, mover) = (self.rules, position.side_to_move());
        let opponent = mover.opponent();
        if rules.wins_at_once(position, mover) {
            return Cell::decided(1);
        }
        if !rules.has_legal_move(position) {
            return Cell::decided(0);
        }
        if rules.wins_at_once(position, opponent) && !rules.can_parry(position, opponent) {
            return Cell::decided(2);
        }
        // A move that cannot change who wins at once captures nothing.
        let foresight = rules.foresight(position);
        let mut shortest: Option<u32> = None;
        rules.every_move(position, |mv| {
            if foresight.may_change(mv) && !rules.captured(position, mv).is_empty() {
                let loss = plies_in(self.smaller, &rules.apply(position, mv).position).filter(|plies| plies % 2 == 0);
                shortest = shortest.into_iter().chain(loss).min();
            }
            true
        });
        shortest.map_or(Cell::open(0, true), |plies| Cell::decided(plies + 1))
    }

    /// Decides the waiting positions that `side`, to move, loses in `plies`: every move leads to a win of the opponent in
    /// fewer plies. The numbers of the positions that are lost in `plies`, and of the open ones.
    fn find_losses(&self, side: Side, plies: u32) -> (u64, u64) {
        let counts = self.cells(side).map(|(slot, cell)| {
            let cell = if plies > 0 && cell.is_open() && cell.waits() { self.checked(slot, cell, plies) } else { cell };
            (u64::from(cell == Cell::decided(plies)), u64::from(cell.is_open()))
        });
        counts.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// The new cell of a waiting position.
    fn checked(&self, slot: usize, cell: Cell, plies: u32) -> Cell {
        let Some(position) = self.table.index.position(slot) else { return cell };
        let parts = self.table.index.parts(slot);
        let foresight = self.rules.foresight(&position);
        let is_threatened = self.rules.wins_at_once(&position, position.side_to_move().opponent());
        let (mut n_lost, mut reply) = (0, Reply::Wins);
        let all_lose = self.rules.every_move(&position, |mv| {
            if n_lost >= cell.first_move() {
                reply = if foresight.may_change(mv) {
                    self.reply(plies, &self.rules.apply(&position, mv))
                } else if is_threatened {
                    Reply::Wins
                } else {
                    let after = self.table.cells.get(self.table.index.slot_after_move(parts, &position, mv));
                    if after.plies().is_some_and(|known| wins_within(known, plies)) {
                        Reply::Wins
                    } else {
                        Reply::Unknown
                    }
                };
            }
            n_lost += usize::from(reply == Reply::Wins);
            reply == Reply::Wins
        });
        let cell = if all_lose { Cell::decided(plies) } else { Cell::open(n_lost, reply == Reply::WinsLater) };
        self.table.cells.set(slot, cell);
        cell
    }

    /// The reply to a move, from what is known of wins in fewer than `plies`.
    fn reply(&self, plies: u32, after: &Applied) -> Reply {
        if self.rules.wins_at_once(&after.position, after.position.side_to_move()) {
            return Reply::Wins;
        }
        let is_capture = !after.captured.is_empty();
        let known = if is_capture {
            plies_in(self.smaller, &after.position)
        } else {
            let slot = self.table.index.slot(&after.position).expect("a move without captures stays in the class");
            self.table.cells.get(slot).plies()
        };
        match known {
            Some(known) if wins_within(known, plies) => Reply::Wins,
            Some(known) if known % 2 == 1 && is_capture => Reply::WinsLater,
            _ => Reply::Unknown,
        }
    }

    /// Marks the positions from which a move leads to a position that `loser`, to move, loses in `plies`. The number of
    /// marks, of which a position may have several.
    ///
    /// It starts from the `n_lost` lost positions, or from the `n_may_win` that may be won, whichever takes less time.
    fn pass_on_losses(&self, loser: Side, plies: u32, n_lost: u64, n_may_win: u64) -> u64 {
        let is_lost = |cell: Cell| cell == Cell::decided(plies);
        if n_lost == 0 {
            return 0;
        }
        if LOOKS_PER_PREDECESSORS * n_lost <= n_may_win {
            let lost = self.cells(loser).filter(|&(_, cell)| is_lost(cell));
            let marks = lost.map(|(slot, _)| {
                let before = self.predecessors(slot);
                for &before in &before {
                    self.table.cells.lower(before, plies + 1);
                }
                before.len() as u64
            });
            return marks.sum();
        }
        let may_win =
            |cell: Cell| cell.plies().map_or(cell.is_open(), |known| wins_within(known, u32::MAX) && known > plies + 1);
        let wins = self.cells(loser.opponent()).filter(|&(slot, cell)| {
            may_win(cell)
                && self.table.index.position(slot).is_some_and(|position| {
                    let parts = self.table.index.parts(slot);
                    !self.rules.every_move(&position, |mv| {
                        let after = self.table.index.slot_after_move(parts, &position, mv);
                        !(is_lost(self.table.cells.get(after)) && self.rules.captured(&position, mv).is_empty())
                    })
                })
        });
        wins.map(|(slot, _)| self.table.cells.lower(slot, plies + 1)).count() as u64
    }

    /// Lets the positions wait for a check from which a move leads to a position that `winner`, to move, wins in `plies`,
    /// or `all` open positions of the opponent.
    fn let_wait(&self, winner: Side, plies: u32, all: bool) {
        if all {
            self.cells(winner.opponent()).for_each(|(slot, _)| self.table.cells.let_wait(slot));
        } else {
            let won = self.cells(winner).filter(|&(_, cell)| cell == Cell::decided(plies));
            won.for_each(|(slot, _)| {
                for before in self.predecessors(slot) {
                    self.table.cells.let_wait(before);
                }
            });
        }
    }

    /// The slots from which a move of the opponent leads to the slot's position without a capture.
    fn predecessors(&self, slot: usize) -> Vec<usize> {
        let Some(position) = self.table.index.position(slot) else { return Vec::new() };
        let mover = position.side_to_move().opponent();
        let occupied = position.occupied();
        let mut slots = Vec::new();
        for to in position.pieces(mover) {
            for direction in Direction::ALL {
                let squares = std::iter::successors(to.step(direction), |square| square.step(direction));
                for from in squares.take_while(|square| !occupied.contains(*square)) {
                    let Some(before) = with_piece_moved(&position, mover, to, from) else { continue };
                    let mv = Move::new(from, to);
                    let legal = self.rules.check_legal(&before, mv).is_ok();
                    if legal && self.rules.captured(&before, mv).is_empty() {
                        slots.extend(self.table.index.slot(&before));
                    }
                }
            }
        }
        slots
    }
}

/// Whether the side to move wins in fewer than `plies`, if the game ends after `known`.
fn wins_within(known: u32, plies: u32) -> bool {
    known % 2 == 1 && known < plies
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
