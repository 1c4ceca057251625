//! Whatever text is read as an OTG record reads back the same once written, and replays without a panic.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_rules::{OtgRecord, Rules};

static MASTERS: LazyLock<Arc<Rules>> =
    LazyLock::new(|| Arc::new(Rules::named("masters-edge").expect("a built-in rule set")));

fuzz_target!(|text: &str| {
    let Ok(record) = text.parse::<OtgRecord>() else { return };
    let again: OtgRecord = record.to_string().parse().expect("a record that was just written");
    assert_eq!(again, record);
    if let Ok(game) = record.replay(Arc::clone(&MASTERS)) {
        assert_eq!(game.ply() as usize, record.moves.len());
    }
});
