//! Compares the quickstart's config with the defaults.

use std::path::Path;

use tablut_learn::{TrainConfig, differences};

#[test]
fn a_config_of_two_lines_is_the_quickstart_apart_from_its_budget() {
    let quickstart = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/quickstart.toml");
    let quickstart = TrainConfig::load(&quickstart, &[]).unwrap();
    let two_lines = "rules = [\"kvasir\"]\nshape = \"lines32x2\"\n";
    let two_lines = TrainConfig::parse(two_lines, Path::new("two-lines.toml"), &[]).unwrap();
    let budget = ["schedule.generations", "schedule.games"];
    let others: Vec<_> = differences(&quickstart, &two_lines)
        .into_iter()
        .filter(|difference| !budget.contains(&difference.key.as_str()))
        .collect();
    assert!(others.is_empty(), "{others:?}");
    assert_eq!(TrainConfig::new(vec!["kvasir".to_owned()]), two_lines, "the library's defaults");
}
