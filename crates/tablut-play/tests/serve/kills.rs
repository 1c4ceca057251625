//! A server that is killed at any moment and started again has every move that it had told of.

use super::host::Host;
use serde_json::json;

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
