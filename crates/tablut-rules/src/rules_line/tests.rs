//! Reading and writing lines of rules.

use super::*;
use crate::ruleset::{
    CampEntry, Escape, HostileCamps, Hostility, KingCapture, Landing, Passing, RepetitionResult, ShieldWall,
};
use crate::side::Side;
use crate::{RULE_SET_NAMES, Rules};

const START: &str = "start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
const FORTS: &str = "afor:a4,a5,a6,b5,d1,e1,f1,e2,i4,i5,i6,h5,d9,e9,f9,e8,";

fn read(rules: &str) -> RulesLine {
    let line = format!("dim:9 {rules} {START}");
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn fault(line: &str) -> String {
    line.parse::<RulesLine>().expect_err("a fault").to_string()
}

#[test]
fn rule_sets_survive_their_line() {
    let mut lost = Vec::new();
    for name in RULE_SET_NAMES {
        let set = RuleSet::named(name).expect("a built-in rule set");
        let start = set.start.with_side_to_move(set.first.side().unwrap_or(Side::Attackers));
        let worded = match set.to_opentafl(&start) {
            Ok(worded) => worded,
            Err(keys) => {
                lost.push((name, keys));
                continue;
            }
        };
        let read: RulesLine = worded.line.parse().unwrap_or_else(|error| panic!("{}: {error}", worded.line));
        assert_eq!(read.start, start, "{name}");
        assert_eq!(read.other_endings, Vec::<&str>::new(), "{name}");
        let mut expected = set.clone();
        if !worded.other_endings.is_empty() {
            // Moves and captures are the same. The rules about the end come from the line.
            expected.source.clone_from(&read.set.source);
            expected.name = format!("{name}-opentafl");
            expected.repetition = read.set.repetition;
            (expected.no_capture_plies, expected.max_plies) = (None, None);
        }
        assert_eq!(read.set, expected, "{}", worded.line);
    }
    let expected =
        [("imperial", vec!["captures.count"]), ("ashton", vec!["camps.entry", "camps.hostile-to-attackers"])];
    assert_eq!(lost, expected);
}

#[test]
fn only_the_end_of_three_games_is_lost() {
    let lost = |name: &str| {
        let set = RuleSet::named(name).expect("a built-in rule set");
        set.to_opentafl(&set.start).map(|worded| worded.other_endings)
    };
    assert_eq!(lost("copenhagen"), Ok(vec!["repetition.result"]));
    assert_eq!(lost("kvasir"), Ok(vec!["repetition.result"]));
    assert_eq!(lost("tartu"), Ok(vec!["no-capture-plies", "max-plies"]));
}

#[test]
fn rules_left_out_have_the_specifications_defaults() {
    let RulesLine { set, start, other_endings } = read("");
    assert_eq!(start, Position::start(Side::Attackers));
    assert_eq!(other_endings, Vec::<&str>::new());
    assert!(set.encirclement && !set.exit_fort);
    assert_eq!(set.captures.shield_wall, ShieldWall::Never);
    assert_eq!((set.name.as_str(), set.escape, set.king.armed), ("OpenTafl", Escape::Corners, true));
    assert_eq!([set.king.on_throne, set.king.beside_throne, set.king.elsewhere], [KingCapture::Surrounded; 3]);
    assert_eq!((set.throne.landing, set.throne.passing), (Landing::King, Passing::Anyone));
    assert_eq!(set.throne.hostile_to_attackers, Hostility::Always);
    assert_eq!(set.throne.hostile_to_defenders, Hostility::WhenEmpty);
    assert!(set.king.throne_closes && !set.king.edge_closes);
    assert_eq!((set.corners.landing, set.corners.hostile_to_soldiers), (Landing::King, true));
    assert_eq!((set.repetition.result, set.repetition.occurrences), (RepetitionResult::Draw, 3));
    assert!(Rules::new(set).is_ok());
}

#[test]
fn opentafls_own_games_are_read() {
    // The first line is from OpenTafl's serialiser, Sea Battle's is from the specification.
    let tablut =
        read("name:Tablut esc:e atkf:y ks:c nj:n cor: cenp:tcnkTCNK cens: cenh: cenhe:tcnkTCNK linc:y spd:-1").set;
    assert_eq!((tablut.name.as_str(), tablut.escape), ("Tablut", Escape::Edge));
    assert_eq!([tablut.king.beside_throne, tablut.king.elsewhere], [KingCapture::Surrounded, KingCapture::BetweenTwo]);
    assert_eq!((tablut.throne.landing, tablut.throne.passing), (Landing::Nobody, Passing::Anyone));
    assert_eq!(tablut.throne.hostile_to_attackers, Hostility::WhenEmpty);
    assert!(tablut.captures.pinned_defender && tablut.king.throne_closes);

    let battle = read("esc:e ka:n cen: cenhe: cor:").set;
    assert_eq!((battle.throne.landing, battle.throne.passing), (Landing::Anyone, Passing::Anyone));
    assert_eq!(battle.corners.landing, Landing::Anyone);
    assert!(!battle.king.armed && !battle.king.edge_closes && !battle.king.throne_closes);
}

#[test]
fn every_rule_reaches_its_key() {
    let middle = read("ks:m corh:tT cen:").set.king;
    assert!(middle.edge_closes && !middle.corner_closes && !middle.throne_closes);
    assert!(read("ks:m").set.king.corner_closes);
    let weak = read("ks:n").set;
    assert_eq!(weak.king.on_throne, KingCapture::BetweenTwo);
    assert_eq!(weak.throne.hostile_to_king, Hostility::WhenEmpty);
    assert!(weak.corners.hostile_to_king);
    assert_eq!(read("ks:c cen:").set.king.on_throne, KingCapture::BetweenTwo);
    assert_eq!(read("spd:-1,-1,-1,-1,-1,-1,-1,-1,-1,4,-1,-1,").set.king.reach, 4);
    assert_eq!(read("spd:-1,-1,-1,-1,-1,-1,-1,2").set.king.reach, 2);
    assert_eq!(read("spd:8").set.king.reach, 8);
    assert_eq!(read("cenre:").set.throne.passing, Passing::Nobody);
    assert_eq!(read("tfr:l").set.repetition.result, RepetitionResult::MoverLoses);
    assert_eq!(read("tfr:w surf:n").other_endings, ["the side that repeats a position wins (tfr:w; a draw here)"]);
    assert_eq!(read("sw:w").set.captures.shield_wall, ShieldWall::Pieces);
    assert_eq!(read("sw:s swf:y").set.captures.shield_wall, ShieldWall::PiecesAndCorners);
    assert!(read("efe:y").set.exit_fort && !read("surf:n").set.encirclement);
    let forts = read(&format!("{FORTS} ks:c aforp:tcnkm afors:tcnkm esc:e")).set;
    assert_eq!((forts.camps.entry, forts.escape), (CampEntry::Attackers, Escape::EdgeOutsideCamps));
    assert_eq!(
        (forts.camps.hostile_to_attackers, forts.camps.hostile_to_king),
        (HostileCamps::None, HostileCamps::All)
    );
    let downwards: RulesLine =
        "dim:9 atkf:n starti:/4K4/9/9/9/9/9/9/9/t8/".parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(downwards.start.to_string(), "4K4/9/9/9/9/9/9/9/t8 d");
}

#[test]
fn faults_say_what_was_expected() {
    for (rules, part) in [
        ("dim:11", "start: 9 × 9 squares, expected 11 × 11 as in dim"),
        ("dim:13", "dim:13, 13 × 13 squares, expected 7 × 7, 9 × 9 or 11 × 11: a set of squares has 128 bits"),
        ("dim:x", "dim:x, expected dim:7, dim:9 or dim:11"),
        ("esc:x", "esc:x, expected c or e"),
        ("esc:e esc:c", "esc: is given twice"),
        ("castle", "\"castle\", expected a rule"),
        ("kj:r", "jumping kings"),
        ("sw:s swf:n", "the piece that moves closes the row"),
        ("ber:c", "berserk"),
        ("ka:h", "expected y or n"),
        ("ks:q", "ks:q, expected s or c"),
        ("spd:3", "only the king may have a limit here"),
        ("spd:1,2,3", "expected 1, 2, 8, 10 or 12 numbers"),
        ("spd:0", "expected 1, 2, 8, 10 or 12 numbers"),
        ("cor:", "names no corners"),
        ("cor:b1,a1", "cor: expected a1,i1,a9,i9 or nothing"),
        ("cor:z1", "cor: "),
        ("cen:a1", "cen: expected e5 or nothing"),
        ("cenp:K", "cenp:K, expected tTK or nothing"),
        ("cens:TK", "cens:TK, expected tTK, K or nothing"),
        ("cenhe:", "cenh:t without cenhe:t"),
        ("cenh:q cenhe:", "'q' is no kind of piece"),
        ("corh:t", "soldiers of both sides"),
        ("linc:y ks:w", "captures.pinned-defender"),
        ("dfor:a1", "defenders have no fortresses"),
        ("afor:a1 ks:c", "expected the squares on which attackers start"),
        (&format!("{FORTS} ks:s"), "aforh:K with ks:s"),
        (&format!("{FORTS} ks:c aforre:"), "attackers here may always go back"),
        (&format!("{FORTS} ks:c afors:t"), "expected the same pieces in both"),
        ("quux:1", "quux: is no rule known here"),
    ] {
        let size = if rules.starts_with("dim") { "" } else { "dim:9 " };
        let error = fault(&format!("{size}{rules} {START}"));
        assert!(error.starts_with("line of rules: ") && error.contains(part), "{rules}: {error}");
    }
    assert!(fault("dim:9").contains("no start position"));
    assert!(fault("dim:9 start:9/9").contains("expected rows between slashes"));
    assert!(fault("dim:9 start:/9/9/9/9/9/9/9/9/9/").contains("there is no king"));
    assert!(fault("dim:9 start:/4c4/9/9/9/4K4/9/9/9/9/").contains('c'));
    assert!(fault(&format!("dim:9 {START} starti:/9/")).contains("together"));
    let camp = format!("dim:9 esc:e ks:c {FORTS} afors:t aforp:t start:/3T5/9/9/9/4K4/9/9/9/9/");
    assert!(fault(&camp).contains("a piece on a fortress that it may not enter"));
}
