//! Bytes that parse as game records replay without a panic. The bytes are also tried in a frame with correct checksums,
//! so that the fuzzer reaches the code after the checks.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tablut_games::{RecordFile, records_from_bytes};

fn look_at(file: &RecordFile) {
    for game in &file.games {
        if let Some(rules) = file.rules_named(&game.rules) {
            let _ = game.replay(&rules, |_, _, _| {});
        }
    }
}

fuzz_target!(|data: (Vec<u8>, Vec<u8>)| {
    let (rules, plain) = data;
    if let Ok(file) = records_from_bytes(&plain) {
        look_at(&file);
    }
    // A file with one frame of these bytes and correct checksums.
    let mut bytes = b"TABLUTGR".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(9_u64.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend((rules.len() as u32).to_le_bytes());
    bytes.extend(&rules);
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    let packed = zstd::bulk::compress(&plain, 1).expect("memory to compress in");
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend((plain.len() as u32).to_le_bytes());
    bytes.extend(crc32c::crc32c(&packed).to_le_bytes());
    bytes.extend(packed);
    if let Ok(file) = records_from_bytes(&bytes) {
        look_at(&file);
    }
});
