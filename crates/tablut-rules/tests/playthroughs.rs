//! Compares one whole game of every rule set with a file in `tests/playthroughs/`: moves, positions, numbers of moves,
//! captures, routes and the end.
//!
//! After an intended change, `TABLUT_BLESS=1 cargo test -p tablut-rules --test playthroughs` writes the files again.
//! Read the difference before you commit it.

use std::sync::Arc;

use tablut_rules::{Game, Move, MoveList, Replay, Rules, Side};

/// A playthrough stops after this many plies.
const MOST_PLIES: u32 = 60;

/// A game in which each side wins if it can, captures every second time that it can, and otherwise plays by a fixed
/// pattern.
fn some_moves(rules: &Arc<Rules>) -> Vec<Move> {
    let first = rules.set().first.side().unwrap_or(Side::Attackers);
    let mut game = Game::new(Arc::clone(rules), first).with_max_plies(MOST_PLIES);
    let mut moves = MoveList::new();
    while game.outcome().is_none() {
        game.legal_moves(&mut moves);
        let begin = game.ply() as usize * 37 % moves.len();
        let in_turn = || moves[begin..].iter().chain(&moves[..begin]).copied();
        let applied = |mv: &Move| rules.apply(game.position(), *mv);
        let win = in_turn().find(|mv| applied(mv).winner.is_some());
        let capture = in_turn().find(|mv| game.ply() % 4 < 2 && !applied(mv).captured.is_empty());
        game.play_trusted(win.or(capture).unwrap_or(moves[begin]));
    }
    game.moves().collect()
}

fn replay(rules: &Arc<Rules>, moves: &[String]) -> String {
    let start = rules.opening_of(None, None, moves.first().map(String::as_str)).unwrap_or_else(|e| panic!("{e}"));
    let game = Game::from_position(Arc::clone(rules), start).unwrap_or_else(|e| panic!("{e}"));
    Replay::run(game, moves.iter().map(String::as_str)).unwrap_or_else(|e| panic!("{e}")).to_string()
}

#[test]
fn playthroughs_stay_as_they_are() {
    for name in Rules::names() {
        let rules = Arc::new(Rules::named(name).unwrap_or_else(|e| panic!("{e}")));
        let path = format!("{}/tests/playthroughs/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("TABLUT_BLESS").is_some() {
            let moves: Vec<String> = some_moves(&rules).iter().map(ToString::to_string).collect();
            std::fs::write(&path, replay(&rules, &moves)).unwrap_or_else(|e| panic!("{path}: {e}"));
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let plies = text.lines().filter_map(|line| line.split_once(". "));
        let moves: Vec<String> =
            plies.filter_map(|(_, rest)| rest.split_whitespace().next().map(str::to_owned)).collect();
        assert!(moves.len() > 5, "{path}: {} moves", moves.len());
        assert_eq!(replay(&rules, &moves), text, "{name}");
    }
}
