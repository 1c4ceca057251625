//! Checks the counts in `tests/perft/*.perft`. The engine checks them to full depth, and the second generator to a
//! depth that takes a few seconds.

use tablut_rules::{Position, Rules};

use crate::board::Board;
use crate::slow::{self, Name};

/// The second generator counts perfts with at most this many leaves.
const SLOW_LEAVES: u64 = 500_000;

/// A position with its counts by depth.
struct Entry {
    position: String,
    counts: Vec<(u32, u64)>,
}

fn read(name: &str) -> Vec<Entry> {
    let path = format!("{}/tests/perft/{name}.perft", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.contains('/'), entries.last_mut()) {
            (true, _) => entries.push(Entry { position: line.to_owned(), counts: Vec::new() }),
            (false, Some(entry)) => {
                let count = line.split_once(' ').and_then(|(d, n)| Some((d.parse().ok()?, n.parse().ok()?)));
                entry.counts.push(count.unwrap_or_else(|| panic!("{path}: {line:?}, expected depth and count")));
            }
            (false, None) => panic!("{path}: {line:?} before any position"),
        }
    }
    entries
}

#[test]
fn perft_files_agree_with_both_generators() {
    for (text, name) in Name::ALL {
        let rules = Rules::named(text).unwrap_or_else(|e| panic!("{e}"));
        let entries = read(text);
        assert!(entries.len() >= 4 && entries.iter().all(|entry| entry.counts.len() >= 3), "{text}");
        for entry in entries {
            let position: Position = entry.position.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            for (depth, count) in entry.counts {
                let context = format!("{text}: {} at depth {depth}", entry.position);
                assert_eq!(rules.perft(&position, depth), count, "{context}");
                let divided: u64 = rules.perft_divide(&position, depth).iter().map(|(_, n)| n).sum();
                assert_eq!(divided, count, "{context}, divided");
                if count <= SLOW_LEAVES {
                    assert_eq!(slow::perft(name, &Board::parse(&entry.position), depth), count, "{context}, slowly");
                }
            }
        }
    }
}

/// Counts that other programs confirm.
#[test]
fn known_starts() {
    let counts = |name: &str, side: &str| -> Vec<u64> {
        let entries = read(name);
        let entry =
            entries.iter().find(|e| e.position.starts_with("3ttt3/4t4/4T4/t3T3t/") && e.position.ends_with(side));
        entry.map(|e| e.counts.iter().map(|(_, n)| *n).collect()).unwrap_or_default()
    };
    for name in ["piecepack-open-castle", "masters-edge", "kvasir", "linnaeus-open-camps"] {
        assert_eq!(counts(name, " a"), [80, 4400, 353_200, 19_913_864], "{name}");
    }
    assert_eq!(counts("ashton", " d"), [56, 4408, 248_456, 19_159_224]);
}
