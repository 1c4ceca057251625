//! A match with workers over a real `nats-server` has the same games as a match without workers, even if processes are
//! killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::broker::TestBroker;
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};

fn tablut() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder with two nets.
struct Setting {
    folder: tempfile::TempDir,
    nets: [String; 2],
}

impl Setting {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let net = |seed: u64| {
            let path = folder.path().join(format!("{seed}.tablut"));
            let weights = Weights::initial(&"lines32x1".parse().unwrap(), seed);
            let rules = vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())];
            Model { weights, rules, training: TrainingSummary::default(), card: None }.save(&path).unwrap();
            format!("net:{}@8", path.display())
        };
        let nets = [net(1), net(2)];
        Self { folder, nets }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Three matches of about a second.
    fn tournament(&self, games: &Path) -> Command {
        let mut command = tablut();
        command.arg("match").args(&self.nets).args(["alphabeta:1", "--games", "40", "--max-plies", "60", "--json"]);
        command.arg("--save-games").arg(games);
        command
    }
}

/// A worker that ends with the test.
struct Worker(Child);

impl Worker {
    fn start(url: &str) -> Self {
        let mut command = tablut();
        command.args(["worker", "--threads", "1", "--nats", url]).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn finished(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The number of games in a file.
fn games_in(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count().saturating_sub(1))
}

#[test]
fn workers_give_the_games_of_a_match_without_workers_even_after_kills() {
    let Some(broker) = TestBroker::start("") else { return };
    let setting = Setting::new();
    let (alone, together) = (setting.file("alone.jsonl"), setting.file("together.jsonl"));
    let expected = finished(&mut setting.tournament(&alone));
    let spread = || {
        let mut command = setting.tournament(&together);
        command.args(["--nats", &broker.url, "--lease", "1"]);
        command
    };
    let mut workers = [Worker::start(&broker.url), Worker::start(&broker.url)];
    for at in [10, 50, 90] {
        let mut child = spread().spawn().unwrap();
        while games_in(&together) < at {
            assert!(child.try_wait().unwrap().is_none(), "the match ended before it could be killed");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        workers[0] = Worker::start(&broker.url);
    }
    assert_eq!(finished(&mut spread()), expected);
    assert!(fs::read(&together).unwrap() == fs::read(&alone).unwrap(), "the files differ");
}

#[test]
fn a_sequential_test_ends_a_match_with_workers_at_the_same_pair() {
    let Some(broker) = TestBroker::start("") else { return };
    let _workers = [Worker::start(&broker.url), Worker::start(&broker.url)];
    let test = || {
        let mut command = tablut();
        command.args([
            "match",
            "alphabeta:1",
            "random",
            "--games",
            "200",
            "--max-plies",
            "60",
            "--sprt=0,20",
            "--json",
        ]);
        command
    };
    let alone = finished(&mut test());
    assert_eq!(finished(test().args(["--nats", &broker.url])), alone);
    let games = alone.matches("\"games\": 200").count();
    assert_eq!(games, 0, "the test was not settled: {alone}");
}

#[test]
fn players_that_cannot_play_on_workers_are_rejected_before_connecting() {
    let setting = Setting::new();
    let timed = setting.nets[0].replace("@8", "@50ms");
    for player in ["alphabeta:50ms", "engine:some-program", &timed] {
        let output = tablut().args(["match", player, "random", "--nats", "nats://127.0.0.1:1"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot play on other machines"), "{said}");
    }
}
