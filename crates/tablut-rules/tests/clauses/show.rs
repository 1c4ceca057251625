//! Helpers of the clause tests: positions from lists of pieces, and the effects of moves.

use std::sync::Arc;

use tablut_rules::{Applied, Bitboard, BoardSize, Game, Move, MoveList, Outcome, Position, Rules, Side, Square};

pub fn rules(name: &str) -> Rules {
    Rules::named(name).unwrap_or_else(|e| panic!("{e}"))
}

/// The names of the built-in rule sets on Tablut's board.
pub fn tablut_names() -> impl Iterator<Item = &'static str> {
    Rules::names().filter(|name| rules(name).size() == BoardSize::Nine)
}

/// A variant of a rule set, from TOML.
pub fn variant(toml: &str) -> Arc<Rules> {
    let set = tablut_rules::RuleSet::from_toml(toml).unwrap_or_else(|e| panic!("{e}"));
    Arc::new(Rules::new(set).unwrap_or_else(|e| panic!("{e}")))
}

pub fn mv(text: &str) -> Move {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

/// A position on Tablut's board from the side to move and pieces: `a`, then `Ke5 te4 Td3` with the letters of position
/// texts.
pub fn position(text: &str) -> Position {
    position_on(BoardSize::Nine, text)
}

/// The same on any board.
pub fn position_on(size: BoardSize, text: &str) -> Position {
    let (side, pieces) = text.split_once(' ').expect("a side and pieces");
    let side = Side::ALL.into_iter().find(|s| s.letter().to_string() == side).expect("a or d");
    let squares_of = |letter: char| -> Bitboard {
        pieces
            .split(' ')
            .filter_map(|piece| piece.strip_prefix(letter))
            .map(|square| square.parse::<Square>().unwrap_or_else(|e| panic!("{e}")))
            .collect()
    };
    Position::from_parts(size, squares_of('t'), squares_of('T'), squares_of('K').first(), side)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Plays a move that must be legal.
pub fn play(name: &str, pieces: &str, text: &str) -> Applied {
    let rules = rules(name);
    let position = position_on(rules.size(), pieces);
    rules.check_legal(&position, mv(text)).unwrap_or_else(|e| panic!("{name}, {pieces}: {e}"));
    rules.apply(&position, mv(text))
}

/// The captured squares of a legal move, `d5 e4`, or nothing.
pub fn taken(name: &str, pieces: &str, text: &str) -> String {
    let squares: Vec<String> = play(name, pieces, text).captured.iter().map(|s| s.to_string()).collect();
    squares.join(" ")
}

/// The winner by C7 after a legal move.
pub fn winner(name: &str, pieces: &str, text: &str) -> Option<Side> {
    play(name, pieces, text).winner
}

/// Whether a move is legal. Checks that the list of legal moves agrees.
pub fn may(name: &str, pieces: &str, text: &str) -> bool {
    let rules = rules(name);
    let position = position_on(rules.size(), pieces);
    let mut moves = MoveList::new();
    rules.legal_moves(&position, &mut moves);
    let listed = moves.contains(&mv(text));
    assert_eq!(listed, rules.check_legal(&position, mv(text)).is_ok(), "{name}, {pieces}: {text}");
    listed
}

/// The legal moves of the piece on a square, as their to squares and choices.
pub fn moves_of(name: &str, pieces: &str, from: &str) -> String {
    let mut moves = MoveList::new();
    rules(name).legal_moves(&position(pieces), &mut moves);
    let texts = moves.iter().map(ToString::to_string);
    let own: Vec<String> = texts.filter_map(|t| t.strip_prefix(&format!("{from}-")).map(str::to_owned)).collect();
    own.join(" ")
}

pub fn routes(name: &str, pieces: &str) -> u32 {
    rules(name).routes(&position(pieces))
}

/// A game from a position, after the given moves.
pub fn game(rules: &Arc<Rules>, pieces: &str, moves: &str) -> Game {
    let start =
        Game::from_position(Arc::clone(rules), position_on(rules.size(), pieces)).unwrap_or_else(|e| panic!("{e}"));
    played(start, moves)
}

/// A game from the start position, after the given moves.
pub fn from_start(name: &str, first: Side, moves: &str) -> Game {
    played(Game::new(Arc::new(rules(name)), first), moves)
}

pub fn played(mut game: Game, moves: &str) -> Game {
    for text in moves.split_whitespace() {
        game.play(mv(text)).unwrap_or_else(|e| panic!("ply {}: {e}", game.ply()));
    }
    game
}

/// `attackers by no-moves`, `draw by repetition`, or `none`.
pub fn ending(outcome: Option<Outcome>) -> String {
    match outcome {
        None => "none".to_owned(),
        Some(Outcome { winner: None, reason, .. }) => format!("draw by {reason}"),
        Some(Outcome { winner: Some(side), reason, .. }) => format!("{side} by {reason}"),
    }
}
