//! Checks of the source: every file has a description, and imports have no circles.

#[path = "architecture/imports.rs"]
mod imports;

use imports::Sources;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates' folder").to_path_buf()
}

/// The folder of each crate.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(crates()).expect("the crates' folder").map(|entry| entry.expect("a crate").path()).collect();
    folders.sort();
    folders
}

/// Every Rust file under a folder, in a fixed order.
fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn every_file_has_a_description() {
    let mut files = Vec::new();
    for folder in folders() {
        rust_files(&folder.join("src"), &mut files);
        rust_files(&folder.join("tests"), &mut files);
    }
    assert!(files.len() > 100, "only {} files were found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable file");
        let name = file.strip_prefix(crates()).expect("a file of a crate").display();
        if !text.lines().any(|line| line.starts_with("//! ")) {
            wrong.push(format!("{name} has no description (//! …)"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_of_a_crate_import_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    for folder in folders() {
        let mut files = Vec::new();
        rust_files(&folder.join("src"), &mut files);
        let sources = Sources::read(&folder.join("src"), &files);
        assert!(!sources.is_empty(), "{} has no source", folder.display());
        for circle in sources.circles() {
            wrong.push(format!("{}:\n{circle}", folder.file_name().expect("a name").display()));
        }
    }
    assert!(wrong.is_empty(), "files import each other in a circle\n{}", wrong.join("\n"));
}

#[test]
fn a_circle_is_found_through_a_re_export_and_named() {
    let sources = Sources::from_texts(&[
        ("", "mod a; mod b; mod c; pub use a::First;"),
        ("a", "use crate::b::second; pub struct First;"),
        ("b", "use super::First; // use super::c::Third;\npub fn second() {}"),
        ("c", "use crate::{b::second, a::First}; pub struct Third;"),
    ]);
    let circles = sources.circles();
    assert_eq!(circles.len(), 1, "{circles:?}");
    assert_eq!(circles[0], "  a imports b (second)\n  b imports a (First)");
}

#[test]
fn an_import_through_a_re_export_also_imports_the_re_exporting_file() {
    let sources = Sources::from_texts(&[
        ("", "mod a; mod b;"),
        ("a", "mod inner; mod first; pub use inner::Inner; use first::First;"),
        ("a::first", "use crate::b::Second; pub struct First;"),
        ("a::inner", "pub struct Inner;"),
        ("b", "use crate::a::Inner; pub struct Second;"),
    ]);
    let circle = "  a imports a::first (First)\n  a::first imports b (Second)\n  b imports a (Inner)";
    assert_eq!(sources.circles(), [circle]);
}
