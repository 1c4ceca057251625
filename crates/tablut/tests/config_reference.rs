//! `docs/config.md` is generated from the doc comments of the config's types. The test compares the page, and writes it
//! with `TABLUT_WRITE_DOCS=1`.

use std::fmt::Write as _;
use std::path::Path;

use tablut_learn::TrainConfig;

/// The sources of the config's types, by their paths from the root.
const SOURCES: [&str; 5] = [
    "crates/tablut-learn/src/config.rs",
    "crates/tablut-learn/src/config/tables.rs",
    "crates/tablut-learn/src/optimizer.rs",
    "crates/tablut-games/src/selfplay.rs",
    "crates/tablut-search/src/config.rs",
];

const PAGE: &str = "docs/config.md";

const BEGINNING: &str = "# Config

This page lists every key of a training config with its default.
[Choose settings](settings.md) says which keys to change. `--set schedule.games=500` sets the key `games` of the section
`schedule`.
";

/// A documented item: a field with its type, or an enum's value without one.
struct Item {
    name: String,
    kind: String,
    doc: String,
}

/// The fields of `pub struct NAME`, or the values of `pub enum NAME`, in one of the sources.
fn items(sources: &[String], keyword: &str, name: &str) -> Option<Vec<Item>> {
    let opening = format!("\npub {keyword} {name} {{\n");
    let body = sources.iter().find_map(|source| source.split_once(&opening))?.1;
    let mut found = Vec::new();
    let mut doc = Vec::new();
    for line in body.lines().take_while(|line| *line != "}").map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            doc.push(comment.trim());
        } else if !line.is_empty() && !line.starts_with('#') {
            let item = line.trim_start_matches("pub ").trim_end_matches(',');
            let (name, kind) = item.split_once(": ").unwrap_or((item, ""));
            let (name, kind) = (name.to_owned(), kind.to_owned());
            // Links of rustdoc become code.
            let doc = std::mem::take(&mut doc).join(" ").replace("[`", "`").replace("`]", "`");
            found.push(Item { name, kind, doc });
        }
    }
    Some(found)
}

/// A comment's words, in lines of at most 120 characters, each after `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        let n_chars = line.chars().count() + 1 + word.chars().count() + indent.len();
        if line.is_empty() || n_chars <= 120 {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join(&format!("\n{indent}"))
}

/// One key with its default and its comment, then the values of an enum.
fn entry(item: &Item, default: Option<&toml::Value>, values: &[Item]) -> String {
    let default = match default {
        // The settings are single-precision numbers. As doubles they would have more digits.
        Some(toml::Value::Float(number)) => format!("={:?}", *number as f32),
        Some(value) if item.name != "rules" => format!("={value}"),
        _ => String::new(),
    };
    let mut doc = item.doc.clone();
    for value in values {
        write!(doc, " `{}`: {}", value.name.to_lowercase(), value.doc).expect("a string");
    }
    format!("- {}\n", wrapped(&format!("`{}{default}`: {doc}", item.name), "  "))
}

/// The page, and the number of its keys. `defaults` is the config with every default.
fn reference(sources: &[String], defaults: &toml::Table) -> (String, usize) {
    let mut page = BEGINNING.to_owned();
    let mut sections = String::new();
    let mut n_keys = 0;
    page.push_str("\n## Keys without a section\n\n");
    for field in items(sources, "struct", "TrainConfig").expect("the config's type is in the sources") {
        let Some(keys) = items(sources, "struct", &field.kind) else {
            page.push_str(&entry(&field, defaults.get(&field.name).filter(|_| field.name != "start"), &[]));
            n_keys += 1;
            continue;
        };
        let table = defaults[&field.name].as_table().expect("a section is a table");
        write!(sections, "\n## {}\n\n{}\n\n", field.name, wrapped(&field.doc, "")).expect("a string");
        for key in keys {
            let default = table.get(&key.name).unwrap_or_else(|| panic!("{}.{} is no key", field.name, key.name));
            let values = items(sources, "enum", &key.kind).unwrap_or_default();
            sections.push_str(&entry(&key, Some(default), &values));
            n_keys += 1;
        }
    }
    (page + &sections, n_keys)
}

fn leaves(value: &toml::Value) -> usize {
    value.as_table().map_or(1, |table| table.values().map(leaves).sum())
}

#[test]
fn the_page_of_the_config_equals_the_doc_comments() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let sources = SOURCES.map(read);
    let mut config = TrainConfig::new(vec!["kvasir".to_owned()]);
    config.start = Some("net.tablut".into());
    let defaults: toml::Table = toml::from_str(&config.to_toml()).unwrap();
    let (page, n_keys) = reference(&sources, &defaults);
    assert_eq!(n_keys, leaves(&toml::Value::Table(defaults)), "keys on the page, and in a config\n{page}");
    if std::env::var_os("TABLUT_WRITE_DOCS").is_some() {
        std::fs::write(root.join(PAGE), &page).unwrap();
    }
    let fix = "TABLUT_WRITE_DOCS=1 cargo test --release -p tablut --test config_reference";
    assert!(read(PAGE) == page, "{PAGE} differs from the doc comments; `{fix}` writes it");
}
