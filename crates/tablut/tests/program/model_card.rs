//! `tablut model card`: writes a card into a model file.

use std::fs;

use super::tiny::{Tiny, refused, stdout, text};
use tablut_net::Model;

const TEXT: &str =
    "about = \"A net for tests.\"\nlicence = \"MIT\"\nweaknesses = [\"It loses.\"]\ncommand = \"tablut evaluate\"\n";

#[test]
fn a_card_is_written_and_shown_and_does_not_change_the_weights() {
    let tiny = Tiny::new();
    let (model, card, scores, out) =
        (tiny.model(), tiny.path("card.toml"), tiny.path("scores.json"), tiny.path("with.tablut"));
    fs::write(&card, TEXT).unwrap();
    let config = tiny.path("run.toml");
    fs::write(&config, "seed = 1\n").unwrap();
    let evaluated =
        stdout(&["evaluate", text(&model), "--games", "4", "--simulations", "4", "--against", "random", "--json"]);
    // A loop over rule sets writes several objects one after another.
    fs::write(&scores, format!("{evaluated}\n{evaluated}")).unwrap();
    let command = ["model", "card", text(&model), "--text", text(&card), "--config", text(&config)];
    stdout(&[&command[..], &["--scores", text(&scores), "--out", text(&out)]].concat());
    let (before, after) = (Model::load(&model).unwrap(), Model::load(&out).unwrap());
    assert_eq!((before.weights.hash(), &before.training), (after.weights.hash(), &after.training));
    let scores = &after.card.as_ref().unwrap().scores;
    assert_eq!((scores.len(), scores[0].games, &*scores[0].play, &*scores[0].opponent), (2, 4, "4", "random"));
    let shown = stdout(&["model", "info", text(&out)]);
    for part in ["A net for tests.", "Licence: MIT", "- It loses.", "random", "Measured by: tablut evaluate"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(stdout(&["model", "info", text(&out), "--config"]), "seed = 1\n");
    let json: serde_json::Value = serde_json::from_str(&stdout(&["model", "info", text(&out), "--json"])).unwrap();
    assert_eq!(json["card"]["licence"], "MIT");
}

#[test]
fn invalid_cards_are_rejected() {
    let tiny = Tiny::new();
    let model = tiny.model();
    let (card, out) = (tiny.path("card.toml"), tiny.path("with.tablut"));
    let refusal = |toml: &str, more: &[&str]| {
        fs::write(&card, toml).unwrap();
        let command = ["model", "card", text(&model), "--text", text(&card), "--out", text(&out)];
        refused(&[&command[..], more].concat())
    };
    assert!(refusal("price = 3\n", &[]).contains("price"));
    assert!(refusal("licence = \"\\u001b[31m\"\n", &[]).contains("control characters"));
    let scores = tiny.path("scores.json");
    fs::write(&scores, "{}").unwrap();
    assert!(refusal(TEXT, &["--scores", text(&scores)]).contains("expected the output of `evaluate --json`"));
    fs::write(&scores, "").unwrap();
    assert!(refusal(TEXT, &["--scores", text(&scores)]).contains("contains no match"));
    assert!(refusal(TEXT, &["--config", "no-such.toml"]).contains("no-such.toml"));
    assert!(
        refused(&["model", "info", text(&model), "--config"]).contains("does not contain the config of its training")
    );
    assert!(!out.exists());
}
