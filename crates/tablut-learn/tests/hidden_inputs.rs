//! A net never comes to read an input that its config hides from it.

mod runs;

use std::fs;

use tablut_learn::Run;
use tablut_net::{OptionalInput, Weights};

const CONFIG: &str = r#"
rules = ["kvasir"]
shape = "b1c16"
[schedule]
generations = 1
games = 8
simulations = [[0, 4]]
[selfplay]
max_plies = 30
[learning]
batch_size = 32
draws_per_position = 1.0
hidden_inputs = ["king-ways", "repetitions", "move-ends", "captures", "rule-features"]
"#;

/// The weights of the inputs that every net reads, and of those that [`CONFIG`] hides.
fn weights(run: &Run) -> [Weights; 2] {
    let weights = run.learner.weights();
    [weights.clone(), weights.without(&OptionalInput::ALL)]
}

#[test]
fn the_weights_of_hidden_inputs_stay_zero() {
    for kind in ["muon", "adamw"] {
        let folder = tempfile::tempdir().unwrap();
        let kind = format!("optimizer.kind={kind}");
        let run = runs::run(CONFIG, folder.path(), &[&kind]).unwrap();
        let [learnt, without] = weights(&run);
        assert_eq!(learnt, without, "{kind}");
        let initial = run.config.initial_weights();
        for name in ["trunk.input.weight", "trunk.features.weight"] {
            assert_ne!(learnt.get(name), initial.get(name), "{kind}: {name} has not learnt");
        }
        let other = tempfile::tempdir().unwrap();
        let reading = runs::run(CONFIG, other.path(), &[&kind, "learning.hidden_inputs=[]"]).unwrap();
        let [learnt, without] = weights(&reading);
        assert_ne!(learnt, without, "{kind}");
    }
}

#[test]
fn inputs_cannot_be_hidden_from_a_net_that_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    drop(runs::run(CONFIG, folder.path(), &["learning.hidden_inputs=[]"]).unwrap());
    let path = folder.path().join("run/config.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("hidden_inputs = []"), "{text}");
    fs::write(&path, text.replace("hidden_inputs = []", "hidden_inputs = [\"captures\"]")).unwrap();
    let more = ["schedule.generations=2", "learning.hidden_inputs=[\"captures\"]"];
    let refused = runs::run(CONFIG, folder.path(), &more).map(drop).unwrap_err().to_string();
    assert!(refused.contains("learning.hidden_inputs: the net in"), "{refused}");
    fs::write(&path, text).unwrap();
    let more = ["schedule.generations=2", "learning.hidden_inputs=[]"];
    assert_eq!(runs::run(CONFIG, folder.path(), &more).unwrap().next_generation, 2);
}
