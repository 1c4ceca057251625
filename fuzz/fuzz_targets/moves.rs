//! A move that parses is written as the same text, and a text that is read as a move of a position is a legal move.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tablut_rules::{Move, MoveText, Position, Rules, Side};

static IMPERIAL: LazyLock<Rules> = LazyLock::new(|| Rules::named("imperial").expect("a built-in rule set"));

fuzz_target!(|text: &str| {
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string(), text);
    }
    if let Ok(loose) = text.parse::<MoveText>() {
        assert_eq!(loose.to_string().parse(), Ok(loose));
    }
    // Plays the words as moves, up to the first that cannot be read.
    let mut position = Position::start(Side::Attackers);
    for word in text.split_whitespace() {
        let Ok(mv) = IMPERIAL.read_move(&position, word) else { break };
        assert_eq!(IMPERIAL.check_legal(&position, mv), Ok(()));
        position = IMPERIAL.apply(&position, mv).position;
    }
});
