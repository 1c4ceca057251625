//! A text that parses as a rule line of OpenTafl can be played, and is written as a line with the same meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tablut_rules::{RuleSet, Rules, RulesLine};

fuzz_target!(|text: &str| {
    // Most texts lack a valid start.
    let line = format!("dim:9 {text} start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/");
    for line in [text, &line] {
        let Ok(read) = line.parse::<RulesLine>() else { continue };
        assert!(Rules::new(read.set.clone()).is_ok());
        let worded = read.set.to_opentafl(&read.start).expect("what was read can be written");
        assert!(worded.other_endings.is_empty());
        let again: RulesLine = worded.line.parse().expect("what was written can be read");
        let named = |set: RuleSet| RuleSet { name: read.set.name.clone(), source: read.set.source.clone(), ..set };
        assert_eq!((named(again.set), again.start), (read.set.clone(), read.start));
    }
});
