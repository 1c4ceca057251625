//! The search: negamax with alpha-beta bounds, and quiescence on captures and escapes.

use super::evaluation::{Evaluation, INFINITE, WIN};
use super::ordering::{Child, Ordering};
use super::table::{Bound, Entry, Table};
use std::time::Instant;
use tablut_rules::{MoveList, Position, Rules, Side};

/// How many plies of captures, threats and answers quiescence searches.
const QUIESCENCE_PLIES: u32 = 6;
/// The number of nodes between two readings of the clock.
const NODES_PER_LOOK: u64 = 512;

/// The search of one move: the state shared by its nodes.
pub(super) struct Tree<'a> {
    pub(super) rules: &'a Rules,
    pub(super) evaluation: &'a Evaluation,
    pub(super) table: &'a mut Table,
    pub(super) ordering: &'a mut Ordering,
    /// Hashes of the game's positions since the last capture and of the searched line.
    pub(super) line: Vec<u64>,
    pub(super) deadline: Option<Instant>,
    /// Set after the deadline. Scores returned after that are meaningless.
    pub(super) stopped: bool,
    pub(super) nodes: u64,
}

impl Tree<'_> {
    /// The score of `position`, at `ply` from the root, searched `depth` plies deep.
    ///
    /// Fail-soft: if it is at most `alpha`, it is an upper bound; if it is at least `beta`, a lower bound.
    pub(super) fn negamax(&mut self, position: &Position, depth: u32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        if depth == 0 {
            return self.quiescence(position, QUIESCENCE_PLIES, ply, alpha, beta);
        }
        if self.out_of_time() {
            return 0;
        }
        let key = position.hash();
        // A repeated position counts as even at once, because the better side will avoid it.
        if self.line.contains(&key) {
            return 0;
        }
        let known = self.table.look_up(key, ply);
        if let Some(score) = known.and_then(|entry| cutoff(&entry, depth, alpha, beta)) {
            return score;
        }
        let children = self.children(position, known.and_then(|entry| entry.mv), ply);
        if children.is_empty() {
            return ply - WIN;
        }
        self.line.push(key);
        let (floor, mut best, mut best_mv) = (alpha, -INFINITE, None);
        for child in &children {
            let score = if child.wins {
                WIN - ply - 1
            } else {
                -self.negamax(&child.position, depth - 1, ply + 1, -beta, -alpha)
            };
            if self.stopped {
                break;
            }
            if score > best {
                (best, best_mv) = (score, Some(child.mv));
                alpha = alpha.max(score);
            }
            if alpha >= beta {
                self.ordering.reward(child, position.side_to_move(), depth, ply);
                break;
            }
        }
        self.line.pop();
        if !self.stopped {
            let bound = bound_of(best, floor, beta);
            self.table.store(key, ply, &Entry { mv: best_mv, score: best, depth, bound });
        }
        best
    }

    /// The score of `position` after all captures, escapes and the answers to them.
    ///
    /// While the king threatens to escape, the attackers must answer the threat and may not stand pat.
    fn quiescence(&mut self, position: &Position, left: u32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        if self.out_of_time() {
            return 0;
        }
        let side = position.side_to_move();
        if self.rules.wins_at_once(position, side) {
            return WIN - ply - 1;
        }
        let threatened = side == Side::Attackers && self.rules.routes(position) > 0;
        let standing = self.evaluation.score(position);
        let mut best = standing;
        if left == 0 {
            return best;
        }
        if threatened {
            // Unless the search below finds an answer, the king escapes with his next move.
            best = ply + 2 - WIN;
        } else if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        for child in self.children(position, None, ply) {
            let holds = if threatened { child.routes == 0 } else { child.n_captured > 0 || child.forks };
            if !holds {
                continue;
            }
            let score = -self.quiescence(&child.position, left - 1, ply + 1, -beta, -alpha);
            if self.stopped {
                return best;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The positions after every legal move, most promising first.
    fn children(&mut self, position: &Position, first: Option<tablut_rules::Move>, ply: i32) -> Vec<Child> {
        let mut moves = MoveList::new();
        self.rules.legal_moves(position, &mut moves);
        self.ordering.children(self.rules, position, &moves, first, ply)
    }

    fn out_of_time(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK)
            && let Some(deadline) = self.deadline
        {
            self.stopped |= Instant::now() >= deadline;
        }
        self.stopped
    }
}

/// The stored score, if it decides the node.
fn cutoff(entry: &Entry, depth: u32, alpha: i32, beta: i32) -> Option<i32> {
    let settles = entry.depth >= depth
        && match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.score >= beta,
            Bound::Upper => entry.score <= alpha,
        };
    settles.then_some(entry.score)
}

fn bound_of(score: i32, floor: i32, beta: i32) -> Bound {
    if score >= beta {
        Bound::Lower
    } else if score <= floor {
        Bound::Upper
    } else {
        Bound::Exact
    }
}
