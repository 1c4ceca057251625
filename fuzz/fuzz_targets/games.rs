//! Whatever bytes are read as game records replay without a panic; with their checksum mended too, so that the frames
//! behind it are reached.
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
    // One frame of these bytes in a file whose checksums are right.
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
