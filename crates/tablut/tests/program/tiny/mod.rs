//! A temporary folder with small inputs for commands: a net, a config, a file of games.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tablut_arena::puzzles::PuzzleSet;
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};
use tempfile::TempDir;

/// A run of one generation with two short games and no evaluation.
const CONFIG: &str = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n[schedule]\ngenerations = 1\ngames = 2\n\
                      simulations = [[0, 2]]\n[selfplay]\nmax_plies = 30\n[evaluation]\ngames = 0\n";

/// Runs the binary without a terminal and without input.
pub fn tablut(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tablut")).args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

/// The standard output of a command that must succeed.
pub fn stdout(arguments: &[&str]) -> String {
    let output = tablut(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

/// The standard error of a command that must fail with exit code 2.
pub fn refused(arguments: &[&str]) -> String {
    let output = tablut(arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    message
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}

/// The folder. It is deleted when the value is dropped.
pub struct Tiny {
    folder: TempDir,
}

impl Tiny {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A net with random weights.
    pub fn model(&self) -> PathBuf {
        let weights = Weights::initial(&"lines32x1".parse().unwrap(), 1);
        let training = TrainingSummary { play_simulations: 4, ..TrainingSummary::default() };
        let path = self.path("net.tablut");
        Model {
            weights,
            rules: vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())],
            training,
            card: None,
        }
        .save(&path)
        .unwrap();
        path
    }

    /// The config of a run that takes less than a second.
    pub fn config(&self) -> PathBuf {
        let path = self.path("tiny.toml");
        fs::write(&path, CONFIG).unwrap();
        path
    }

    /// A file with one puzzle.
    pub fn puzzles(&self) -> PathBuf {
        let many = concat!(env!("CARGO_MANIFEST_DIR"), "/../tablut-play/puzzles/kvasir.jsonl");
        let mut set = PuzzleSet::read(Path::new(many)).unwrap();
        set.puzzles.truncate(1);
        let path = self.path("one.jsonl");
        set.write(&path).unwrap();
        path
    }

    /// A file of records.
    pub fn games(&self) -> PathBuf {
        let (config, model, out) = (self.config(), self.model(), self.path("games"));
        stdout(&["selfplay", text(&config), "--model", text(&model), "--force", "--out", text(&out)]);
        out.join("selfplay.games")
    }
}
