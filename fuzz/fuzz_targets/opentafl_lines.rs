//! An OpenTafl engine answers any lines with whole lines, without a panic.
#![no_main]

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_players::Baseline;
use tablut_protocols::BridgePlayer;
use tablut_protocols::opentafl::{OpenTaflEngine, Pace, run_opentafl};
use tablut_rules::Rules;
use tablut_search::Limit;

static KVASIR: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::named("kvasir").expect("a built-in rule set")));
const TABLUT: &str = "rules dim:9 name:Fuzz surf:n atkf:y ks:w nj:n cj:n cenp: cenpe: start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
const BRANDUBH: &str = "rules dim:7 name:Fuzz surf:n atkf:y ks:w start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";

fuzz_target!(|text: &str| {
    // Most lines have no effect before a game has started.
    for first in [None, Some(TABLUT), Some(BRANDUBH)] {
        let random = "random".parse().expect("a player");
        let player = BridgePlayer::Baseline(Baseline::new(&random, &KVASIR, 1).expect("a player without a net"));
        let pace = Pace { most: Some(Limit::of_simulations(1)), simulations: 1 };
        let mut engine = OpenTaflEngine::new(player, pace);
        let (sender, receiver) = sync_channel(1025);
        for line in first.into_iter().chain(text.lines().take(1024)) {
            sender.send(Ok(line.to_owned())).expect("the receiver is below");
        }
        drop(sender);
        let mut output = Vec::new();
        run_opentafl(&mut engine, &receiver, &mut output).expect("memory takes every line");
        assert!(output.ends_with(b"\n"));
    }
});
