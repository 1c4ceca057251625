//! A match that is killed or stopped at any moment can be continued, and gives the result of an uninterrupted match.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};

/// A match of about a second.
fn long_match(net: &str, games: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.args(["match", net, "alphabeta:1", "greedy", "--games", "60", "--max-plies", "60", "--json"]);
    command.arg("--save-games").arg(games).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn net(path: &Path, seed: u64) -> String {
    let weights = Weights::initial(&"lines32x1".parse().unwrap(), seed);
    Model {
        weights,
        rules: vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())],
        training: TrainingSummary::default(),
        card: None,
    }
    .save(path)
    .unwrap();
    format!("net:{}@8", path.display())
}

fn finished(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    String::from_utf8(output.stdout).unwrap()
}

/// The number of games in a file.
fn games_in(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count().saturating_sub(1))
}

/// Waits until the file has this number of games. Returns false if the match ended before.
fn reaches(child: &mut Child, path: &Path, games: usize) -> bool {
    while games_in(path) < games {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

struct Files {
    _folder: tempfile::TempDir,
    net: String,
    whole: PathBuf,
    other: PathBuf,
}

fn files() -> Files {
    let folder = tempfile::tempdir().unwrap();
    let net = net(&folder.path().join("net.tablut"), 1);
    let (whole, other) = (folder.path().join("whole.jsonl"), folder.path().join("other.jsonl"));
    Files { _folder: folder, net, whole, other }
}

#[test]
fn a_killed_match_gives_the_result_of_an_uninterrupted_match() {
    let Files { _folder, net, whole, other } = files();
    let expected = finished(&mut long_match(&net, &whole, &[]));
    // The kills are in the first, the second and the last match.
    for at in [20, 75, 150] {
        let mut child = long_match(&net, &other, &[]).spawn().unwrap();
        assert!(reaches(&mut child, &other, at), "the match ended before it could be killed");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(games_in(&other) >= at, "games are lost");
        // This is the file after a kill within a line.
        let bytes = fs::read(&other).unwrap();
        fs::write(&other, &bytes[..bytes.len() - 9]).unwrap();
    }
    let resumed = finished(&mut long_match(&net, &other, &["--threads", "1"]));
    assert_eq!(resumed, expected);
    assert!(fs::read(&other).unwrap() == fs::read(&whole).unwrap(), "the files differ");
    assert_eq!(games_in(&other), 180);
    // The file already has all games.
    assert_eq!(finished(&mut long_match(&net, &other, &[])), expected);
    let other_net = self::net(&whole.with_file_name("net.tablut"), 2);
    for (player, more, part) in [
        (net.as_str(), &["--seed", "2"][..], "seed: 1 in the file, 2 in the command"),
        (&net, &["--rules", "imperial"], "rules.name: \"kvasir\" in the file, \"imperial\" in the command"),
        (&net, &["--opening-plies", "5"], "opening_plies: 4 in the file, 5 in the command"),
        (&net, &["--sprt"], "sprt: null in the file"),
        (&other_net, &[], "players[0].net: "),
    ] {
        let output = long_match(player, &other, more).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {message}");
        assert!(message.contains(part) && message.contains("another match"), "{more:?}: {message}");
    }
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[cfg(unix)]
#[test]
fn a_stopped_match_prints_its_results_and_can_be_continued() {
    let Files { _folder, net, whole, other } = files();
    let expected = finished(&mut long_match(&net, &whole, &[]));
    let mut child = long_match(&net, &other, &[]).spawn().unwrap();
    assert!(reaches(&mut child, &other, 75), "the match ended before it could be stopped");
    interrupt(&child);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(130), "{message}");
    assert!(message.contains("of 180 games have ended") && message.contains("continues from there"), "{message}");
    let partial: Value = serde_json::from_slice(&stdout).expect("JSON alone is printed");
    let matches = partial["matches"].as_array().unwrap();
    assert_eq!((matches[0]["complete"].clone(), matches[0]["games"].clone()), (true.into(), 60.into()));
    assert!(matches.len() < 3 || matches[2]["complete"] == false, "{partial}");
    assert!(partial["players"].is_array() && partial["superiority"].is_array(), "{partial}");
    assert!(games_in(&other) < 180);
    assert_eq!(finished(&mut long_match(&net, &other, &[])), expected);
    assert!(fs::read(&other).unwrap() == fs::read(&whole).unwrap(), "the files differ");
}
