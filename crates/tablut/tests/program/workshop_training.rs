//! The page's workshop trains a net on the user's rules with the program itself, and reports every generation.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// How long the test waits for an event before it fails.
const PATIENCE: Duration = Duration::from_mins(3);

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server with `folder` as its working folder, and a connection to it.
fn serve(folder: &Path) -> (Server, WebSocket<TcpStream>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(["serve", "--port", "0", "--folder", "games"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
    let server = Server(server);
    let link = lines.next().expect("a line").expect("text");
    let authority = link.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut request = format!("ws://{authority}/ws").into_client_request().expect("an address");
    request.headers_mut().insert("origin", format!("http://{authority}").parse().expect("a header"));
    let stream = TcpStream::connect(&authority).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let (socket, _) = tungstenite::client(request, stream).expect("the server lets its page in");
    (server, socket)
}

fn ask(socket: &mut WebSocket<TcpStream>, request: &Value) {
    socket.send(Message::text(request.to_string())).expect("the server takes the request");
}

/// The next event for which `fits` returns true.
fn event(socket: &mut WebSocket<TcpStream>, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("the server answers") {
            let event: Value = serde_json::from_str(&text).expect("events are JSON");
            assert_ne!(event["event"], "refused", "{event}");
            if fits(&event) {
                return event;
            }
        }
    }
}

/// Requests a training on kvasir's rules with escapes in the corners, and waits for its first generation.
fn train(socket: &mut WebSocket<TcpStream>) -> Value {
    let hello = event(socket, |event| event["event"] == "hello");
    assert_eq!(hello["trains"], true);
    ask(socket, &json!({"id": 1, "do": "new", "rules": {"name": "kvasir"}}));
    let sets = hello["rule_sets"].as_array().expect("a list");
    let mut set = sets.iter().find(|set| set["name"] == "kvasir").expect("it is built in")["set"].clone();
    set["name"] = json!("cornered");
    set["escape"] = json!("corners");
    ask(socket, &json!({"id": 2, "do": "train", "set": set}));
    event(socket, |event| {
        let failed = event["state"].get("failed").is_some();
        assert!(!failed, "{event}");
        event["event"] == "training" && event["generations"].as_array().is_some_and(|known| !known.is_empty())
    })
}

#[test]
fn a_training_on_changed_rules_reports_its_balance_and_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, mut socket) = serve(folder.path());
    let told = train(&mut socket);
    assert_eq!((&told["rules"], &told["state"]), (&json!("cornered"), &json!("running")));
    let first = &told["generations"][0];
    let count = |side: &str| first[side]["count"].as_u64().expect("a count");
    assert_eq!(["attackers", "draws", "defenders", "unfinished"].map(count).iter().sum::<u64>(), 60, "{first}");
    ask(&mut socket, &json!({"id": 3, "do": "stop-training"}));
    let ended = event(&mut socket, |event| event["event"] == "training" && event["state"] != "running");
    assert_eq!(ended["state"], "ended");
    let run = folder.path().join(ended["folder"].as_str().expect("a path"));
    assert!(run.join("metrics.jsonl").is_file(), "{}", run.display());
    drop(server);
}

/// Whether a process has locked the run.
fn is_locked(run: &Path) -> bool {
    let file = File::options().write(true).open(run.join(".lock")).expect("a run has a lock");
    file.try_lock().is_err()
}

#[test]
fn a_training_ends_with_a_server_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, mut socket) = serve(folder.path());
    let told = train(&mut socket);
    let run = folder.path().join(told["folder"].as_str().expect("a path"));
    assert!(is_locked(&run), "the training has ended before its server");
    // This kills the server, so the training receives no message.
    drop(server);
    let deadline = Instant::now() + PATIENCE;
    // The run's lock is free when its process has ended.
    while is_locked(&run) {
        assert!(Instant::now() < deadline, "the training continues without its server");
        std::thread::sleep(Duration::from_millis(50));
    }
}
