//! A net is taught, stopped, taught on after a restart of the server, and used by other commands.

use super::PROGRAM;
use super::host::{Client, Host};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the test waits for the end of a process.
const PATIENCE: Duration = Duration::from_mins(3);
/// Kvasir's rules with a king who does not capture.
const RULES: &str = "base = \"kvasir\"\nname = \"weak\"\nking.armed = false\n";

fn teach(seconds: u32) -> Value {
    json!({"do": "teach", "rules": {"toml": RULES}, "seconds": seconds})
}

/// The next state of the run `weak-1` that fits.
fn view(client: &mut Client, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        let view = client.event("training");
        assert!(view["state"].get("failed").is_none(), "{view}");
        if view["run"] == "weak-1" && fits(&view) {
            return view;
        }
    }
}

fn generations(view: &Value) -> u64 {
    view["n_generations"].as_u64().expect("a number")
}

/// Runs the program and returns what it prints.
fn output(arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_run_is_watched_stopped_and_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    client.ask(json!({"do": "taught-nets"})).expect("everybody may ask");
    assert_eq!(client.event("taught-nets")["refused"], Value::Null);
    client.ask(teach(60)).expect("it starts");
    client.ask(teach(60)).expect("it waits");
    view(&mut client, |view| view["state"] == "running");
    let game = client.event("training-game");
    let (positions, moves) = (game["positions"].as_array().unwrap(), game["moves"].as_array().unwrap());
    assert!(positions.len() == moves.len() + 1 && game["run"] == "weak-1", "{game}");
    let has_scores =
        |view: &Value| view["generations"].as_array().unwrap().iter().any(|line| line["scores"][0] != Value::Null);
    let first = view(&mut client, has_scores);
    let count = |side: &str| first["generations"][0][side]["count"].as_u64().expect("a count");
    let sum: u64 = ["attackers", "draws", "defenders", "unfinished"].map(count).iter().sum();
    assert_eq!(json!(sum), first["generations"][0]["games"]);
    client.ask(json!({"do": "stop-teaching", "run": "weak-2"})).expect("it leaves the queue");
    client.ask(json!({"do": "stop-teaching", "run": "weak-1"})).expect("it stops");
    let ended = view(&mut client, |view| view["state"] == "ended");
    assert_eq!(ended["net"], 1);

    client.ask(json!({"do": "download-net", "run": "weak-1"})).expect("it has a net");
    let file = client.event("net-file");
    let net = folder.path().join(file["name"].as_str().expect("a name"));
    std::fs::write(&net, BASE64_STANDARD.decode(file["base64"].as_str().unwrap()).unwrap()).unwrap();
    let about = output(&["model", "info", net.to_str().unwrap()]);
    assert!(about.contains("Learnt weak from nothing"), "{about}");
    let run = folder.path().join("taught/weak-1");
    output(&["report", run.to_str().unwrap()]);
    drop(client);
    host.kill();

    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    client.ask(json!({"do": "taught-nets"})).unwrap();
    let list = client.event("taught-nets");
    assert_eq!((&list["runs"][0]["run"], list["runs"].as_array().unwrap().len()), (&json!("weak-1"), 1));
    client.ask(json!({"do": "teach-on", "run": "weak-1", "seconds": 60})).expect("it goes on");
    view(&mut client, |view| generations(view) > generations(&ended));
    client.ask(json!({"do": "stop-teaching", "run": "weak-1"})).unwrap();
    client.ask(json!({"do": "forget-taught", "run": "weak-1"})).unwrap();
    assert!(!run.exists());
}

/// Whether a process has locked the run.
fn is_locked(run: &Path) -> bool {
    let file = File::options().write(true).open(run.join(".lock")).expect("a run has a lock");
    file.try_lock().is_err()
}

#[test]
fn teaching_ends_with_a_server_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    client.ask(json!({"do": "taught-nets"})).unwrap();
    client.ask(teach(60)).unwrap();
    client.event("training-game");
    let run = folder.path().join("taught/weak-1");
    assert!(is_locked(&run), "the training has ended before its server");
    // This kills the server, so the training receives no message.
    host.kill();
    let deadline = Instant::now() + PATIENCE;
    // The run's lock is free when its process has ended.
    while is_locked(&run) {
        assert!(Instant::now() < deadline, "the training continues without its server");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_cannot_be_taught_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    let stuck = "base = \"kvasir\"\nname = \"stuck\"\nstart = \"4t4/4t4/9/4T4/ttTTKTTtt/4T4/9/4t4/4t4\"\n";
    let stuck = stuck.replace("4t4/4t4/9/4T4/ttTTKTTtt/4T4/9/4t4/4t4", "9/9/9/3ttt3/3tKt3/3ttt3/9/9/9");
    let error = client.ask(json!({"do": "teach", "rules": {"toml": stuck}, "seconds": 60})).unwrap_err();
    assert!(error.contains("have no move"), "{error}");
    assert!(client.ask(teach(5)).unwrap_err().contains("5 seconds, expected 60"));
    drop((client, host));
    // With the name of a proxy nobody knows where a request is from.
    let host = Host::start(folder.path(), &["--host", "127.0.0.1"]);
    let mut client = host.client();
    assert!(client.ask(teach(60)).unwrap_err().contains("serve --teach"));
    client.ask(json!({"do": "taught-nets"})).unwrap();
    assert!(client.event("taught-nets")["refused"].as_str().unwrap().contains("serve --teach"));
    drop((client, host));
    let host = Host::start(folder.path(), &["--host", "127.0.0.1", "--teach"]);
    assert!(host.client().ask(teach(5)).unwrap_err().contains("5 seconds"));
}
