//! Every opening of a text that parses as an opening book can be played. The text is also tried with a correct
//! checksum, so that the fuzzer reaches the code after the check.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_arena::OpeningBook;
use tablut_rules::Rules;

static KVASIR: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::named("kvasir").expect("a built-in rule set")));

fuzz_target!(|text: &str| {
    let lines = text.lines().count();
    let checksum = &blake3::hash(text.as_bytes()).to_hex()[..16];
    let header = format!(
        "{{\"format\":\"tablut openings\",\"version\":1,\"rules\":\"kvasir\",\"plies\":2,\"judge\":\"told\",\"band\":1.0,\
         \"seed\":1,\"openings\":{lines},\"checksum\":\"{checksum}\"}}"
    );
    for text in [text, &format!("{header}\n{text}")] {
        if let Ok(book) = OpeningBook::parse(text, &KVASIR) {
            for judged in &book.openings {
                assert!(judged.opening.game(&KVASIR).outcome().is_none());
            }
        }
    }
});
