//! Compares the published rating of the second anchor with the games that it comes from.

use tablut_arena::ladder::{SECOND_ANCHOR, published_rating};
use tablut_arena::{MatchReport, ladder};

#[test]
fn the_second_anchor_is_rated_as_published() {
    let text = include_str!("../../../experiments/baselines/results.jsonl");
    let mut reports: Vec<MatchReport> = Vec::new();
    for line in text.lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        reports.extend(serde_json::from_value::<Vec<MatchReport>>(line["matches"].take()).unwrap());
    }
    let anchors = ["random=0".parse().unwrap()];
    for rules in ["piecepack", "imperial", "ludoteka", "linnaeus", "masters", "kvasir"] {
        let played: Vec<MatchReport> = reports.iter().filter(|report| report.rules == rules).cloned().collect();
        let ladder = ladder(&played, &anchors).unwrap();
        let anchor = ladder.players.iter().find(|player| player.name == SECOND_ANCHOR).unwrap();
        let rounded = 10.0 * (anchor.rating.elo / 10.0).round();
        assert_eq!(published_rating(rules), Some(rounded), "{rules}: {:?}", anchor.rating);
    }
    assert_eq!(published_rating("house rules"), None);
}
