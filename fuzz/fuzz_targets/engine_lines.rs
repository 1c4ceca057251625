//! An engine answers any lines with whole lines, without a panic.
#![no_main]

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_players::Baseline;
use tablut_protocols::engine_protocol::{LineEngine, run_engine};
use tablut_protocols::BridgePlayer;
use tablut_rules::Rules;

/// A rule set for each board.
static RULES: LazyLock<[Arc<Rules>; 3]> = LazyLock::new(|| {
    ["brandubh", "kvasir", "copenhagen"].map(|name| Arc::new(Rules::named(name).expect("a built-in rule set")))
});

fuzz_target!(|text: &str| RULES.iter().for_each(|rules| answer(rules, text)));

/// Gives the lines to an engine with a random player.
fn answer(rules: &Arc<Rules>, text: &str) {
    let random = "random".parse().expect("a player");
    let player = BridgePlayer::Baseline(Baseline::new(&random, rules, 1).expect("a player without a net"));
    let mut engine = LineEngine::new("fuzz".to_owned(), player, 1, rules.clone());
    let (sender, receiver) = sync_channel(1024);
    // The engine must not open rule files, because the fuzzer could find paths of this machine.
    for line in text.lines().filter(|line| !line.to_ascii_lowercase().contains(".toml")).take(1024) {
        sender.send(Ok(line.to_owned())).expect("the receiver is below");
    }
    drop(sender);
    let mut output = Vec::new();
    run_engine(&mut engine, &receiver, &mut output).expect("memory takes every line");
    let output = String::from_utf8(output).expect("lines are text");
    assert!(output.is_empty() || output.ends_with('\n'));
}
