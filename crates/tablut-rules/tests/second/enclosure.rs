//! The second generator's clauses of the edge: shield walls (CO10), encirclement (CO8, FE7) and exit forts (CO7), step by
//! step on the board of characters.

use crate::board::{At, Board, DIRECTIONS, inside, is_corner, is_edge, plus, throne};

/// The soldiers of the rows that the piece on `to` closes, on the board after its move.
pub fn shield_walls(board: &Board, to: At) -> Vec<At> {
    let n = board.n;
    let attackers_moved = board.at(to) == 't';
    let own = |at: At| if attackers_moved { board.at(at) == 't' } else { matches!(board.at(at), 'T' | 'K') };
    let enemy = |at: At| if attackers_moved { matches!(board.at(at), 'T' | 'K') } else { board.at(at) == 't' };
    let mut found = Vec::new();
    for inwards in DIRECTIONS {
        // The edge that lies against this direction.
        let is_on_edge = |at: At| inside(n, at) && !inside(n, (at.0 - inwards.0, at.1 - inwards.1));
        if !is_on_edge(to) {
            continue;
        }
        for along in [(inwards.1, inwards.0), (-inwards.1, -inwards.0)] {
            let mut row = Vec::new();
            let mut at = plus(to, along);
            while is_on_edge(at) && enemy(at) && own(plus(at, inwards)) {
                row.push(at);
                at = plus(at, along);
            }
            if row.len() >= 2 && is_on_edge(at) && (own(at) || is_corner(n, at)) {
                found.extend(row.into_iter().filter(|&at| board.at(at) != 'K'));
            }
        }
    }
    found
}

/// Every square that can be reached from `starts` by steps to squares that fit.
fn reached(board: &Board, starts: Vec<At>, fits: impl Fn(At) -> bool) -> [[bool; 11]; 11] {
    let mut seen = [[false; 11]; 11];
    let mut open = starts;
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at.1 as usize][at.0 as usize], true) {
            continue;
        }
        for step in DIRECTIONS {
            let next = plus(at, step);
            if inside(board.n, next) && !seen[next.1 as usize][next.0 as usize] && fits(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// Whether no piece of the defenders can come to the edge, even if its own side's pieces did not block it.
pub fn is_encircled(board: &Board) -> bool {
    let defenders = board.squares().filter(|&at| matches!(board.at(at), 'T' | 'K')).collect();
    let seen = reached(board, defenders, |at| board.at(at) != 't');
    board.find_king().is_some() && !board.squares().any(|at| is_edge(board.n, at) && seen[at.1 as usize][at.0 as usize])
}

/// Whether the king stands on the edge and can move, and the attackers can never come to stand beside him.
pub fn is_fort(board: &Board) -> bool {
    let n = board.n;
    let Some(king) = board.find_king().filter(|&king| is_edge(n, king)) else { return false };
    if DIRECTIONS.iter().all(|&step| board.at(plus(king, step)) != '.') {
        return false;
    }
    // The defenders fall one after the other.
    let mut left = *board;
    loop {
        let attackers = left.squares().filter(|&at| left.at(at) == 't').collect();
        let open = |at: At| !is_corner(n, at) && !matches!(left.at(at), 'T' | 'K');
        let seen = reached(&left, attackers, open);
        let attacked = |at: At| inside(n, at) && at != throne(n) && seen[at.1 as usize][at.0 as usize];
        if DIRECTIONS.iter().any(|&step| attacked(plus(king, step))) {
            return false;
        }
        let hostile = |at: At| is_corner(n, at) || (at == throne(n) && !matches!(left.at(at), 'T' | 'K'));
        let captor = |at: At| attacked(at) || hostile(at);
        let falls = |at: &At| {
            let (column, row) = *at;
            let sides = [((column - 1, row), (column + 1, row)), ((column, row - 1), (column, row + 1))];
            left.at(*at) == 'T' && sides.into_iter().any(|(one, other)| captor(one) && captor(other))
        };
        match left.squares().find(falls) {
            Some(at) => left.set(at, '.'),
            None => return true,
        }
    }
}
