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
    first.ask(json!({"do": "sit", "seat": attackers})).unwrap();
    assert_eq!(first.event("seat")["side"], "attackers");
    let mut second = host.client();
    second.ask(json!({"do": "open", "game": game})).unwrap();
    assert!(second.ask(json!({"do": "sit", "seat": "0000000000000000"})).is_err());
    second.ask(json!({"do": "sit", "seat": defenders})).unwrap();
    assert!(second.ask(play("d1-d3")).unwrap_err().contains("turn"));
    first.ask(play("d1-d3")).unwrap();
    second.ask(play("e3-f3")).unwrap();
    for request in ["take-back", "analyse", "hint", "back", "move-now"] {
        assert!(first.ask(json!({"do": request, "on": true})).is_err(), "{request}");
    }
    let mut watcher = host.client();
    watcher.ask(json!({"do": "open", "game": game})).unwrap();
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
