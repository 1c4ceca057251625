//! A text that parses as a training config keeps its meaning when it is written. Error messages have a limited length
//! and no control characters.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tablut_learn::TrainConfig;

fuzz_target!(|data: (String, Option<String>)| {
    let (text, assignment) = data;
    let path = Path::new("fuzz.toml");
    // Most texts lack the required keys.
    let with_keys = format!("rules = [\"kvasir\"]\nshape = \"lines32x1\"\n{text}");
    let overrides: Vec<String> = assignment.into_iter().collect();
    for text in [&text, &with_keys] {
        match TrainConfig::parse(text, path, &overrides) {
            Ok(config) => {
                let again = TrainConfig::parse(&config.to_toml(), path, &[]).expect("a config that was just written");
                assert_eq!(again.to_toml(), config.to_toml());
                let _ = config.memory_bounds().to_string();
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.len() < 20_000, "{} bytes", message.len());
                assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
            }
        }
    }
});
