//! A move that parses is written as the same text, and a text that is read as a move of a position is a legal move.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tablut_rules::{Move, MoveText, Rules, Side};

/// A rule set for each board.
static RULES: LazyLock<[Rules; 3]> = LazyLock::new(|| {
    ["brandubh", "imperial", "copenhagen"].map(|name| Rules::named(name).expect("a built-in rule set"))
});

fuzz_target!(|text: &str| {
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string(), text);
    }
    if let Ok(loose) = text.parse::<MoveText>() {
        assert_eq!(loose.to_string().parse(), Ok(loose));
    }
    // Plays the words as moves, up to the first that cannot be read.
    for rules in &*RULES {
        let mut position = rules.start(Side::Attackers);
        for word in text.split_whitespace() {
            let Ok(mv) = rules.read_move(&position, word) else { break };
            assert_eq!(rules.check_legal(&position, mv), Ok(()));
            position = rules.apply(&position, mv).position;
        }
    }
});
