//! The estimate before a run, and its pages and ratings during training.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::tiny::{Tiny, stdout, text};
use tablut_net::Model;

/// A program that serves a page. It is killed when the test ends.
struct Served {
    process: Child,
    /// `address:port` and the path of the page.
    authority: String,
    path: String,
}

impl Served {
    /// Starts the binary, and reads the first link that it prints.
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        let command = command.current_dir(folder).args(arguments).env("XDG_DATA_HOME", folder).stdin(Stdio::null());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(process.stdout.take().expect("a pipe")), Box::new(process.stderr.take().expect("a pipe"))];
        let (told, heard) = std::sync::mpsc::channel();
        for stream in streams {
            let told = told.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = told.send(line);
                }
            });
        }
        drop(told);
        let link = heard.iter().find_map(|line| Some(line.split_once("http://")?.1.trim().to_owned()));
        let link = link.expect("a link is said before the program ends");
        let (authority, path) = link.split_once('/').expect("a link has a path");
        Self { process, authority: authority.to_owned(), path: format!("/{path}") }
    }

    fn get(&self, host: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.authority).expect("the server listens");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("the server takes the request");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn page(&self) -> String {
        self.get(&self.authority, &self.path)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_dry_run_estimates_a_run_and_creates_no_files() {
    let tiny = Tiny::new();
    let run = tiny.path("run");
    let said = stdout(&["train", text(&tiny.config()), "--run", text(&run), "--dry-run"]);
    for part in ["in all", "self-play", "2 games", "learning", "disk", "memory"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    assert!(!run.exists(), "a dry run creates a folder");
    let shown = stdout(&["config", text(&tiny.config())]);
    let config = tablut_learn::TrainConfig::parse(&shown, Path::new("shown"), &[]).unwrap();
    assert!(config.schedule.games == [(0, 2)] && shown.starts_with("# Memory"), "{shown}");
}

#[test]
fn a_finished_run_has_pages_beside_the_page_for_playing() {
    let tiny = Tiny::new();
    let run = tiny.path("run");
    stdout(&["train", text(&tiny.config()), "--run", text(&run)]);
    assert!(!run.join("live.json").exists(), "a finished run has no current state");
    let served = Served::start(&tiny.path("."), &["serve", "--port", "0", "--run", text(&run)]);
    let page = served.page();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("The run has finished."), "{page:.2000}");
    let policy = "content-security-policy: default-src 'none'; style-src 'unsafe-inline'";
    assert!(page.contains(policy) && page.contains("x-frame-options: DENY"), "{page:.2000}");
    assert!(page.contains("http-equiv=\"refresh\"") && page.contains("href=\"/run/snapshot\""), "{page:.2000}");
    let snapshot = served.get(&served.authority, "/run/snapshot");
    assert!(snapshot.starts_with("HTTP/1.1 200") && !snapshot.contains("http-equiv=\"refresh\""), "{snapshot:.2000}");
    assert!(served.get(&served.authority, "/").contains("<title>Tablut</title>"));
    assert!(served.get("evil.example", &served.path).starts_with("HTTP/1.1 403"));
}

#[test]
fn a_run_in_progress_is_shown_from_its_files() {
    let tiny = Tiny::new();
    let config = fs::read_to_string(tiny.config()).unwrap().replace("generations = 1", "generations = 1000");
    fs::write(tiny.path("long.toml"), config.replace("games = 2\n", "games = 400\n")).unwrap();
    let folder = tiny.path(".");
    let training = Served::start(&folder, &["train", "long.toml", "--run", "run", "--serve=127.0.0.1:0"]);
    assert!(training.get("evil.example", &training.path).starts_with("HTTP/1.1 403"));
    assert!(training.get(&training.authority, "/").contains("location: /run"));
    assert!(training.get(&training.authority, "/nowhere").starts_with("HTTP/1.1 404"));
    // Another process reads the same files.
    let other = Served::start(&folder, &["serve", "--port", "0", "--run", "run"]);
    for served in [&training, &other] {
        loop {
            let page = served.page();
            assert!(page.starts_with("HTTP/1.1 200"), "{page:.2000}");
            if page.contains("in progress") && page.contains("http-equiv=\"refresh\"") {
                break;
            }
        }
    }
}

/// The rating games of a run's generations, without their time.
fn ratings(run: &Path) -> Vec<serde_json::Value> {
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let rating = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["rating"]["matches"].clone();
    lines.lines().map(rating).collect()
}

#[test]
fn rating_games_do_not_change_the_run_and_are_the_same_after_a_restart() {
    let tiny = Tiny::new();
    let config =
        fs::read_to_string(tiny.config()).unwrap().replace("generations = 1\ngames = 2", "generations = 3\ngames = 8");
    let config = config.replace(
        "[evaluation]",
        "[learning]\nbatch_size = 8\n[evaluation]\nagainst = [\"random\", \"greedy\", \"alphabeta:1ms\"]",
    );
    let path = tiny.path("rated.toml");
    fs::write(&path, config).unwrap();
    let train = |run: &Path, share: &str| {
        let share = format!("evaluation.rating_share={share}");
        stdout(&["train", text(&path), "--run", text(run), "--set", &share]);
    };
    let (rated, unrated) = (tiny.path("rated"), tiny.path("unrated"));
    train(&rated, "1.0");
    train(&unrated, "0.0");
    let found = ratings(&rated);
    let opponents: Vec<&str> = found
        .iter()
        .flat_map(|line| line.as_array().unwrap())
        .map(|found| found["opponent"].as_str().unwrap())
        .collect();
    // Each generation has four pairs. Opponents with a clock are left out.
    let all = ["untrained", "shipped", "random", "greedy"];
    assert_eq!(opponents[..4], all);
    let later = ["generation 0", "untrained", "shipped", "random", "greedy", "generation 0", "untrained", "shipped"];
    assert_eq!(opponents[4..], later);
    assert!(ratings(&unrated).iter().all(serde_json::Value::is_null));
    // The model files contain different configs, so only the weights are compared.
    let weights = |run: &Path| Model::load(&run.join("checkpoints/gen-00002.safetensors")).unwrap().weights;
    assert!(weights(&rated) == weights(&unrated), "rating changes the run");
    // The last generation is repeated.
    fs::remove_file(rated.join("checkpoints/gen-00002.state.safetensors")).unwrap();
    train(&rated, "1.0");
    assert_eq!(ratings(&rated), found);
}
