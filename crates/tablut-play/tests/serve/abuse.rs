//! Malicious clients do not disturb the games of others.

use super::host::Host;
use serde_json::json;
use std::io::{Read, Write};
use tungstenite::Message;

/// Checks that another client can play.
fn others_play(host: &Host) {
    let mut client = host.client();
    client.new_game("kvasir");
    client.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    assert_eq!(client.state()["ply"], 1);
}

#[test]
fn malformed_messages_are_refused_and_oversize_ones_end_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    for text in [
        "",
        "{",
        "[]",
        "null",
        "{\"id\":1}",
        "{\"id\":-1,\"do\":\"play\"}",
        "{\"id\":1,\"do\":\"fly\"}",
        &"[".repeat(50_000),
    ] {
        client.socket.send(Message::text(text)).unwrap();
        let refused = client.event("refused");
        assert!(refused["error"].as_str().unwrap().starts_with("not a request"), "{text:.40}: {refused}");
    }
    assert!(client.ask(json!({"do": "play", "move": "d1-d3"})).unwrap_err().contains("no game is open"));
    for game in ["../../etc/passwd", "", "aaaaaaaaaaaaaaaa", "a/b", "\u{0}"] {
        assert!(client.ask(json!({"do": "open", "game": game})).unwrap_err().contains("no game"), "{game}");
    }
    client.new_game("kvasir");
    // The answer repeats the id, even if a JavaScript number cannot represent it.
    for id in [1 << 32, (1 << 53) + 1, u64::MAX] {
        client.socket.send(Message::text(json!({"id": id, "do": "stop"}).to_string())).unwrap();
        assert_eq!(client.event("done")["re"], id);
        client.socket.send(Message::text(json!({"id": id, "do": "fly"}).to_string())).unwrap();
        assert_eq!(client.event("refused")["re"], id);
    }
    assert!(client.ask(json!({"do": "comment", "node": 0, "text": "x".repeat(100_000)})).is_err());
    let huge = json!({"do": "import", "text": "d1-d3 d3-d1 ".repeat(18_000)});
    assert!(client.ask(huge).is_err(), "a game without end was read");

    let mut loud = host.client();
    let _ = loud.socket.send(Message::text("x".repeat(3 << 20)));
    while loud.next().is_some() {}
    let mut binary = host.client();
    binary.socket.send(Message::binary(vec![0; 10])).unwrap();
    while binary.next().is_some() {}
    client.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    others_play(&host);
}

/// Raises this process's limit of open files above the usual thousand. Returns whether that is allowed.
fn open_thousands() -> bool {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.maximum.is_some_and(|most| most < 4096) {
        return false;
    }
    limit.current = Some(4096);
    setrlimit(Resource::Nofile, limit).is_ok()
}

#[test]
fn a_thousand_silent_connections_keep_nobody_out() {
    if !open_thousands() {
        eprintln!("skipped: this process may not have thousands of files open");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let silent: Vec<_> = (0..1000).map(|_| host.connect()).collect();
    let mut half: Vec<_> = (0..100).map(|_| host.connect()).collect();
    for stream in &mut half {
        let _ = stream.write_all(b"GET / HT");
    }
    others_play(&host);
    assert!(host.get("/").starts_with("HTTP/1.1 200"));
    drop((silent, half));
}

#[test]
fn connections_that_speak_and_then_stay_keep_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut player = host.client();
    let game = player.new_game("kvasir");
    // There are more connections than the maximum, and each has sent a request.
    let request = format!("GET /icon.svg HTTP/1.1\r\nHost: {}\r\n\r\n", host.authority);
    let mut idle = Vec::new();
    for _ in 0..300 {
        let mut stream = host.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        idle.push(stream);
    }
    others_play(&host);
    // The same holds for interfaces that send nothing.
    let silent: Vec<_> = (0..300).map(|_| host.client()).collect();
    others_play(&host);
    host.client().ask(json!({"do": "open", "game": game})).unwrap_or_else(|error| panic!("{game}: {error}"));
    drop((idle, silent));
}

#[test]
fn a_reader_that_never_reads_is_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut reader = host.client();
    let game = reader.new_game("kvasir");
    let mut lazy = host.client();
    lazy.ask(json!({"do": "open", "game": game})).unwrap();
    // Every request causes a complete state event, which the lazy client does not read.
    for round in 0..400 {
        let request = if round % 2 == 0 { json!({"do": "play", "move": "d1-d3"}) } else { json!({"do": "back"}) };
        lazy.send(request);
    }
    reader.ask(json!({"do": "review"})).unwrap_or_default();
    others_play(&host);
}

#[test]
fn work_of_many_tables_is_shared_and_replies_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut busy: Vec<_> = (0..6).map(|_| host.client()).collect();
    for client in &mut busy {
        client.new_game("tartu");
        client.ask(json!({"do": "analyse", "on": true})).unwrap();
        let set = serde_json::to_value(tablut_rules::RuleSet::named("masters").unwrap()).unwrap();
        client.ask(json!({"do": "experiment", "set": set, "games": 400})).unwrap();
    }
    let mut player = host.client();
    let computer = json!({"kind": "computer", "name": "club", "net": 0});
    let players = json!({"attackers": {"kind": "person"}, "defenders": computer});
    player.ask(json!({"do": "new", "rules": {"name": "kvasir"}, "players": players})).unwrap();
    player.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    loop {
        if player.event("state")["ply"] == 2 {
            break;
        }
    }
    for client in &mut busy {
        client.event("analysis");
        client.ask(json!({"do": "stop"})).unwrap();
        client.ask(json!({"do": "analyse", "on": false})).unwrap();
    }
}
