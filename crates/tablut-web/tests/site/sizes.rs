//! How much a browser loads, compressed as static hosts do.

use super::host::{first, site};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bytes of a file after gzip.
fn zipped(file: &Path) -> usize {
    let output = Command::new("gzip").args(["-6", "-c"]).arg(file).output().expect("gzip is installed");
    assert!(output.status.success(), "{}", file.display());
    output.stdout.len()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Whether one of these files, or one that the first game needs, is for teaching or imports such a file at once.
fn loads_teaching(site: &Path, before: &[&str]) -> bool {
    const TEACHING: [&str; 4] = ["teacher", "teachplayer", "teachmodule", "teachstore"];
    let imports = |path: &str| {
        let text = std::fs::read_to_string(site.join(path)).unwrap_or_default();
        let mut imports = text.lines().filter(|line| line.starts_with("import "));
        imports.any(|line| TEACHING.iter().any(|name| line.contains(&format!("/{name}.js"))))
    };
    let named = before.iter().any(|path| TEACHING.iter().any(|name| path.contains(&format!("/{name}."))));
    named || ["js/worker.js", "js/engine.js", "js/library.js"].iter().chain(before).any(|path| imports(path))
}

#[test]
fn every_stage_of_loading_is_small() {
    let Some(site) = site() else { return };
    let first = first(&site);
    let index = std::fs::read_to_string(site.join("index.html")).unwrap();
    let loaded = index.split('"').filter(|word| ["css/", "js/"].iter().any(|folder| word.starts_with(folder)));
    let mut before: Vec<&str> = loaded.chain(["index.html", "first.json", "manifest.json", "icon.svg"]).collect();
    before.sort_unstable();
    before.dedup();
    let sum = |paths: &[&str]| paths.iter().map(|path| zipped(&site.join(path))).sum::<usize>();
    let paint = sum(&before);
    let engine = zipped(&site.join("engine.wasm"));
    let net = zipped(&site.join(first["site"]["net"]["file"].as_str().unwrap()));
    let game = paint + engine + net + sum(&["js/worker.js", "js/engine.js", "js/games.js", "js/library.js"]);
    // Teaching loads when somebody asks for it.
    assert!(!loads_teaching(&site, &before), "the first paint or game loads what teaches: {before:?}");
    let teaching = zipped(&site.join("teacher.wasm"));
    let mut all = Vec::new();
    files(&site, &mut all);
    let everything: usize = all.iter().map(|path| zipped(path)).sum();
    let sizes = format!(
        "first paint {paint}, engine {engine}, first game {game}, teaching {teaching}, everything {everything} bytes of gzip"
    );
    eprintln!("{sizes}");
    assert!(
        paint < 200_000 && engine < 800_000 && game <= 1_300_000 && teaching < 1_000_000 && everything <= 4_500_000,
        "{sizes}"
    );
}

#[test]
fn no_file_names_another_host() {
    let Some(site) = site() else { return };
    let mut all = Vec::new();
    files(&site, &mut all);
    for file in all {
        let is_text = file.extension().is_some_and(|name| ["html", "js", "css"].iter().any(|text| name == *text));
        let text = if is_text { std::fs::read_to_string(&file).unwrap() } else { continue };
        let text = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://"), "{} names another host", file.display());
        assert!(!text.contains("document.cookie"), "{} uses cookies", file.display());
    }
}
