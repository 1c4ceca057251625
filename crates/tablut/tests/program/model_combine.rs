//! `tablut model combine`: a combined net plays under each rule set with the weights for it.

use std::path::PathBuf;

use super::tiny::{Tiny, refused, stdout, text};
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};
use tablut_rules::RuleSet;

/// A net with random weights whose file states that it was trained on `rules`.
fn net(tiny: &Tiny, name: &str, shape: &str, rules: &[&str]) -> PathBuf {
    let path = tiny.path(name);
    let seed = name.len() as u64 + 7;
    let weights = Weights::initial(&shape.parse().unwrap(), seed);
    let training = TrainingSummary { games: 10, play_simulations: 4, ..TrainingSummary::default() };
    let rules = rules.iter().map(|name| StatedRules::of(&tablut_rules::Rules::named(name).unwrap())).collect();
    Model { weights, rules, training, card: None }.save(&path).unwrap();
    path
}

#[test]
fn a_combined_net_plays_each_rule_set_with_its_own_weights() {
    let tiny = Tiny::new();
    let general = net(&tiny, "general", "b1c16", &["kvasir", "tartu"]);
    let own = net(&tiny, "own", "b1c16", &["masters"]);
    let out = tiny.path("both.tablut");
    let said = stdout(&["model", "combine", text(&general), text(&own), "--out", text(&out)]);
    assert!(said.contains("both.tablut") && said.contains("masters"), "{said}");
    let (model, masters) = (Model::load(&out).unwrap(), RuleSet::named("masters").unwrap());
    let (whole, alone) = (Model::load(&general).unwrap(), Model::load(&own).unwrap());
    assert_eq!(model.weights.for_rules(&masters), alone.weights);
    assert_eq!(model.weights.general(), whole.weights);
    assert_eq!((model.rules.len(), model.training.games), (3, 20));
    let info = stdout(&["model", "info", text(&out)]);
    assert!(info.contains("own weights  masters"), "{info}");
    let analysis = |net: &PathBuf, rules: &str| {
        let simulations = ["--simulations", "8", "--rules", rules, "--json"];
        let shown = stdout(&[&["analyze", text(net)][..], &simulations].concat());
        let json: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert!(json["net"]["draw"].is_number(), "{shown}");
        json["net"].clone()
    };
    assert_eq!(analysis(&out, "masters"), analysis(&own, "masters"));
    assert_eq!(analysis(&out, "kvasir"), analysis(&general, "kvasir"));
    assert_ne!(analysis(&out, "masters"), analysis(&general, "masters"));
    let export = |net: &PathBuf, name: &str, more: &[&str]| {
        let path = tiny.path(name);
        stdout(&[&["model", "export", text(net), "--onnx", text(&path)][..], more].concat());
        std::fs::read(path).unwrap()
    };
    // The file names the exported weights and their rules.
    let says = |file: &[u8], text: &str| file.windows(text.len()).any(|part| part == text.as_bytes());
    let part = export(&out, "part.onnx", &["--rules", "masters"]);
    assert!(says(&part, &alone.weights.hash()) && says(&part, "masters") && !says(&part, "kvasir"));
    let general = export(&out, "general.onnx", &[]);
    assert!(says(&general, &whole.weights.hash()) && says(&general, "kvasir,tartu") && !says(&general, "masters"));
    let rest = export(&out, "rest.onnx", &["--rules", "tartu"]);
    assert!(says(&rest, &whole.weights.hash()) && says(&rest, "tartu") && !says(&rest, "kvasir"));
}

#[test]
fn nets_that_cannot_be_combined_are_rejected() {
    let tiny = Tiny::new();
    let general = net(&tiny, "general", "b1c16", &["kvasir"]);
    let [one, other] = ["one", "other"].map(|name| net(&tiny, name, "b1c16", &["masters"]));
    let larger = net(&tiny, "larger", "b1c32", &["masters"]);
    let out = tiny.path("both.tablut");
    let refusal = |nets: &[&PathBuf]| {
        let nets: Vec<&str> = nets.iter().map(|path| text(path)).collect();
        refused(&[&["model", "combine", text(&general)][..], &nets, &["--out", text(&out)]].concat())
    };
    let twice = refusal(&[&one, &other]);
    assert!(twice.contains("trained on masters") && twice.contains("already plays"), "{twice}");
    let shape = refusal(&[&larger]);
    assert!(shape.contains("larger") && shape.contains("b1c32") && shape.contains("b1c16"), "{shape}");
    assert!(!out.exists());
}
