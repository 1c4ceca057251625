//! The work of every reader of text is proportional to the text's length. A text of the fuzzer is repeated to half a megabyte.
//! The processor time for it must stay below a bound for each byte, which work in the square of the length exceeds.
#![no_main]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_arena::OpeningBook;
use tablut_arena::puzzles::PuzzleSet;
use tablut_players::{NamedPlayer, PlayerSpec};
use tablut_protocols::challenge::message::{Action, ChallengeState};
use tablut_rules::{GameText, MoveText, Position, RuleSet, Rules, RulesLine};
use tablut_session::protocol::{Call, read_call};
use tablut_session::{PuzzleBook, SavedGame, Session};

const BYTES: usize = 512 << 10;
/// Linear readers take a tenth of it with the fuzzer's checks.
const MOST_NANOS_PER_BYTE: u64 = 2000;

static KVASIR: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::named("kvasir").expect("a built-in rule set")));

const READERS: [(&str, fn(&str)); 11] = [
    ("game", |text| drop(Session::import(text, KVASIR.set()))),
    ("game's text", |text| drop(text.parse::<GameText>())),
    ("saved game", |text| drop(SavedGame::from_json(text).map(|saved| saved.session()))),
    ("link", |text| drop(Session::from_link(text))),
    ("move and position", |text| drop((text.parse::<MoveText>(), text.parse::<Position>()))),
    ("rules", |text| drop((text.parse::<RulesLine>(), RuleSet::from_toml(text)))),
    ("player", |text| drop((text.parse::<PlayerSpec>(), text.parse::<NamedPlayer>()))),
    ("opening book", |text| drop(OpeningBook::parse(text, &KVASIR))),
    ("puzzles", |text| drop((PuzzleSet::parse(text), PuzzleBook::parse(text)))),
    ("request", |text| drop(read_call::<Call>(text))),
    ("contest's frame", |text| drop((ChallengeState::read(text, "peer"), Action::read(text, "peer")))),
];

/// The processor time of this thread in nanoseconds.
fn cpu_nanos() -> u64 {
    let text = std::fs::read_to_string(Path::new("/proc/thread-self/schedstat")).expect("Linux tells it");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}

fuzz_target!(|texts: (&str, &str, &str)| {
    let (start, part, end) = texts;
    if part.is_empty() || start.len() + end.len() > BYTES / 2 {
        return;
    }
    let text = start.to_owned() + &part.repeat((BYTES - start.len() - end.len()) / part.len()) + end;
    for (name, read) in READERS {
        let before = cpu_nanos();
        read(&text);
        let nanos = cpu_nanos() - before;
        let most = MOST_NANOS_PER_BYTE * BYTES as u64;
        assert!(nanos < most, "{name}: {} ms for {BYTES} bytes of {start:?} {part:?} {end:?}", nanos / 1_000_000);
    }
});
