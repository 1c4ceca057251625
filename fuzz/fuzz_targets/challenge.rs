//! Reading any bytes as a frame, a state or a move of the Tablut Challenge does not panic.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tablut_protocols::challenge::frame::read_frame;
use tablut_protocols::challenge::message::{Action, ChallengeState, read_name};
use tablut_rules::Side;

fuzz_target!(|data: &[u8]| {
    let mut stream = data;
    while let Ok(text) = read_frame(&mut stream, "peer", Duration::from_secs(5)) {
        look_at(&text);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        look_at(text);
    }
});

fn look_at(text: &str) {
    assert!(read_name(text).chars().all(|c| !c.is_control()));
    if let Ok(mv) = Action::read(text, "peer") {
        let _ = mv.to_string();
    }
    if let Ok(state) = ChallengeState::read(text, "peer") {
        for side in Side::ALL {
            if let Ok(position) = state.position(side) {
                assert_eq!(ChallengeState::of(&position).position(side), Ok(position));
            }
        }
    }
}
