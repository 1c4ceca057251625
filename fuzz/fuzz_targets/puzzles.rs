//! The solutions of a text that parses as puzzles are legal moves. The text is also tried with a correct checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tablut_arena::puzzles::PuzzleSet;

fuzz_target!(|text: &str| {
    let lines = text.lines().count();
    let checksum = &blake3::hash(text.as_bytes()).to_hex()[..16];
    let header = format!(
        "{{\"format\":\"tablut puzzles\",\"version\":1,\"rules\":\"imperial\",\"net\":\"\",\"simulations\":1,\"seed\":1,\
         \"games\":1,\"puzzles\":{lines},\"checksum\":\"{checksum}\"}}"
    );
    for text in [text, &format!("{header}\n{text}")] {
        if let Ok(set) = PuzzleSet::parse(text) {
            let rules = set.rules.rules();
            for puzzle in &set.puzzles {
                assert!(puzzle.solutions.iter().all(|&mv| rules.check_legal(&puzzle.position, mv).is_ok()));
            }
        }
    }
});
