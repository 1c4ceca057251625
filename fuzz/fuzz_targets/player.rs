//! A text that parses as a player is written as a text with the same meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tablut_players::{NamedPlayer, PlayerSpec};

fuzz_target!(|text: &str| {
    if let Ok(player) = text.parse::<PlayerSpec>() {
        assert_eq!(player.to_string().parse::<PlayerSpec>().expect("a player that was just written"), player);
    }
    let _ = text.parse::<NamedPlayer>();
});
