//! A text that parses as a game reads back the same after writing, and replays without a panic.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_rules::{GameText, Rules};

/// A rule set for each board.
static RULES: LazyLock<[Arc<Rules>; 3]> = LazyLock::new(|| {
    ["brandubh", "masters-edge", "copenhagen"].map(|name| Arc::new(Rules::named(name).expect("a built-in rule set")))
});

fuzz_target!(|text: &str| {
    let Ok(game) = text.parse::<GameText>() else { return };
    let written = game.to_string();
    let again: GameText = written.parse().expect("a record that was just written");
    assert_eq!((again.to_string(), again.moves.len()), (written, game.moves.len()));
    for rules in &*RULES {
        if let Ok(played) = game.replay(Arc::clone(rules)) {
            assert_eq!(played.ply() as usize, game.main_line().len());
        }
    }
});
