//! Sets the version for the compiler, with the commit if the sources are in a git repository.

use std::fs;
use std::path::Path;

/// Digits of the commit that are shown.
const DIGITS: usize = 9;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    println!("cargo::rerun-if-changed=build.rs");
    let version = match commit(&root.join(".git")) {
        Some(commit) => format!("{version} ({})", &commit[..DIGITS]),
        None => version,
    };
    println!("cargo::rustc-env=TABLUT_VERSION={version}");
}

/// The checked-out commit. `None` if there is no repository, or its format is unknown.
fn commit(git: &Path) -> Option<String> {
    // In a worktree `.git` is a file that names the folder.
    let folder = match fs::read_to_string(git) {
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git.to_owned(),
    };
    let head = watched(&folder.join("HEAD"))?;
    // Every commit and checkout adds a line to this file.
    watched(&folder.join("logs/HEAD"));
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return hash(&head) };
    // A worktree shares the branches of its repository.
    let shared = fs::read_to_string(folder.join("commondir")).map_or(folder.clone(), |text| folder.join(text.trim()));
    if let Some(commit) = watched(&shared.join(name)).and_then(|text| hash(&text)) {
        return Some(commit);
    }
    let packed = watched(&shared.join("packed-refs"))?;
    packed.lines().find_map(|line| hash(line.strip_suffix(name)?))
}

/// A file's text. Cargo runs this script again when the file changes.
fn watched(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text)
}

fn hash(text: &str) -> Option<String> {
    let text = text.trim();
    (text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_owned())
}
