//! The documents name things that exist: files and folders in the tree, commands of the binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "deploy/README.md", "experiments/README.md", "models/README.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names in a folder.
fn inside(folder: &str) -> impl Iterator<Item = String> {
    fs::read_dir(root().join(folder)).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok())
}

/// The folders of experiments. Scripts leave folders with compiled ones beside them.
fn experiments() -> impl Iterator<Item = String> {
    inside("experiments").filter(|name| root().join("experiments").join(name).is_dir() && !name.starts_with("__"))
}

/// The documents above, those of `docs/`, and the page of each experiment, by their paths from the root.
fn documents() -> Vec<String> {
    let docs = inside("docs").filter(|name| Path::new(name).extension() == Some("md".as_ref()));
    let named = DOCUMENTS.iter().map(|name| (*name).to_owned());
    let found = docs
        .map(|name| format!("docs/{name}"))
        .chain(experiments().map(|name| format!("experiments/{name}/README.md")));
    named.chain(found).collect()
}

/// Words of a document that look like paths into the tree. A pattern is none.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 6] = ["crates/", "configs/", "docs/", "experiments/", "fuzz/", "models/"];
    let words = text.split(|c: char| c.is_whitespace() || "`()[],;:@|".contains(c));
    let words =
        words.map(|word| word.trim_end_matches('.').trim_start_matches("../").split('#').next().unwrap_or_default());
    let words = words.filter(|word| !word.contains(['*', '{', '$']));
    words.filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
}

#[test]
fn every_path_named_exists() {
    let mut n_checked = 0;
    for document in documents() {
        let text = fs::read_to_string(root().join(&document)).unwrap_or_else(|error| panic!("{document}: {error}"));
        for path in paths(&text) {
            assert!(root().join(path).exists(), "{document} names {path}, which is not in the tree");
            n_checked += 1;
        }
    }
    assert!(n_checked > 200, "only {n_checked} paths found: are they still written as paths?");
}

#[test]
fn every_experiment_is_in_their_list() {
    let list = fs::read_to_string(root().join("experiments/README.md")).unwrap();
    for name in experiments() {
        assert!(list.contains(&format!("({name}/README.md)")), "experiments/README.md does not list {name}");
    }
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

/// A command that trains, as the README writes it, has a config that is accepted, also with what is added to it.
#[test]
fn every_training_of_the_readme_has_a_sound_config() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let mut n_checked = 0;
    for line in text.lines() {
        let Some((_, words)) = line.split_once(" train configs/") else { continue };
        let mut words = words.split(['`', '#']).next().unwrap_or_default().split_whitespace();
        let config = root().join("configs").join(words.next().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        command.arg("config").arg(config);
        while let Some(word) = words.next() {
            let value = words.next().unwrap();
            match word {
                "--set" => command.args(["--set", value]),
                "--device" => command.args(["--set", &format!("machine.device=\"{value}\"")]),
                "--run" | "--nats" => continue,
                _ => panic!("{word} in {line}"),
            };
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        n_checked += 1;
    }
    assert!(n_checked >= 3, "{n_checked} commands");
}
