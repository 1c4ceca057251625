//! A run can begin with a net that is already trained.

use super::runs;
use std::fs;
use std::path::PathBuf;

use tablut_games::GenerationFile;
use tablut_learn::{Run, TrainConfig};
use tablut_net::{Architecture, Model, Weights};
use tempfile::TempDir;

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
"#;

/// A folder for a run, and a trained net in it.
struct Place {
    folder: TempDir,
    net: PathBuf,
}

impl Place {
    fn new() -> Self {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let run = runs::run(CONFIG, other.path(), &["seed=9"]).unwrap();
        let net = folder.path().join("net.safetensors");
        fs::copy(run.file(GenerationFile::Model, 0), &net).unwrap();
        Self { folder, net }
    }

    /// The override that names the net.
    fn start(&self) -> String {
        format!("start={}", self.net.display())
    }

    /// Trains to the end with more overrides.
    fn run(&self, more: &[&str]) -> Result<Run, String> {
        let start = self.start();
        let overrides: Vec<&str> = [start.as_str()].iter().chain(more).copied().collect();
        runs::run(CONFIG, self.folder.path(), &overrides).map_err(|error| error.to_string())
    }

    /// The error message of a run that cannot start or continue.
    fn refusal(&self, more: &[&str]) -> String {
        self.run(more).map(drop).unwrap_err()
    }

    /// Opens the run without training.
    fn open(&self, start: &[String]) -> Run {
        let path = self.folder.path().join("given.toml");
        fs::write(&path, CONFIG).unwrap();
        Run::open(&self.folder.path().join("run"), TrainConfig::load(&path, start).unwrap()).unwrap()
    }
}

#[test]
fn a_run_begins_with_the_net_that_the_config_names() {
    let place = Place::new();
    let net = Model::load(&place.net).unwrap();
    let run = place.open(&[place.start()]);
    assert_eq!(run.learner.weights(), net.weights);
    assert_eq!(run.training.start, Some(net.weights.hash()));
    assert_eq!(run.training.games, 0);
    let id = run.id();
    drop(run);
    let untrained = Place::new();
    assert_ne!(untrained.open(&[]).id(), id, "results are a function of the net, too");
    let run = place.run(&[]).unwrap();
    let learnt = run.model();
    assert_ne!(learnt.weights, net.weights);
    assert_eq!((learnt.training.start, learnt.training.games), (Some(net.weights.hash()), 8));
}

#[test]
fn it_goes_on_without_the_file_and_ends_with_the_same_bits() {
    let with_file = Place::new();
    drop(with_file.run(&["schedule.lag=1"]).unwrap());
    let with_file = with_file.run(&["schedule.generations=2", "schedule.lag=1"]).unwrap();
    let place = Place::new();
    drop(place.run(&["schedule.lag=1"]).unwrap());
    fs::remove_file(&place.net).unwrap();
    let missing = place.refusal(&["schedule.generations=2", "schedule.lag=1"]);
    assert!(missing.contains("net.safetensors"), "{missing}");
    let path = place.folder.path().join("run/config.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("generations = 1", "generations = 2")).unwrap();
    let run = runs::resume(&place.folder.path().join("run")).unwrap();
    assert_eq!(run.next_generation, 2);
    assert_eq!(run.model().weights.hash(), with_file.model().weights.hash());
}

#[test]
fn another_net_or_shape_is_refused() {
    let place = Place::new();
    drop(place.run(&[]).unwrap());
    let mut other = Model::load(&place.net).unwrap();
    other.weights = Weights::initial(&other.weights.architecture(), 77);
    other.save(&place.net).unwrap();
    let refused = place.refusal(&["schedule.generations=2"]);
    assert!(refused.contains("the net in `start`") && refused.contains(&other.weights.hash()), "{refused}");
    other.weights = Weights::initial(&"lines32x2".parse::<Architecture>().unwrap(), 77);
    other.save(&place.net).unwrap();
    let refused = place.refusal(&["schedule.generations=2"]);
    assert!(
        refused.contains("net.safetensors contains a net of shape lines32x2, expected the config's lines32x1"),
        "{refused}"
    );
    let untrained = runs::run(CONFIG, place.folder.path(), &[]).map(drop).unwrap_err().to_string();
    assert!(untrained.contains("start: was"), "{untrained}");
}
