//! Reading any bytes as a learner's state does not panic, and a changed state is not accepted.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tablut_learn::{Checkpoint, LearnerState};
use tablut_net::{TrainingSummary, Weights};

static SOUND: LazyLock<(Checkpoint, Vec<u8>)> = LazyLock::new(|| {
    let learner = LearnerState::new(&Weights::initial(&"lines32x1".parse().expect("a net"), 1));
    let checkpoint = Checkpoint { generation: 3, learner, training: TrainingSummary::default() };
    let bytes = checkpoint.state_bytes().expect("a state has a form");
    (checkpoint, bytes)
});

fuzz_target!(|data: (u32, Vec<u8>)| {
    let (at, bytes) = data;
    let (sound, whole) = &*SOUND;
    let mut changed = whole.clone();
    let at = at as usize % changed.len();
    let end = (at + bytes.len()).min(changed.len());
    changed[at..end].copy_from_slice(&bytes[..end - at]);
    for bytes in [&bytes[..], &changed] {
        if let Ok(read) = Checkpoint::from_state_bytes(3, bytes) {
            assert_eq!(read.learner.params, sound.learner.params, "a damaged state was read");
        }
    }
});
