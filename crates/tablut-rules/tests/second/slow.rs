//! The second generator. It implements the guide's rules page clause by clause for each rule set name, on a board of
//! characters. It shares no code with the engine, and it is slow.

/// The twenty games.
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
    Brandubh,
    BrandubhWeakKing,
    Copenhagen,
    Fetlar,
    Tawlbwrdd,
    TawlbwrddLewis,
}

use Name::*;

use crate::board::{At, Board, DIRECTIONS, beside_throne, camp_group, inside, is_corner, is_edge, plus, throne};
use crate::enclosure::{is_encircled, is_fort, shield_walls};

impl Name {
    pub const ALL: [(&str, Name); 20] = [
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
        ("brandubh", Brandubh),
        ("brandubh-weak-king", BrandubhWeakKing),
        ("copenhagen", Copenhagen),
        ("fetlar", Fetlar),
        ("tawlbwrdd", Tawlbwrdd),
        ("tawlbwrdd-lewis", TawlbwrddLewis),
    ];

    /// The squares along one side of the board.
    pub fn n(self) -> i8 {
        match self {
            Brandubh | BrandubhWeakKing => 7,
            Copenhagen | Fetlar | Tawlbwrdd | TawlbwrddLewis => 11,
            _ => 9,
        }
    }

    /// The rows of the start position.
    pub fn start(self) -> &'static str {
        match self {
            Brandubh | BrandubhWeakKing => "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3", // BR1
            Copenhagen | Fetlar => "3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3", // CO1, FE1
            Tawlbwrdd => "4ttt4/4t1t4/5t5/5T5/tt2TTT2tt/t1tTTKTTt1t/tt2TTT2tt/5T5/5t5/4t1t4/4ttt4", // TW1
            TawlbwrddLewis => "4ttt4/4ttt4/5T5/5T5/tt3T3tt/ttTTTKTTTtt/tt3T3tt/5T5/5T5/4ttt4/4ttt4", // TL1
            _ => "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3",         // C2
        }
    }

    pub fn is_brandubh(self) -> bool {
        matches!(self, Brandubh | BrandubhWeakKing)
    }

    /// The games of 11 by 11 squares in which the king escapes to the corners.
    pub fn is_hnefatafl(self) -> bool {
        matches!(self, Copenhagen | Fetlar)
    }

    pub fn is_tawlbwrdd(self) -> bool {
        matches!(self, Tawlbwrdd | TawlbwrddLewis)
    }

    /// The games with special corners.
    pub fn has_corners(self) -> bool {
        matches!(self, Ludoteka | Masters | MastersWeakKing | MastersArmedKing | Tartu)
            || self.is_brandubh()
            || self.is_hnefatafl()
    }

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
        Piecepack
        | PiecepackDefendersFirst
        | PiecepackOpenCastle
        | Imperial
        | MastersEdge
        | Kvasir
        | Tawlbwrdd
        | TawlbwrddLewis => is_edge(name.n(), at),
        Ludoteka | Masters | MastersWeakKing | MastersArmedKing | Tartu | Brandubh | BrandubhWeakKing | Copenhagen
        | Fetlar => is_corner(name.n(), at),
        Linnaeus | LinnaeusOpenCamps | Ashton => is_edge(name.n(), at) && camp_group(at) == 0,
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
    if at == throne(name.n()) {
        match name {
            // PP3, LI4, AS3
            Piecepack | PiecepackDefendersFirst | Linnaeus | LinnaeusOpenCamps | Ashton => return Entry::Shut,
            // PP3 replaced, LU3, KV3, TA3
            // BR4, CO4, FE4
            PiecepackOpenCastle | Ludoteka | Kvasir | Tartu | Brandubh | BrandubhWeakKing | Copenhagen | Fetlar
                if piece != 'K' =>
            {
                return Entry::PassOnly;
            }
            _ => {}
        }
    }
    // LU2, MA2, TA2, BR3, CO3, FE3
    if is_corner(name.n(), at) && piece != 'K' && name.has_corners() {
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
        while inside(name.n(), at) && board.at(at) == '.' {
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
    if !inside(name.n(), at) {
        return false;
    }
    let empty = board.at(at) == '.';
    let king_on_it = board.at(at) == 'K';
    if at == throne(name.n()) {
        if name.is_piecepack() {
            return empty; // PP4
        }
        return match (name, victim) {
            (Kvasir | Brandubh | Copenhagen | Fetlar, 't') => true, // KV4, BR5, CO4, FE4
            (Kvasir, _) => empty,                                   // KV4
            (Tartu, 't') => empty || king_on_it,                    // TA4
            (Tartu | Ashton | Brandubh | Copenhagen | Fetlar, _) if empty => true, // TA4, AS5, AS6, BR5, CO4, FE4
            (Ashton, 'T') => empty || king_on_it,                   // AS5
            _ => false,                                             // IC2, LU4, LI5, MA3
        };
    }
    if is_corner(name.n(), at) {
        return name.has_corners(); // LU4, MA4, TA4, BR6, CO4, FE4
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
        if king == throne(name.n()) {
            return attackers == 4;
        }
        if beside_throne(name.n(), king) {
            return attackers == 3;
        }
        return two;
    }
    if name == Imperial {
        return attackers == 4; // IC4
    }
    if name == Brandubh || name.is_hnefatafl() {
        if king == throne(name.n()) {
            return attackers == 4; // BR8, CO6, FE6
        }
        if beside_throne(name.n(), king) {
            return attackers == 3; // BR8, CO6, FE6
        }
        // BR8, CO6, FE6
        return if name == Brandubh { two || is_corner(name.n(), across) } else { attackers == 4 };
    }
    if name == BrandubhWeakKing {
        return two || is_corner(name.n(), across); // BR9
    }
    if name.is_tawlbwrdd() {
        return two; // TW5
    }
    if name == Ludoteka {
        // LU6
        return DIRECTIONS.iter().all(|&d| {
            let side = plus(king, d);
            board.at(side) == 't'
                || !inside(name.n(), side)
                || is_corner(name.n(), side)
                || (side == throne(name.n()) && board.at(side) == '.')
        });
    }
    if name.is_linnaeus() {
        // LI7, LI8
        return attackers == 4
            || (beside_throne(name.n(), king) && attackers == 3 && board.at(throne(name.n())) == '.');
    }
    if name == MastersWeakKing {
        return two || is_corner(name.n(), across);
    }
    if name.is_masters() {
        // MA6
        return attackers == 4 || (is_edge(name.n(), king) && !is_corner(name.n(), king) && attackers == 3);
    }
    if name == Tartu {
        // TA5
        return two || is_corner(name.n(), across) || (across == throne(name.n()) && board.at(across) == '.');
    }
    // AS8
    if king == throne(name.n()) {
        return attackers == 4;
    }
    if beside_throne(name.n(), king) {
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
        if name.is_piecepack() && piece == 't' && beyond == throne(name.n()) && second == 'K' {
            let attackers = DIRECTIONS.iter().filter(|&&d| board.at(plus(throne(name.n()), d)) == 't').count();
            if attackers == 3 {
                found.push(next);
            }
        }
    }
    if name == Copenhagen {
        found.extend(shield_walls(board, to)); // CO10
    }
    found.sort_by_key(|at| (at.1, at.0));
    found.dedup();
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
    board.find_king().is_none_or(|king| is_escape(name, king)) || enclosed(name, board) != '-'
}

/// The winner by encirclement (CO8, FE7) or an exit fort (CO7), or `-`.
pub fn enclosed(name: Name, board: &Board) -> char {
    if name.is_hnefatafl() && is_encircled(board) {
        return 'a';
    }
    if name == Copenhagen && is_fort(board) { 'd' } else { '-' }
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
    for from in board.squares() {
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

/// The board after a legal move, the captured squares, and the winner (`a`, `d`, or `-` for none).
pub fn play(name: Name, board: &Board, step: Step) -> (Board, Vec<At>, char) {
    let (after, captured, winner) = capture(name, board, step);
    let winner = if winner == '-' { enclosed(name, &after) } else { winner };
    (after, captured, winner)
}

/// The same with the winner by C7 alone.
fn capture(name: Name, board: &Board, step: Step) -> (Board, Vec<At>, char) {
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
    legal(name, &board).into_iter().any(|step| capture(name, &board, step).2 == side)
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
    for from in board.squares() {
        if is_own(board.turn, board.at(from)) {
            destinations(name, board, from, |_| n += 1);
        }
    }
    n
}
