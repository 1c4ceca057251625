//! The second generator. It implements the guide's rules page clause by clause for each rule set name, on a board of
//! characters. It shares no code with the engine, and it is slow.

/// The fourteen games.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Name {
    Piecepack,
    PiecepackDefendersFirst,
    PiecepackOpenCastle,
    Imperial,
    Ludoteka,
    Linnaeus,
    LinnaeusOpenCamps,
    Masters,
    MastersEdge,
    MastersWeakKing,
    MastersArmedKing,
    Kvasir,
    Tartu,
    Ashton,
}

use Name::*;

use crate::board::{At, Board, DIRECTIONS, THRONE, beside_throne, camp_group, inside, is_corner, is_edge, plus};

impl Name {
    pub const ALL: [(&str, Name); 14] = [
        ("piecepack", Piecepack),
        ("piecepack-defenders-first", PiecepackDefendersFirst),
        ("piecepack-open-castle", PiecepackOpenCastle),
        ("imperial", Imperial),
        ("ludoteka", Ludoteka),
        ("linnaeus", Linnaeus),
        ("linnaeus-open-camps", LinnaeusOpenCamps),
        ("masters", Masters),
        ("masters-edge", MastersEdge),
        ("masters-weak-king", MastersWeakKing),
        ("masters-armed-king", MastersArmedKing),
        ("kvasir", Kvasir),
        ("tartu", Tartu),
        ("ashton", Ashton),
    ];

    fn is_piecepack(self) -> bool {
        matches!(self, Piecepack | PiecepackDefendersFirst | PiecepackOpenCastle)
    }

    fn is_linnaeus(self) -> bool {
        matches!(self, Linnaeus | LinnaeusOpenCamps)
    }

    fn is_masters(self) -> bool {
        matches!(self, Masters | MastersEdge | MastersWeakKing | MastersArmedKing)
    }
}

/// A move: the from square, the to square, and the chosen capture (clause IC5).
pub type Step = (At, At, Option<At>);

fn square_text(at: At) -> String {
    format!("{}{}", (b'a' + at.0 as u8) as char, at.1 + 1)
}

pub fn step_text((from, to, choice): Step) -> String {
    let x = choice.map(|c| format!("x{}", square_text(c))).unwrap_or_default();
    format!("{}-{}{x}", square_text(from), square_text(to))
}

pub fn is_escape(name: Name, at: At) -> bool {
    match name {
        Piecepack | PiecepackDefendersFirst | PiecepackOpenCastle | Imperial | MastersEdge | Kvasir => is_edge(at),
        Ludoteka | Masters | MastersWeakKing | MastersArmedKing | Tartu => is_corner(at),
        Linnaeus | LinnaeusOpenCamps | Ashton => is_edge(at) && camp_group(at) == 0,
    }
}

pub fn king_is_armed(name: Name) -> bool {
    !matches!(name, Imperial | Masters | MastersEdge | MastersWeakKing)
}

#[derive(PartialEq)]
enum Entry {
    Shut,
    PassOnly,
    Open,
}

/// Whether a piece may pass and land on an empty square.
fn entry(name: Name, piece: char, from: At, at: At) -> Entry {
    if at == THRONE {
        match name {
            // PP3, LI4, AS3
            Piecepack | PiecepackDefendersFirst | Linnaeus | LinnaeusOpenCamps | Ashton => return Entry::Shut,
            // PP3 replaced, LU3, KV3, TA3
            PiecepackOpenCastle | Ludoteka | Kvasir | Tartu if piece != 'K' => return Entry::PassOnly,
            _ => {}
        }
    }
    // LU2, MA2, TA2
    if is_corner(at) && piece != 'K' && matches!(name, Ludoteka | Masters | MastersWeakKing | MastersArmedKing | Tartu)
    {
        return Entry::Shut;
    }
    if camp_group(at) != 0 {
        // LI3 and its variant
        if name == Linnaeus && piece != 't' {
            return Entry::Shut;
        }
        if name == LinnaeusOpenCamps && piece == 'K' {
            return Entry::Shut;
        }
        // AS4
        if name == Ashton && (piece != 't' || camp_group(from) != camp_group(at)) {
            return Entry::Shut;
        }
    }
    Entry::Open
}

/// Passes the to squares of the piece on a square to `each`, by direction and distance (C3).
pub fn destinations(name: Name, board: &Board, from: At, mut each: impl FnMut(At)) {
    let piece = board.at(from);
    for step in DIRECTIONS {
        let mut at = plus(from, step);
        let mut distance = 1;
        while inside(at) && board.at(at) == '.' {
            // IC3
            if name == Imperial && piece == 'K' && distance > 4 {
                break;
            }
            match entry(name, piece, from, at) {
                Entry::Shut => break,
                Entry::PassOnly => {}
                Entry::Open => each(at),
            }
            at = plus(at, step);
            distance += 1;
        }
    }
}

/// Whether a square counts as the second captor of a soldier (C5).
fn hostile_to_soldier(name: Name, board: &Board, victim: char, at: At) -> bool {
    if !inside(at) {
        return false;
    }
    let empty = board.at(at) == '.';
    let king_on_it = board.at(at) == 'K';
    if at == THRONE {
        if name.is_piecepack() {
            return empty; // PP4
        }
        return match (name, victim) {
            (Kvasir, 't') => true,                // KV4
            (Kvasir, _) => empty,                 // KV4
            (Tartu, 't') => empty || king_on_it,  // TA4
            (Tartu | Ashton, _) if empty => true, // TA4, AS5, AS6
            (Ashton, 'T') => empty || king_on_it, // AS5
            _ => false,                           // IC2, LU4, LI5, MA3
        };
    }
    if is_corner(at) {
        // LU4, MA4, TA4
        return matches!(name, Ludoteka | Masters | MastersWeakKing | MastersArmedKing | Tartu);
    }
    if name == Ashton && camp_group(at) != 0 {
        // AS5, AS6
        return victim == 'T' || !matches!(at, (0 | 8, 4) | (4, 0 | 8));
    }
    false
}

/// Whether the attacker that has just moved to `to`, next to the king, captures him. The move has been made on the
/// board, but captured pieces are still there.
fn king_captured(name: Name, board: &Board, king: At, to: At) -> bool {
    let attackers = DIRECTIONS.iter().filter(|&&d| board.at(plus(king, d)) == 't').count();
    let across = (2 * king.0 - to.0, 2 * king.1 - to.1);
    let two = board.at(across) == 't';
    if name.is_piecepack() || name == Kvasir {
        // PP6, PP7, PP8, KV6
        if king == THRONE {
            return attackers == 4;
        }
        if beside_throne(king) {
            return attackers == 3;
        }
        return two;
    }
    if name == Imperial {
        return attackers == 4; // IC4
    }
    if name == Ludoteka {
        // LU6
        return DIRECTIONS.iter().all(|&d| {
            let side = plus(king, d);
            board.at(side) == 't' || !inside(side) || is_corner(side) || (side == THRONE && board.at(side) == '.')
        });
    }
    if name.is_linnaeus() {
        // LI7, LI8
        return attackers == 4 || (beside_throne(king) && attackers == 3 && board.at(THRONE) == '.');
    }
    if name == MastersWeakKing {
        return two || is_corner(across);
    }
    if name.is_masters() {
        // MA6
        return attackers == 4 || (is_edge(king) && !is_corner(king) && attackers == 3);
    }
    if name == Tartu {
        // TA5
        return two || (inside(across) && is_corner(across)) || (across == THRONE && board.at(across) == '.');
    }
    // AS8
    if king == THRONE {
        return attackers == 4;
    }
    if beside_throne(king) {
        return attackers == 3;
    }
    two || camp_group(across) != 0
}

/// The pieces that the piece on `to` has just surrounded, on the board after its move.
pub fn surrounded(name: Name, board: &Board, to: At) -> Vec<At> {
    let piece = board.at(to);
    let mut found = Vec::new();
    if piece == 'K' && !king_is_armed(name) {
        return found; // C6
    }
    for d in DIRECTIONS {
        let next = plus(to, d);
        let beyond = plus(next, d);
        let victim = board.at(next);
        if piece == 't' && victim == 'K' {
            if king_captured(name, board, next, to) {
                found.push(next);
            }
            continue;
        }
        let enemy = if piece == 't' { 'T' } else { 't' };
        if victim != enemy {
            continue;
        }
        let second = board.at(beyond);
        let captor = match piece {
            't' => second == 't',
            _ => second == 'T' || (second == 'K' && king_is_armed(name)),
        };
        if captor || hostile_to_soldier(name, board, victim, beyond) {
            found.push(next);
            continue;
        }
        // PP9
        if name.is_piecepack() && piece == 't' && beyond == THRONE && second == 'K' {
            let attackers = DIRECTIONS.iter().filter(|&&d| board.at(plus(THRONE, d)) == 't').count();
            if attackers == 3 {
                found.push(next);
            }
        }
    }
    found.sort_by_key(|at| (at.1, at.0));
    found
}

/// The board after a piece has moved, before captures and before the turn passes.
pub fn moved(board: &Board, from: At, to: At) -> Board {
    let mut after = *board;
    after.set(to, board.at(from));
    after.set(from, '.');
    after
}

pub fn is_over(name: Name, board: &Board) -> bool {
    board.find_king().is_none_or(|king| is_escape(name, king))
}

fn is_own(turn: char, piece: char) -> bool {
    if turn == 'a' { piece == 't' } else { piece == 'T' || piece == 'K' }
}

/// Every legal move, by from square, direction, distance and choice.
pub fn legal(name: Name, board: &Board) -> Vec<Step> {
    let mut steps = Vec::new();
    if is_over(name, board) {
        return steps;
    }
    for from in (0..81i8).map(|i| (i % 9, i / 9)) {
        if !is_own(board.turn, board.at(from)) {
            continue;
        }
        destinations(name, board, from, |to| {
            if name == Imperial {
                let choices = surrounded(name, &moved(board, from, to), to);
                if choices.len() > 1 {
                    // IC5
                    steps.extend(choices.into_iter().map(|choice| (from, to, Some(choice))));
                    return;
                }
            }
            steps.push((from, to, None));
        });
    }
    steps
}

/// The board after a legal move, the captured squares, and the winner by C7 (`a`, `d`, or `-` for none).
pub fn play(name: Name, board: &Board, step: Step) -> (Board, Vec<At>, char) {
    let (from, to, choice) = step;
    let mut after = moved(board, from, to);
    let captured = match choice {
        Some(choice) => vec![choice],
        None => surrounded(name, &after, to),
    };
    let mut winner = '-';
    for &at in &captured {
        if after.at(at) == 'K' {
            winner = 'a';
        }
        after.set(at, '.');
    }
    if after.at(to) == 'K' && is_escape(name, to) {
        winner = 'd';
    }
    after.turn = if board.turn == 'a' { 'd' } else { 'a' };
    (after, captured, winner)
}

/// Escape routes (C11).
pub fn routes(name: Name, board: &Board) -> u32 {
    let Some(king) = board.find_king() else { return 0 };
    if is_escape(name, king) {
        return 0;
    }
    let mut open = [false; 4];
    destinations(name, board, king, |to| {
        if is_escape(name, to) {
            let d = ((to.0 - king.0).signum(), (to.1 - king.1).signum());
            let i = DIRECTIONS.iter().position(|&x| x == d).expect("a direction");
            open[i] = true;
        }
    });
    open.iter().filter(|&&o| o).count() as u32
}

/// Whether a side could win at once by C7 if it were to move.
pub fn wins_at_once(name: Name, board: &Board, side: char) -> bool {
    let board = Board { turn: side, ..*board };
    legal(name, &board).into_iter().any(|step| play(name, &board, step).2 == side)
}

/// The number of move sequences of exactly `depth` plies.
pub fn perft(name: Name, board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return count(name, board);
    }
    let mut total = 0;
    for step in legal(name, board) {
        let (after, _, winner) = play(name, board, step);
        if winner == '-' {
            total += perft(name, &after, depth - 1);
        }
    }
    total
}

/// The number of legal moves.
fn count(name: Name, board: &Board) -> u64 {
    if name == Imperial {
        return legal(name, board).len() as u64;
    }
    if is_over(name, board) {
        return 0;
    }
    let mut n = 0;
    for from in (0..81i8).map(|i| (i % 9, i / 9)) {
        if is_own(board.turn, board.at(from)) {
            destinations(name, board, from, |_| n += 1);
        }
    }
    n
}
