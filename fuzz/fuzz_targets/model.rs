//! Bytes that parse as a model give the same model after writing and reading. Error messages have no control
//! characters.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tablut_net::{MAX_PLAY_SIMULATIONS, Model, StatedRules, TrainingSummary, Weights};
use tablut_rules::Rules;

/// The bytes of a valid file. The fuzzer's bytes replace a part of its header.
static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let weights = Weights::initial(&"lines32x1".parse().expect("a net"), 1);
    let rules = vec![StatedRules::of(&Rules::named("kvasir").expect("a name"))];
    Model { weights, rules, training: TrainingSummary::default(), card: None }.to_bytes().expect("a model has a form")
});

fuzz_target!(|data: (u16, Vec<u8>)| {
    let (at, bytes) = data;
    let mut changed = SOUND.clone();
    let header = u64::from_le_bytes(changed[..8].try_into().expect("eight bytes")) as usize + 8;
    let at = usize::from(at) % header;
    let end = (at + bytes.len()).min(header);
    changed[at..end].copy_from_slice(&bytes[..end - at]);
    for bytes in [&bytes[..], &changed] {
        match Model::from_bytes(bytes) {
            Ok(model) => {
                assert!(model.training.play_simulations <= MAX_PLAY_SIMULATIONS);
                assert_eq!(Model::from_bytes(&model.to_bytes().expect("it was read")).expect("it was written"), model);
            }
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
    }
});
