//! Rule files: the built-in ones, users' files, and the errors in wrong ones.

use tablut_rules::{BoardSize, Landing, RULE_SET_NAMES, RuleSet, RuleSetError, Rules};

fn fault(toml: &str) -> String {
    RuleSet::from_toml(toml).expect_err("a faulty rule set").to_string()
}

#[test]
fn built_in_sets_are_named_as_their_files_and_round_trip() {
    for name in RULE_SET_NAMES {
        let set = RuleSet::named(name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(set.name, name);
        assert_eq!(RuleSet::from_toml(&set.to_toml()).as_ref(), Ok(&set), "{name}");
        assert_eq!(Rules::new(set.clone()).map(|rules| rules.set().clone()).as_ref(), Ok(&set), "{name}");
    }
}

#[test]
fn built_in_sets_differ_in_their_data() {
    let mut datas: Vec<String> = RULE_SET_NAMES
        .iter()
        .map(|name| RuleSet { name: String::new(), source: String::new(), ..RuleSet::named(name).expect("a set") })
        .map(|set| format!("{set:?}"))
        .collect();
    datas.sort();
    datas.dedup();
    assert_eq!(datas.len(), RULE_SET_NAMES.len());
}

#[test]
fn a_base_with_overrides_changes_only_what_it_says() {
    let text = "base = \"kvasir\"\nname = \"mine\"\n[throne]\nlanding = \"nobody\"\n";
    let mine = RuleSet::from_toml(text).expect("a variant");
    let kvasir = RuleSet::named("kvasir").expect("a set");
    assert_eq!((mine.name.as_str(), mine.throne.landing), ("mine", Landing::Nobody));
    assert_eq!(mine.source, "a variant of kvasir");
    let mut undone = mine.clone();
    undone.throne.landing = kvasir.throne.landing;
    undone.name.clone_from(&kvasir.name);
    undone.source.clone_from(&kvasir.source);
    assert_eq!(undone, kvasir);
}

#[test]
fn a_user_file_is_loaded_by_its_path_and_named_after_it() {
    let folder = std::env::temp_dir().join(format!("tablut-rule-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let short = write("short-king.toml", "base = \"kvasir\"\n[king]\nreach = 3\n");
    let rules = Rules::load(&short).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((rules.name(), rules.set().king.reach), ("short-king", 3));
    let spaced = Rules::load(&write("my rules.toml", "base = \"kvasir\"\n")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(spaced.name(), "my-rules");
    let broken = write("broken.toml", "base = \"kvasir\"\n[king]\nreach = 9\n");
    let error = Rules::load(&broken).expect_err("out of range").to_string();
    assert_eq!(error, format!("{broken} contradicts itself: king.reach = 9, expected 1 to 8 on 9 × 9 squares"));
    let missing = folder.join("missing.toml").to_string_lossy().into_owned();
    assert!(matches!(Rules::load(&missing), Err(RuleSetError::Unreadable { path, .. }) if path == missing));
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let error = Rules::load("kvasr").expect_err("no such set").to_string();
    assert!(
        error.starts_with("no rule set \"kvasr\": expected a path ending in .toml or one of piecepack,"),
        "{error}"
    );
    assert!(error.contains("kvasir") && error.contains("ashton"));
    let base = fault("base = \"kvasr\"");
    assert!(base.contains("\"kvasr\""), "{base}");
}

#[test]
fn misspelt_keys_and_values_are_shown_with_what_was_expected() {
    let key = fault("base = \"kvasir\"\n[king]\nraech = 3");
    assert!(key.contains("raech") && key.contains("reach"), "{key}");
    let table = fault("base = \"kvasir\"\n[knig]\nreach = 3");
    assert!(table.contains("knig"), "{table}");
    let value = fault("base = \"kvasir\"\nescape = \"side\"");
    assert!(value.contains("side") && value.contains("edge-outside-camps"), "{value}");
    let kind = fault("base = \"kvasir\"\n[king]\narmed = \"yes\"");
    assert!(kind.contains("found the text \"yes\", expected true or false"), "{kind}");
    let missing = fault("name = \"bare\"");
    assert!(missing.contains("missing field"), "{missing}");
    assert!(fault("base = 3").contains("expected the name of a built-in rule set"));
    assert!(fault("not toml").contains("line 1"));
}

#[test]
fn contradictions_name_their_keys() {
    for (toml, keys) in [
        ("base = \"ludoteka\"\n[corners]\nlanding = \"nobody\"", ["escape", "corners.landing"]),
        ("base = \"linnaeus\"\nescape = \"edge\"", ["escape", "camps.entry"]),
        ("base = \"kvasir\"\nescape = \"edge-outside-camps\"", ["escape", "camps.entry"]),
        ("base = \"kvasir\"\nno-capture-plies = 9\nmax-plies = 8", ["no-capture-plies = 9", "max-plies = 8"]),
        ("base = \"masters\"\n[corners]\nhostile-to-king = true", ["corners.hostile-to-king", "king.elsewhere"]),
        ("base = \"masters\"\n[camps]\nhostile-to-king = \"all\"", ["camps.hostile-to-king", "king.elsewhere"]),
        ("base = \"kvasir\"\n[throne]\nhostile-to-king = \"always\"", ["throne.hostile-to-king", "king.beside-throne"]),
        ("base = \"tartu\"\n[king]\nthrone-closes = true", ["king.throne-closes", "king.beside-throne"]),
        ("base = \"kvasir\"\n[king]\nedge-closes = true", ["king.edge-closes", "king.elsewhere"]),
        ("base = \"kvasir\"\n[king]\ncorner-closes = true", ["king.corner-closes", "king.elsewhere"]),
        ("base = \"tartu\"\n[captures]\npinned-defender = true", ["captures.pinned-defender", "king.on-throne"]),
        (
            "base = \"ashton\"\n[captures]\npinned-defender = true",
            ["captures.pinned-defender", "throne.hostile-to-defenders"],
        ),
        ("base = \"kvasir\"\n[repetition]\noccurrences = 1", ["repetition.occurrences = 1", "at least 2"]),
        ("base = \"kvasir\"\nmax-plies = 0", ["max-plies = 0", "at least 1"]),
        ("base = \"kvasir\"\n[king]\nreach = 0", ["king.reach = 0", "1 to 8"]),
        ("base = \"kvasir\"\nname = \"\"", ["name", "letters"]),
        ("base = \"kvasir\"\nname = \"../../escaped\"", ["name = \"../../escaped\"", "letters"]),
        ("base = \"kvasir\"\nname = \"/tmp/escaped\"", ["name = \"/tmp/escaped\"", "letters"]),
        ("base = \"kvasir\"\nname = \"red\\u001b[31m\"", ["name = ", "letters"]),
        ("base = \"kvasir\"\nsource = \"red\\u001b[31m\"", ["source = \"red\\u{1b}[31m\"", "plain text"]),
    ] {
        let error = fault(toml);
        assert!(error.contains("contradicts itself"), "{error}");
        assert!(keys.iter().all(|key| error.contains(key)), "{toml}: {error}");
    }
}

#[test]
fn messages_repeat_little_of_a_file_and_nothing_that_steers_a_terminal() {
    let nested = format!("base = \"kvasir\"\nx = {}", "[".repeat(400_000));
    for text in [nested.as_str(), "base = \"\u{1b}[31m\"", "base = \"kvasir\"\n\"\u{1b}[31m\" = 3", "\u{1b}[31m"] {
        let error = fault(text);
        assert!(error.len() < 4_000, "{} bytes of message", error.len());
        assert!(!error.contains('\u{1b}'), "{error:?}");
    }
}

#[test]
fn all_contradictions_are_told_at_once() {
    let error = fault("base = \"kvasir\"\nmax-plies = 0\n[king]\nreach = 12\nedge-closes = true");
    for key in ["max-plies", "king.reach = 12", "king.edge-closes"] {
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_long_text_is_refused_before_it_is_read() {
    let comment = |length: usize| format!("base = \"kvasir\"\n#{}", "x".repeat(length - 17));
    assert!(RuleSet::from_toml(&comment(65_536)).is_ok());
    assert!(fault(&comment(65_537)).contains("65537 bytes, expected at most 65536"));
}

#[test]
fn a_contradiction_with_the_base_names_the_keys_that_come_from_it() {
    let text = "base = \"ludoteka\"\n[king]\non-throne = \"between-two\"\nbeside-throne = \"between-two\"\nelsewhere = \"between-two\"\n";
    let error = RuleSet::from_toml(text).unwrap_err().to_string();
    assert!(error.contains("king.edge-closes has no effect"), "{error}");
    let (_, inherited) = error.split_once("this file does not set ").expect("it names the base");
    assert!(inherited.contains("king.edge-closes") && inherited.ends_with("so base = \"ludoteka\" does"), "{error}");
    assert!(!inherited.contains("king.elsewhere"), "{error}");
}

#[test]
fn the_rules_of_a_run_with_one_rule_set_are_a_rule_file() {
    let kvasir = RuleSet::named("kvasir").unwrap();
    let one = toml::to_string(&std::collections::BTreeMap::from([("kvasir", &kvasir)])).unwrap();
    assert_eq!(RuleSet::from_toml(&one).unwrap(), kvasir);
    let tartu = RuleSet::named("tartu").unwrap();
    let two = toml::to_string(&std::collections::BTreeMap::from([("kvasir", &kvasir), ("tartu", &tartu)])).unwrap();
    let error = RuleSet::from_toml(&two).unwrap_err().to_string();
    assert!(error.contains("expected one rule set, found kvasir, tartu"), "{error}");
}

#[test]
fn start_rows_are_the_board() {
    let text = "base = \"kvasir\"\nstart = \"3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3\"\n";
    let large = Rules::new(RuleSet::from_toml(text).expect("kvasir on 11 squares")).expect("rules");
    assert_eq!((large.size(), large.set().king.reach), (BoardSize::Eleven, 10));
    let short = RuleSet::from_toml(&format!("{text}[king]\nreach = 3\n")).expect("a short king");
    assert_eq!(short.king.reach, 3);
    assert!(!RuleSet::named("kvasir").expect("a set").to_toml().contains("start ="));
    let rows = |rows: &str| fault(&format!("base = \"kvasir\"\nstart = \"{rows}\"\n"));
    let wide = ["13"; 13].join("/");
    for (start, parts) in [
        (wide.as_str(), ["start: 13 × 13 squares, expected 7 × 7, 9 × 9 or 11 × 11", "128 bits"]),
        ("8/8/8/8/8/8/8/8", ["start: 8 × 8 squares", "expected 7 × 7"]),
        ("7/7/7/2x4/7/7/7", ["start = ", "\"x\" in row 4"]),
        ("7/7/7/7/7/7/t5t", ["start has no king on d4", "start changes if the board is turned"]),
        ("t5t/7/7/3K3/7/7/t5t", ["start has pieces on the corners", "expected none"]),
        ("7/7/7/3K3/7/7/7", ["start has no attackers", "expected at least one"]),
    ] {
        let error = rows(start);
        assert!(parts.iter().all(|part| error.contains(part)), "{start}: {error}");
    }
}

#[test]
fn clauses_of_the_edge_that_have_no_effect_are_refused() {
    let fort = fault("base = \"kvasir\"\nexit-fort = true\n");
    assert!(fort.contains("exit-fort has no effect unless escape = \"corners\""), "{fort}");
    let wall = fault("base = \"imperial\"\n[captures]\nshield-wall = \"pieces\"\n");
    assert!(wall.contains("captures.shield-wall captures a whole row"), "{wall}");
}
