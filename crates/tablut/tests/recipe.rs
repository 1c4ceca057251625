//! Compares the quickstart's config with the defaults.

use std::path::Path;

use tablut_learn::{TrainConfig, differences};

#[test]
fn a_config_with_only_rules_is_the_quickstart() {
    let quickstart = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/quickstart.toml");
    let quickstart = TrainConfig::load(&quickstart, &[]).unwrap();
    let rules_only = TrainConfig::parse("rules = [\"kvasir\"]\n", Path::new("rules.toml"), &[]).unwrap();
    let differences = differences(&quickstart, &rules_only);
    assert!(differences.is_empty(), "{differences:?}");
    assert_eq!(TrainConfig::new(vec!["kvasir".to_owned()]), rules_only, "the library's defaults");
}
