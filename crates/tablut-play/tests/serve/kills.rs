//! A server that is killed at any moment and restarted has every move that it had confirmed.

use super::host::Host;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tablut_rules::{Rules, Side};
use tablut_session::{MAX_COMMENT, MAX_NODES, NodeId, Players, Session};

#[test]
fn a_kill_and_a_restart_lose_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for round in 0..4 {
        let host = Host::start(folder.path(), &[]);
        let mut client = host.client();
        let name = client.new_game("masters");
        let mut played = Vec::new();
        for step in 0..=round {
            let state = client.state();
            let moves = state["moves"].as_array().unwrap();
            let mv = moves[(7 * step + 3) % moves.len()]["text"].as_str().unwrap().to_owned();
            client.ask(json!({"do": "play", "move": mv})).unwrap();
            played.push(mv);
        }
        client.ask(json!({"do": "comment", "node": 0, "text": format!("game {round}")})).unwrap();
        host.kill();
        names.push((name, played));
    }
    let host = Host::start(folder.path(), &[]);
    for (round, (name, played)) in names.iter().enumerate() {
        let mut client = host.client();
        client.ask(json!({"do": "open", "game": name})).unwrap();
        let state = client.state();
        let tree = state["tree"].as_array().unwrap();
        let moves: Vec<&str> = tree.iter().filter_map(|node| node["move"].as_str()).collect();
        assert_eq!(moves, *played, "game {round}");
        assert_eq!(tree[0]["comment"], format!("game {round}"));
    }
}

#[test]
fn a_damaged_game_is_named_and_the_others_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    let mut names = Vec::new();
    for _ in 0..2 {
        names.push(client.new_game("kvasir"));
        client.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    }
    host.kill();
    let path = folder.path().join(format!("{}.json", names[0]));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("d1-d3", "d1-d9")).unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    let error = client.ask(json!({"do": "open", "game": names[0]})).unwrap_err();
    assert!(error.contains(&names[0]) && error.contains("d1-d9"), "{error}");
    client.ask(json!({"do": "open", "game": names[1]})).unwrap();
}

#[test]
fn a_second_server_of_a_folder_names_the_option_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    let game = client.new_game("kvasir");
    let mut second = Command::new(super::PROGRAM)
        .args(["serve", "--port", "0", "--folder"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut link = String::new();
    BufReader::new(second.stdout.take().unwrap()).read_line(&mut link).unwrap();
    let _ = second.kill();
    let second = second.wait_with_output().unwrap();
    assert_eq!((link.as_str(), second.status.code()), ("", Some(2)));
    let error = String::from_utf8(second.stderr).unwrap();
    assert!(error.contains(folder.path().to_str().unwrap()) && error.contains("--folder"), "{error}");
    assert!(error.contains("(process "), "{error}");
    client.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.kill();
    Host::start(folder.path(), &[]).client().ask(json!({"do": "open", "game": game})).unwrap();
}

#[test]
fn the_longest_game_can_be_opened() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let mut session = Session::new(rules, Side::Attackers, Players::people());
    // The first moves of each position, breadth first, until the game is full.
    for id in 0.. {
        if session.tree().len() == MAX_NODES {
            break;
        }
        session.go_to(NodeId(id)).unwrap();
        for mv in session.moves().unwrap().into_iter().take(MAX_NODES - session.tree().len()).take(5) {
            session.play(mv).unwrap();
            session.undo().unwrap();
        }
    }
    // In JSON each of these characters takes six bytes.
    let comment = "\u{1}".repeat(MAX_COMMENT);
    let commented = (0..MAX_NODES as u32).take_while(|id| session.comment(NodeId(*id), &comment).is_ok()).count();
    assert!(commented > 100, "{commented} comments");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("abcdefgh23456789.json"), session.saved().to_json()).unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    client.ask(json!({"do": "open", "game": "abcdefgh23456789"})).unwrap();
    assert_eq!(client.state()["tree"].as_array().unwrap().len(), MAX_NODES);
    let error = client.ask(json!({"do": "comment", "node": MAX_NODES - 1, "text": comment})).unwrap_err();
    assert!(error.contains("expected at most"), "{error}");
}
