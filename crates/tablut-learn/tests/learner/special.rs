//! Games with unequal searches and balanced openings. Their settings depend on earlier generations, and a resumed run
//! computes the same ones.

use super::runs;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tablut_games::{GameRecord, GenerationFile, read_records};
use tablut_learn::{Run, TrainError};
use tablut_rules::Results;

const CONFIG: &str = r#"
rules = ["kvasir", "ashton"]
shape = "lines32x1"
[schedule]
generations = 5
games = 24
simulations = [[0, 4]]
[selfplay]
max_plies = 30
opening_plies = 3
[learning]
batch_size = 32
draws_per_position = 1.0
[evaluation]
games = 0
rating_share = 0.0
"#;

const ALL: [&str; 2] = ["selfplay.balance=0.01", "selfplay.balanced_openings=3"];

fn run(folder: &Path, overrides: &[&str]) -> Result<Run, TrainError> {
    runs::run(CONFIG, folder, overrides)
}

fn games(run: &Run, generation: u64) -> Vec<GameRecord> {
    read_records(&run.file(GenerationFile::Games, generation)).unwrap().games
}

#[test]
fn the_losing_side_thinks_longer() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), &["selfplay.balance=0.01"]).unwrap();
    let mut n_checked = 0;
    for generation in 1..5_u64 {
        for (place, rules) in run.rules.iter().enumerate() {
            let mut before = Results::default();
            for earlier in generation.saturating_sub(4)..generation {
                let games = games(&run, earlier);
                let ordinary = games.iter().filter(|game| game.rules == rules.name() && game.handicap.is_none());
                before += ordinary.map(|game| game.results(rules)).sum::<Results>();
            }
            let found: BTreeSet<_> = games(&run, generation)
                .iter()
                .filter(|game| game.rules == rules.name())
                .filter_map(|game| game.handicap.simulations)
                .collect();
            assert!(found.len() <= 1, "{found:?}");
            for [attackers, defenders] in found {
                assert_eq!(before.attackers < before.defenders, attackers > defenders, "{before:?}");
                n_checked += 1;
            }
            let told = run.metrics[generation as usize].rule_sets[place].special;
            assert_eq!(told.is_some_and(|told| told.uneven.results.games() > 0), told.is_some());
        }
    }
    assert!(n_checked > 2, "{n_checked} rule sets and generations with unequal searches");
}

#[test]
fn a_generation_done_again_has_the_same_special_games() {
    for lag in ["schedule.lag=0", "schedule.lag=1"] {
        let folder = tempfile::tempdir().unwrap();
        let overrides = [&ALL[..], &[lag]].concat();
        let whole = run(folder.path(), &overrides).unwrap();
        let (path, weights) = (whole.file(GenerationFile::Games, 4), whole.model().weights.hash());
        let before = fs::read(&path).unwrap();
        let state = whole.file(GenerationFile::State, 4);
        drop(whole);
        fs::remove_file(&path).unwrap();
        fs::remove_file(state).unwrap();
        let again = run(folder.path(), &overrides).unwrap();
        assert!(fs::read(&path).unwrap() == before, "{lag}: the games are others");
        assert_eq!(again.model().weights.hash(), weights, "{lag}");
    }
}

#[test]
fn keys_out_of_range_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for key in ["selfplay.balance=1.0", "selfplay.balanced_openings=65"] {
        let error = run(folder.path(), &[key]).err().unwrap().to_string();
        assert!(error.contains(key.split('=').next().unwrap()), "{error}");
    }
}
