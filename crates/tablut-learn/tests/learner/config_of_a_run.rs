//! A run stores its config in its states. It detects edits of `config.toml`, and does not need the files that the
//! config names.

use super::runs;
use std::fs;
use std::path::Path;

use tablut_games::GenerationFile;
use tablut_learn::{Run, TrainConfig};
use tablut_net::{Architecture, Model, TrainingSummary, Weights};

const CONFIG: &str = r#"
rules = ["kvasir"]
shape = "lines32x1"
[schedule]
generations = 1
games = 8
simulations = [[0, 4]]
[selfplay]
max_plies = 30
[learning]
batch_size = 32
draws_per_position = 1.0
value_share = 0.25
"#;

/// Replaces `from` in the run's own config.
fn edit(run: &Path, from: &str, to: &str) {
    let path = run.join("config.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

#[test]
fn an_edit_of_a_runs_config_is_refused_unless_its_keys_are_safe() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    drop(runs::run(CONFIG, folder.path(), &[]).unwrap());
    edit(&run, "value_share = 0.25", "value_share = 0.75");
    edit(&run, "generations = 1", "generations = 2");
    let refused = runs::resume(&run).map(drop).unwrap_err().to_string();
    assert!(refused.contains("learning.value_share: was 0.25, is 0.75"), "{refused}");
    assert!(!refused.contains("generations"), "only what may not change is named: {refused}");
    edit(&run, "value_share = 0.75", "value_share = 0.25");
    let resumed = runs::resume(&run).unwrap();
    let changed: Vec<_> = resumed.changed.iter().map(|change| (change.key.as_str(), change.after.as_str())).collect();
    let expected = [("schedule.generations", "2"), ("the learning rate of generation 1", "0.003")];
    assert_eq!((changed, resumed.next_generation), (expected.to_vec(), 2));
}

#[test]
fn an_extended_run_can_keep_its_low_learning_rate() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    drop(runs::run(CONFIG, folder.path(), &[]).unwrap());
    let resumed = ["schedule.generations=2", "learning.decay_share=1.0"].map(str::to_owned);
    let resumed = Run::resume(&run, &resumed).unwrap();
    let keys: Vec<_> = resumed.changed.iter().map(|change| change.key.as_str()).collect();
    assert_eq!(keys, ["learning.decay_share", "schedule.generations", "the learning rate of generation 1"]);
    let rate: f32 = resumed.changed[2].after.parse().unwrap();
    assert!(rate < 0.6 * 0.003, "{rate}");
}

#[test]
fn every_checkpoint_has_the_config_without_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let run = runs::run(CONFIG, folder.path(), &["machine.workers=1"]).unwrap();
    let config = Model::load(&run.file(GenerationFile::Model, 0)).unwrap().training.config;
    assert!(config.contains("value_share = 0.25") && !config.contains("machine"), "{config}");
    let read = TrainConfig::parse(&config, Path::new("model"), &[]).unwrap();
    assert_eq!(TrainConfig { machine: run.config.machine.clone(), ..read }, run.config);
}

#[test]
fn paths_are_relative_to_the_config_and_the_run_needs_none_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let configs = folder.path().join("configs");
    fs::create_dir(&configs).unwrap();
    let weights = Weights::initial(&"lines32x1".parse::<Architecture>().unwrap(), 7);
    let net = Model { weights, rules: Vec::new(), training: TrainingSummary::default(), card: None };
    net.save(&folder.path().join("net.tablut")).unwrap();
    net.save(&configs.join("b.tablut")).unwrap();
    fs::write(configs.join("mine.toml"), "base = \"kvasir\"\nname = \"own\"\nmax-plies = 100\n").unwrap();
    let text = CONFIG.replace("rules = [\"kvasir\"]", "rules = [\"mine.toml\"]\nstart = \"../net.tablut\"")
        + "[evaluation]\nagainst = [\"greedy\", \"net:../net.tablut@4\", \"a=policy:b.tablut\", \"net:shipped@64\"]\n";
    let path = configs.join("given.toml");
    fs::write(&path, text).unwrap();
    let config = TrainConfig::load(&path, &[]).unwrap();
    let inside = |name: &str| configs.join(name).display().to_string();
    assert_eq!(config.start, Some(configs.join("../net.tablut")));
    assert_eq!(config.rules, [inside("mine.toml")]);
    let against =
        ["greedy", &format!("net:{}@4", inside("../net.tablut")), &format!("a=policy:{}", inside("b.tablut"))];
    assert_eq!(config.evaluation.against, [&against[..], &["net:shipped@64"]].concat());

    let run = folder.path().join("run");
    let finished = runs::train_to_the_end(tablut_learn::Run::open(&run, config).unwrap()).unwrap();
    assert_eq!(finished.config.rules, ["own"]);
    let kept = finished.config.evaluation.against.clone();
    assert!(kept[1].starts_with("net:opponents/net-") && kept[1].ends_with(".tablut@4"), "{kept:?}");
    assert!(kept[2].starts_with("a=policy:opponents/b-") && kept[3] == "net:shipped@64", "{kept:?}");
    let opponent = finished.opponents()[2].strip_prefix("a=policy:").map(|file| Model::load(Path::new(file)));
    assert_eq!(opponent.unwrap().unwrap().weights.hash(), net.weights.hash());
    drop(finished);
    fs::remove_dir_all(&configs).unwrap();
    fs::remove_file(folder.path().join("net.tablut")).unwrap();
    edit(&run, "generations = 1", "generations = 2");
    let moved = folder.path().join("moved");
    fs::rename(&run, &moved).unwrap();
    let resumed = runs::resume(&moved).unwrap();
    assert_eq!((resumed.next_generation, &resumed.config.evaluation.against), (2, &kept));
    let differs = |change: &tablut_learn::Difference| change.key.contains("evaluation");
    assert!(!resumed.changed.iter().any(differs), "{:?}", resumed.changed);
}
