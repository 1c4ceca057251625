//! A text that parses as a rule set compiles, can be played and explained, and reads back the same after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tablut_rules::{RuleSet, Rules, Side};

fuzz_target!(|text: &str| {
    let Ok(set) = RuleSet::from_toml(text) else { return };
    assert_eq!(RuleSet::from_toml(&set.to_toml()).as_ref(), Ok(&set));
    assert!(set.explain().iter().all(|topic| !topic.sentences.is_empty()));
    let rules = Rules::new(set).expect("a rule set that has been checked");
    for side in Side::ALL {
        let start = rules.start(side);
        let divided: u64 = rules.perft_divide(&start, 2).iter().map(|(_, count)| count).sum();
        assert_eq!(rules.perft(&start, 2), divided);
    }
});
