//! Reading any bytes as a worker's result keeps the limits and does not panic. The bytes are also tried after a valid
//! header and in a frame with a correct checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tablut_fleet::{ResultHeader, ResultMessage, WIRE_VERSION};

fn look_at(bytes: &[u8]) {
    if let Ok(message) = ResultMessage::unpack(bytes, [4, 1 << 16], |_| Ok(())) {
        assert!(message.games.len() <= 4 && message.games.is_sorted_by_key(|game| game.index));
    }
}

fuzz_target!(|data: (u8, Vec<u8>, Vec<u8>)| {
    let (games, bytes, plain) = data;
    look_at(&bytes);
    let header = ResultHeader { version: WIRE_VERSION, games: games.into(), ..ResultHeader::default() };
    let header = serde_json::to_vec(&header).expect("every field has a form in JSON");
    let mut head = (header.len() as u32).to_le_bytes().to_vec();
    head.extend(header);
    look_at(&[&head[..], &bytes].concat());
    // A frame with a correct checksum.
    let packed = zstd::bulk::compress(&plain, 1).expect("memory to compress in");
    let mut frame = (packed.len() as u32).to_le_bytes().to_vec();
    frame.extend((plain.len() as u32).to_le_bytes());
    frame.extend(crc32c::crc32c(&packed).to_le_bytes());
    frame.extend(packed);
    look_at(&[&head[..], &frame, &bytes].concat());
});
