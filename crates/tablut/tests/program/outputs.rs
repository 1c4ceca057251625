//! Existing files are not overwritten without `--force`. Paths that cannot be written are reported before the work.

use std::fs;
use std::path::{Path, PathBuf};

use super::tiny::{Tiny, refused, stdout, text};

/// Commands that write a file, each with the file.
fn writers(tiny: &Tiny) -> [(Vec<String>, PathBuf); 4] {
    let (config, model) = (tiny.config(), tiny.model());
    let of = |line: String| line.split(' ').map(str::to_owned).collect();
    let [book, selfplay, onnx, man] = ["book", "selfplay", "net.onnx", "man"].map(|name| tiny.path(name));
    let model = text(&model);
    [
        (of(format!("generate openings --count 2 --judge alphabeta:1 --band 10000 --out {}", text(&book))), book),
        (
            of(format!("selfplay {} --model {model} --games 1 --out {}", text(&config), text(&selfplay))),
            selfplay.join("selfplay.games"),
        ),
        (of(format!("model export {model} --onnx {}", text(&onnx))), onnx),
        (of(format!("generate man --out {}", text(&man))), man.join("tablut.1")),
    ]
}

#[test]
fn existing_files_are_overwritten_only_with_force() {
    let tiny = Tiny::new();
    for (arguments, file) in writers(&tiny) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        stdout(&arguments);
        let written = fs::read(&file).unwrap();
        fs::write(&file, b"precious").unwrap();
        let message = refused(&arguments);
        assert!(message.contains(&format!("{} exists", file.display())), "{arguments:?}: {message}");
        assert!(message.contains("--force"), "{arguments:?}: {message}");
        assert_eq!(fs::read(&file).unwrap(), b"precious", "{arguments:?}");
        stdout(&[&arguments[..], &["--force"]].concat());
        assert!(fs::read(&file).unwrap() == written, "{arguments:?}");
    }
}

#[test]
fn an_existing_file_of_puzzles_is_reported_before_the_search() {
    let tiny = Tiny::new();
    let model = tiny.model();
    fs::write(tiny.path("kvasir.jsonl"), b"precious").unwrap();
    let folder = tiny.path("");
    let message =
        refused(&["generate", "puzzles", text(&model), "--games", "1", "--count", "8", "--out", text(&folder)]);
    assert!(message.contains("kvasir.jsonl exists") && message.contains("--force"), "{message}");
    assert!(!message.contains("Puzzles under"), "{message}");
}

#[test]
fn paths_that_cannot_be_written_are_reported_before_the_work() {
    let tiny = Tiny::new();
    let file = tiny.path("file");
    fs::write(&file, b"a file where a folder should be").unwrap();
    let below = |name: &str| file.join(name);
    let (out, model) = (below("out"), tiny.model());
    // The work of each command would fail too, with another message.
    let cases: [&[&str]; 3] = [
        &["generate", "openings", "--plies", "1", "--count", "50", "--judge", "alphabeta:1", "--out", text(&out)],
        &["selfplay", "missing.toml", "--out", text(&out)],
        &["model", "export", "missing.tablut", "--onnx", text(&out)],
    ];
    for arguments in cases {
        let message = refused(arguments);
        assert!(message.contains("cannot write") && !message.contains("missing"), "{arguments:?}: {message}");
    }
    let puzzles = refused(&["generate", "puzzles", text(&model), "--games", "1", "--count", "8", "--out", text(&out)]);
    assert!(puzzles.contains("cannot write") && !puzzles.contains("Puzzles under"), "{puzzles}");
    assert!(Path::new(&file).is_file());
}

#[test]
#[cfg(target_os = "linux")]
fn a_report_is_written_even_if_its_summary_cannot_be_printed() {
    let tiny = Tiny::new();
    let page = tiny.path("page.html");
    let run = tiny.path("run");
    fs::create_dir(&run).unwrap();
    fs::rename(tiny.config(), run.join("config.toml")).unwrap();
    let metrics = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/quickstart/seventh/metrics.jsonl");
    fs::copy(metrics, run.join("metrics.jsonl")).unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tablut"));
    let status = command.args(["report", text(&run), "--out", text(&page)]).stdout(full).status().unwrap();
    assert!(!status.success());
    assert!(fs::read_to_string(&page).unwrap().ends_with("</html>"));
}
