//! Move texts: the strict form reads back what it wrote, and the loose form never stands for an illegal move.
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
    // A line of moves, played as far as it is legal.
    let mut position = Position::start(Side::Attackers);
    for word in text.split_whitespace() {
        let Ok(mv) = IMPERIAL.read_move(&position, word) else { break };
        assert_eq!(IMPERIAL.check_legal(&position, mv), Ok(()));
        position = IMPERIAL.apply(&position, mv).position;
    }
});
