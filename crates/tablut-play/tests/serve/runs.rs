//! A server with a run: it plays with new checkpoints and shows them without a restart.

use super::host::Host;
use serde_json::json;

#[test]
fn a_new_checkpoint_plays_without_a_new_start() {
    let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = Host::start(folder.path(), &["--run", run.path().to_str().unwrap()]);
    let mut client = host.try_client(&format!("http://{}", host.authority)).unwrap();
    let hello = client.event("hello");
    assert_eq!((&hello["nets"], &hello["checkpoints"]), (&json!(["built in"]), &json!([])));
    client.new_game("kvasir");
    let net = tablut_games::shipped_net().expect("the tests are built with the net");
    let checkpoints = run.path().join("checkpoints");
    std::fs::create_dir(&checkpoints).unwrap();
    for generation in 1..3 {
        let name = format!("gen-0000{generation}");
        // A checkpoint appears whole, under its name.
        let unfinished = run.path().join("unfinished");
        std::fs::write(&unfinished, net).unwrap();
        std::fs::rename(&unfinished, checkpoints.join(format!("{name}.safetensors"))).unwrap();
        let hello = client.event("hello");
        assert_eq!(hello["nets"], json!([name]));
        assert_eq!(hello["checkpoints"].as_array().unwrap().len(), generation);
    }
    // The net that has come later answers.
    client.ask(json!({"do": "checkpoints"})).unwrap();
    assert_eq!(client.event("checkpoint-analysis")["checkpoint"], 0);
    assert_eq!(client.event("checkpoint-analysis")["checkpoint"], 1);
}

#[test]
fn several_games_are_exported_as_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    let mut games = Vec::new();
    for rules in ["kvasir", "tartu"] {
        games.push(client.new_game(rules));
        client.ask(json!({"do": "play", "move": "d1-d2"})).unwrap();
    }
    games.push("abcdefgh23456789".to_owned());
    client.ask(json!({"do": "export-games", "games": games})).unwrap();
    let export = client.event("export");
    let list: serde_json::Value = serde_json::from_str(export["text"].as_str().unwrap()).unwrap();
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|game| game["rules"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["kvasir", "tartu"]);
    assert!(client.ask(json!({"do": "export-games", "games": ["abcdefgh23456789"]})).is_err());
}
