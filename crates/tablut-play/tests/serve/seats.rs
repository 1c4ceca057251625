//! Games between two people with a seat each: each person plays one side, and all others can only watch.

use super::host::Host;
use serde_json::json;

#[test]
fn each_seat_plays_its_side_and_others_watch() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut first = host.client();
    first.ask(json!({"do": "new", "rules": {"name": "kvasir"}, "seats": true})).unwrap();
    let game = first.event("game")["game"].as_str().unwrap().to_owned();
    let seats = first.event("seats");
    let (attackers, defenders) = (&seats["attackers"], &seats["defenders"]);
    assert_ne!(attackers, defenders);
    let play = |mv: &str| json!({"do": "play", "move": mv});
    // Who has begun the game has no seat before taking one.
    assert!(first.ask(play("d1-d3")).unwrap_err().contains("watch"));
    assert_eq!(first.event("presence")["attackers"], "free");
    first.ask(json!({"do": "sit", "seat": attackers, "key": "a"})).unwrap();
    assert_eq!(first.event("seat")["side"], "attackers");
    let mut second = host.client();
    second.ask(json!({"do": "open", "game": game})).unwrap();
    assert!(second.ask(json!({"do": "sit", "seat": "0000000000000000"})).is_err());
    second.ask(json!({"do": "sit", "seat": defenders, "key": "d"})).unwrap();
    for presence in [("here", "free"), ("here", "here")] {
        let event = first.presence_with(presence.1);
        assert_eq!((&event["attackers"], &event["defenders"]), (&json!(presence.0), &json!(presence.1)));
    }
    assert!(second.ask(play("d1-d3")).unwrap_err().contains("turn"));
    first.ask(play("d1-d3")).unwrap();
    second.ask(play("e3-f3")).unwrap();
    for request in ["take-back", "analyse", "hint", "back", "move-now"] {
        assert!(first.ask(json!({"do": request, "on": true})).is_err(), "{request}");
    }
    let mut watcher = host.client();
    watcher.ask(json!({"do": "open", "game": game})).unwrap();
    // Whoever opens the same link later only watches.
    let refused = watcher.ask(json!({"do": "sit", "seat": defenders, "key": "other"})).unwrap_err();
    assert!(refused.contains("somebody else has this seat"), "{refused}");
    assert!(watcher.state()["has_seats"] == true);
    assert!(watcher.ask(play("d9-d7")).unwrap_err().contains("watch"));
    // No file that anybody can save tells the secrets.
    watcher.ask(json!({"do": "export", "format": "json"})).unwrap();
    let text = watcher.event("export")["text"].as_str().unwrap().to_owned();
    assert!(!text.contains(attackers.as_str().unwrap()) && !text.contains("seats"), "{text}");
    watcher.ask(json!({"do": "export-games", "games": [game]})).unwrap();
    let text = watcher.event("export")["text"].as_str().unwrap().to_owned();
    assert!(!text.contains("seats"), "{text}");
    assert!(second.ask(json!({"do": "resign", "side": "attackers"})).is_err());
    second.ask(json!({"do": "resign", "side": "defenders"})).unwrap();
    // After the end everybody may look around.
    watcher.ask(json!({"do": "go-to", "node": 0})).unwrap();
    for request in [play("d9-d7"), json!({"do": "back"}), json!({"do": "take-back"})] {
        assert!(watcher.ask(request).unwrap_err().contains("over"));
    }
}

#[test]
fn a_friends_link_opens_one_game_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &["--listen", "0.0.0.0"]);
    let token = host.link.split("token=").nth(1).expect("the link carries a token").to_owned();
    let cookie = format!("tablut-token={token}");
    let mut owner = host.client_at("/ws", &cookie).expect("the owner has the token");
    let other = owner.new_game("kvasir");
    owner.ask(json!({"do": "new", "rules": {"name": "kvasir"}, "seats": true})).unwrap();
    let game = owner.event("game")["game"].as_str().unwrap().to_owned();
    let seat = owner.event("seats")["defenders"].as_str().unwrap().to_owned();
    // The page's files are no secret. The games are.
    assert!(host.get("/").contains("<title>Tablut</title>"));
    for path in ["/ws", &format!("/ws?game={game}&seat=0123"), &format!("/ws?game={other}&seat={seat}")] {
        assert!(host.client_at(path, "").is_err(), "{path}");
    }
    let mut friend = host.client_at(&format!("/ws?game={game}&seat={seat}"), "").expect("the link opens the game");
    friend.ask(json!({"do": "open", "game": game})).unwrap();
    friend.ask(json!({"do": "sit", "seat": seat, "key": "friend"})).unwrap();
    assert_eq!(friend.event("seat")["side"], "defenders");
    for request in [
        json!({"do": "open", "game": other}),
        json!({"do": "new", "rules": {"name": "kvasir"}}),
        json!({"do": "export-games", "games": [other]}),
        json!({"do": "import-games", "text": "[]", "games": []}),
        json!({"do": "taught-nets"}),
        json!({"do": "teach", "rules": {"name": "kvasir"}, "seconds": 60}),
    ] {
        assert!(friend.ask(request.clone()).unwrap_err().contains("for one game"), "{request}");
    }
}

#[test]
fn the_file_of_all_games_is_read_back_without_doubles() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let mut client = host.client();
    let games: Vec<String> = ["kvasir", "masters"].iter().map(|rules| client.new_game(rules)).collect();
    for game in &games {
        client.ask(json!({"do": "open", "game": game})).unwrap();
        client.ask(json!({"do": "comment", "node": 0, "text": "kept"})).unwrap();
        let mv = client.state()["moves"][0]["text"].clone();
        client.ask(json!({"do": "play", "move": mv})).unwrap();
    }
    client.ask(json!({"do": "export-games", "games": games})).unwrap();
    let text = client.event("export")["text"].as_str().unwrap().to_owned();
    client.ask(json!({"do": "import-games", "text": text, "games": [games[0]]})).unwrap();
    let added = client.event("imported-games")["games"].clone();
    assert_eq!((added.as_array().map(Vec::len), added[0]["rules"].as_str()), (Some(1), Some("masters")));
    client.ask(json!({"do": "open", "game": added[0]["game"]})).unwrap();
    assert_eq!(client.state()["ply"], 1);
    let error = client.ask(json!({"do": "import-games", "text": "[{}]", "games": []})).unwrap_err();
    assert!(error.contains("not a list of saved games"), "{error}");
}
