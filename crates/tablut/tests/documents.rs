//! Files, headings, commands and options that the documents name must exist. Quick commands are run.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tablut_games::shipped_net;
use tablut_net::Model;

const DOCUMENTS: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "deploy/README.md", "experiments/README.md", "models/README.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names in a folder.
fn inside(folder: &str) -> impl Iterator<Item = String> {
    fs::read_dir(root().join(folder)).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok())
}

/// The folders of experiments. Python leaves other folders with compiled scripts.
fn experiments() -> impl Iterator<Item = String> {
    inside("experiments").filter(|name| root().join("experiments").join(name).is_dir() && !name.starts_with("__"))
}

/// The README and the pages of the guide, by their paths from the root.
fn guide() -> Vec<String> {
    let docs = inside("docs").filter(|name| Path::new(name).extension() == Some("md".as_ref()));
    let mut pages: Vec<_> = docs.map(|name| format!("docs/{name}")).chain(["README.md".to_owned()]).collect();
    pages.sort();
    pages
}

/// The documents above, the guide, and the pages of each experiment and crate, by their paths from the root.
fn documents() -> Vec<String> {
    let named = DOCUMENTS.iter().map(|name| (*name).to_owned());
    let experiments = experiments().map(|name| format!("experiments/{name}/README.md"));
    let crates = inside("crates").map(|name| format!("crates/{name}/README.md"));
    let mut all: Vec<_> = named.chain(guide()).chain(experiments).chain(crates).collect();
    all.sort();
    all.dedup();
    all
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// A document's lines outside fenced blocks, and the blocks as their language and text.
fn parts(text: &str) -> (String, Vec<(String, String)>) {
    let (mut prose, mut blocks) = (String::new(), Vec::new());
    let mut block: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), block.take()) {
            (Some(language), None) => block = Some((language.to_owned(), String::new())),
            (Some(_), Some(finished)) => blocks.push(finished),
            (None, Some((language, text))) => block = Some((language, text + line + "\n")),
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    assert!(block.is_none(), "a fenced block does not end");
    (prose, blocks)
}

/// Words of a document that look like paths in the repository, without patterns.
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
        let text = read(&document);
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

/// The anchor of a heading, as forges and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of a text's links and pictures outside of code.
fn links(prose: &str) -> Vec<String> {
    let plain: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let targets = plain.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.collect()
}

#[test]
fn every_link_has_a_target() {
    let mut n_checked = 0;
    for document in documents() {
        let text = read(&document);
        for link in links(&parts(&text).0) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((&*link, None), |(file, anchor)| (file, Some(anchor)));
            let path = root().join(&document);
            let path = if file.is_empty() { path } else { path.parent().unwrap().join(file) };
            assert!(path.exists(), "{document} links to {link}, which is not in the tree");
            if let Some(heading) = heading {
                let (prose, _) = parts(&fs::read_to_string(&path).unwrap());
                let mut headings =
                    prose.lines().filter_map(|line| Some(line.strip_prefix('#')?.trim_start_matches('#')));
                assert!(headings.any(|line| anchor(line) == heading), "{document} links to {link}: no such heading");
            }
            n_checked += 1;
        }
    }
    assert!(n_checked > 100, "only {n_checked} links found: are they still written as links?");
}

/// What was measured with the shipped net, and its books of openings. Each names the net by its hash.
const MEASURED: [&str; 11] = [
    "crates/tablut-session/src/level_ratings.jsonl",
    "docs/the-game.md",
    "experiments/all-rules/README.md",
    "experiments/all-rules/results.json",
    "experiments/balance/results.json",
    "experiments/contest/results.json",
    "experiments/draws/results.json",
    "experiments/levels/README.md",
    "experiments/openings/trees.md",
    "experiments/puzzles/README.md",
    "models/README.md",
];

#[test]
fn everything_that_leans_on_the_shipped_net_was_measured_with_it() {
    let Some(net) = shipped_net() else { return };
    let hash = Model::from_bytes(net).unwrap().weights.hash();
    let books = inside("crates/tablut-arena/openings").map(|name| format!("crates/tablut-arena/openings/{name}"));
    for document in MEASURED.map(str::to_owned).into_iter().chain(books) {
        let named = read(&document).contains(&hash[..8]);
        assert!(named, "{document} was made with another net than the shipped one ({hash}): make it again");
    }
}

#[test]
fn every_page_of_the_guide_is_in_its_summary() {
    let summary = read("docs/SUMMARY.md");
    for page in guide() {
        let Some(name) = page.strip_prefix("docs/").filter(|name| *name != "SUMMARY.md") else { continue };
        assert!(summary.contains(&format!("]({name})")), "docs/SUMMARY.md does not list {name}");
    }
}

#[test]
fn readme_and_guide_are_short() {
    let words = |page: &str| read(page).split_whitespace().count();
    assert!(words("README.md") <= 700, "README.md has {} words", words("README.md"));
    for page in guide() {
        let is_reference = ["docs/rules.md", "docs/config.md"].contains(&&*page);
        assert!(is_reference || words(&page) <= 2000, "{page} has {} words", words(&page));
        for cell in read(&page).lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|')) {
            assert!(cell.split_whitespace().count() <= 40, "{page} has a long cell: {cell}");
        }
    }
}

/// The commands of this program on a page, in shell blocks and inline code, without the program's name.
fn commands(text: &str) -> Vec<String> {
    let (prose, blocks) = parts(text);
    let shell = blocks.into_iter().filter(|block| block.0 == "sh").map(|block| block.1.replace("\\\n", " "));
    let lines: Vec<_> = shell.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let inline = prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " "));
    let all = lines.into_iter().chain(inline);
    let last = all.map(|line| line.rsplit(" | ").next().unwrap_or_default().trim_end_matches('&').trim().to_owned());
    let starts = ["tablut ", "cargo run --release -- ", "target/release/tablut "];
    last.filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)).map(str::to_owned)).collect()
}

/// The output of `tablut WORDS --help`.
fn help(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tablut")).args(words).arg("--help").output().unwrap();
    assert!(output.status.success(), "tablut {words:?} --help");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether the commands in a help text contain `name`.
fn lists(help: &str, name: &str) -> bool {
    help.lines().any(|line| line.trim().split(' ').next() == Some(name))
}

/// The commands and options in the README and the guide exist.
#[test]
fn every_command_of_the_guide_exists() {
    const GROUPS: [&str; 5] = ["model", "data", "generate", "bridge", "bench"];
    let mut known: HashMap<Vec<String>, String> = HashMap::new();
    let all = help(&[]);
    let mut n_checked = 0;
    for page in guide() {
        for command in commands(&read(&page)) {
            let words = shlex::split(&command).unwrap_or_else(|| panic!("{page}: {command} is no line for a shell"));
            let Some(name) = words.first().filter(|word| !word.starts_with('-')) else { continue };
            assert!(lists(&all, name), "{page} names `tablut {command}`:\n{all}");
            let mut path = vec![name.clone()];
            if let Some(second) = words.get(1).filter(|_| GROUPS.contains(&&**name)) {
                let group = known.entry(path.clone()).or_insert_with(|| help(&[name]));
                assert!(lists(group, second), "{page} names `tablut {command}`:\n{group}");
                path.push(second.clone());
            }
            let path_words: Vec<_> = path.iter().map(String::as_str).collect();
            let text = known.entry(path.clone()).or_insert_with(|| help(&path_words)).clone();
            for option in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
                let option = option.split('=').next().unwrap();
                let is_known = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| word == option);
                assert!(is_known, "{page}: `tablut {command}` has no option {option}");
            }
            n_checked += 1;
        }
    }
    // An option without a command must belong to some command on these pages.
    let words =
        |text: &String| text.split(|c: char| !(c.is_alphanumeric() || c == '-')).map(str::to_owned).collect::<Vec<_>>();
    let options: HashSet<_> = known.values().flat_map(words).filter(|word| word.starts_with("--")).collect();
    for page in guide() {
        for code in parts(&read(&page)).0.split('`').skip(1).step_by(2).filter(|code| code.starts_with("--")) {
            let option = code.split(|c: char| c == '=' || c.is_whitespace()).next().unwrap();
            assert!(options.contains(option), "{page} names the option {option}, which no command has");
        }
    }
    assert!(n_checked > 60, "only {n_checked} commands found: are they still written as commands?");
}

/// Quick commands of the guide succeed, unless they name a file of the reader. The other commands train, play many
/// games or serve. Their own tests run them on a small scale.
#[test]
fn every_quick_command_of_the_guide_succeeds() {
    let quick = ["analyze ", "config ", "generate completions", "model info", "perft ", "rules"];
    let folder = tempfile::tempdir().unwrap();
    for name in ["configs", "crates", "experiments", "models"] {
        #[cfg(unix)]
        std::os::unix::fs::symlink(fs::canonicalize(root().join(name)).unwrap(), folder.path().join(name)).unwrap();
    }
    let (_, blocks) = parts(&read("docs/own-rules.md"));
    let rules = blocks.iter().find(|block| block.0 == "toml").expect("the page shows a rule file");
    fs::write(folder.path().join("mine.toml"), &rules.1).unwrap();
    let mut n_run = 0;
    for page in guide() {
        for command in commands(&read(&page)) {
            // A word in capitals is a placeholder, and so are these files.
            let stands_for = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '…');
            let words = shlex::split(&command).unwrap();
            let is_open = words.iter().any(|word| stands_for(word) || word.contains('…') || word == "game.json");
            if is_open || !quick.iter().any(|start| command.starts_with(start)) {
                continue;
            }
            let output =
                Command::new(env!("CARGO_BIN_EXE_tablut")).args(&words).current_dir(folder.path()).output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{page}: tablut {command}\n{error}");
            n_run += 1;
        }
    }
    assert!(n_run >= 5, "only {n_run} commands were run");
}

/// The configs of all training commands in the README and the guide are valid, including the commands' changes.
#[test]
fn every_training_of_the_guide_has_a_sound_config() {
    let lines: Vec<_> = guide().iter().flat_map(|page| commands(&read(page))).collect();
    let mut n_checked = 0;
    for line in lines {
        let Some(words) = line.strip_prefix("train configs/") else { continue };
        let words = shlex::split(words).unwrap();
        let mut words = words.iter().map(String::as_str);
        let config = root().join("configs").join(words.next().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        // Paths of the guide's commands start at the root.
        command.current_dir(root()).arg("config").arg(config);
        while let Some(word) = words.next() {
            if ["--dry-run", "--serve"].contains(&word) {
                continue;
            }
            let value = words.next().unwrap();
            match word {
                // This is the reader's rule file.
                "--set" if value.contains("mine.toml") => continue,
                "--set" => command.args(["--set", value]),
                "--device" => command.args(["--set", &format!("machine.device=\"{value}\"")]),
                "--run" | "--nats" | "--time" => continue,
                _ => panic!("{word} in {line}"),
            };
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        n_checked += 1;
    }
    assert!(n_checked >= 3, "{n_checked} commands");
}
