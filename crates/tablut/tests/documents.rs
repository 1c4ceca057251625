//! The documents name things that exist: files and folders in the tree, commands of the binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: [&str; 9] = [
    "README.md",
    "ARCHITECTURE.md",
    "docs/arena.md",
    "docs/encoding.md",
    "docs/methods.md",
    "docs/metrics.md",
    "docs/rules.md",
    "docs/troubleshooting.md",
    "models/README.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Words of a document that look like paths into the tree.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 6] = ["crates/", "configs/", "docs/", "experiments/", "fuzz/", "models/"];
    let words = text.split(|c: char| c.is_whitespace() || "`()[],;:@|".contains(c));
    let words =
        words.map(|word| word.trim_end_matches('.').trim_start_matches("../").split('#').next().unwrap_or_default());
    words.filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
}

#[test]
fn every_path_named_exists() {
    let mut n_checked = 0;
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"));
        for path in paths(&text) {
            assert!(root().join(path).exists(), "{document} names {path}, which is not in the tree");
            n_checked += 1;
        }
    }
    assert!(n_checked > 20, "only {n_checked} paths found: are they still written as paths?");
}

#[test]
fn every_command_of_the_readme_exists() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_tablut")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands: Vec<_> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("cargo run --release -- ")?.split(' ').next())
        .collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        assert!(help.lines().any(|line| line.trim().starts_with(command)), "the README names `{command}`:\n{help}");
    }
}
