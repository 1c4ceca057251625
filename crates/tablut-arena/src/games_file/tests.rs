//! A match continues a file of games, and another match's file is rejected.

use super::{GamesFile, GamesFileError, MatchHeader, PlayerIdentity};
use crate::contest::{MatchConfig, play_match};
use crate::openings::Opening;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tablut_games::{CancelToken, Concurrency, GameRecord};
use tablut_players::Contestant;
use tablut_rules::Rules;
use tablut_search::SearchConfig;

fn rules() -> Arc<Rules> {
    Arc::new(Rules::named("imperial").unwrap())
}

fn header() -> MatchHeader {
    let player =
        |name: &str, search| PlayerIdentity { name: name.to_owned(), player: None, net: None, search, version: None };
    MatchHeader {
        format: MatchHeader::FORMAT,
        rules: rules().set().clone(),
        players: vec![player("greedy", None), player("random", Some(SearchConfig::for_play()))],
        matches: vec![[0, 1]],
        games: 8,
        opening_plies: 4,
        openings: "abc".to_owned(),
        max_plies: 60,
        seed: 3,
        sequential_test: None,
    }
}

fn games() -> BTreeMap<u64, GameRecord> {
    let contestant = |name: &str| Contestant::baseline(name.into(), &name.parse().unwrap()).unwrap();
    let config = MatchConfig {
        rules: rules(),
        n_pairs: 4,
        opening_plies: 4,
        book: None,
        max_plies: 60,
        seed: 3,
        sequential_test: None,
        concurrency: Concurrency { workers: 1, tasks_per_worker: 8 },
    };
    let players = [contestant("greedy"), contestant("random")];
    play_match(&config, &players, Vec::new(), Vec::new, &CancelToken::new(), |_| {}).unwrap().games
}

fn open(path: &Path) -> Result<GamesFile, GamesFileError> {
    GamesFile::open(path, header(), &[], &rules())
}

/// Writes the games in the order given.
fn write(path: &Path, order: &[u64]) {
    let games = games();
    let mut file = open(path).unwrap();
    for &idx in order {
        file.append(0, &games[&idx]).unwrap();
    }
}

#[test]
fn games_are_read_back_and_sorted_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, resumed) = (folder.path().join("whole"), folder.path().join("resumed"));
    write(&whole, &[0, 1, 2, 3, 4, 5, 6, 7]);
    open(&whole).unwrap().finish(&[8]).unwrap();
    write(&resumed, &[5, 2]);
    let known = open(&resumed).unwrap().games(0);
    let games = games();
    assert_eq!(known, [2, 5].map(|idx| games[&idx].clone()));
    write(&resumed, &[7, 6, 0, 1, 4, 3]);
    open(&resumed).unwrap().finish(&[8]).unwrap();
    assert_eq!(fs::read(&resumed).unwrap(), fs::read(&whole).unwrap());
    open(&resumed).unwrap().finish(&[4]).unwrap();
    assert_eq!(open(&resumed).unwrap().games(0).len(), 4, "games that do not count are removed");
}

#[test]
fn a_truncated_file_keeps_its_complete_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    write(&path, &[1, 0, 3]);
    let text = fs::read_to_string(&path).unwrap();
    let header_end = text.find('\n').unwrap() + 1;
    for length in (header_end..=text.len()).step_by(7).chain([text.len() - 1]) {
        fs::write(&path, &text[..length]).unwrap();
        let expected = text[..length].matches('\n').count() - 1;
        assert_eq!(open(&path).unwrap().games(0).len(), expected, "{length} bytes");
        write(&path, &[7]);
        assert_eq!(open(&path).unwrap().games(0).len(), expected + 1, "{length} bytes");
    }
}

#[test]
fn a_match_with_more_games_continues_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let [openings, others] = [3, 4].map(|seed| crate::openings::openings(&rules(), 5, 4, seed).unwrap());
    let open = |games: usize, openings: &[Opening]| {
        let header = MatchHeader { games, openings: MatchHeader::hash_of(openings), ..header() };
        GamesFile::open(&path, header, openings, &rules())
    };
    let known = |games, openings: &[Opening]| {
        let file = open(games, openings).ok()?;
        Some(file.games(0).into_iter().map(|game| game.index).collect::<Vec<_>>())
    };
    open(8, &openings[..4]).unwrap().append(0, &games()[&2]).unwrap();
    assert_eq!(known(10, &others), None, "other openings");
    // A longer list of random openings starts like a shorter one. The openings of a book are the same.
    assert_eq!(known(10, &openings), Some(vec![2]));
    assert_eq!(known(12, &openings), Some(vec![2]));
    assert_eq!(known(10, &openings), None, "fewer games");
    assert!(fs::read_to_string(&path).unwrap().contains("\"games\":12"));
}

#[test]
fn another_match_is_rejected_with_its_differences() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    write(&path, &[0]);
    let before = fs::read(&path).unwrap();
    let refused = |change: fn(&mut MatchHeader), parts: &[&str]| {
        let mut other = header();
        change(&mut other);
        let error = GamesFile::open(&path, other, &[], &rules()).err().expect("another match").to_string();
        for part in parts {
            assert!(error.contains(part), "{part}: {error}");
        }
    };
    refused(|h| h.seed = 4, &["seed: 3 in the file, 4 in the command"]);
    refused(|h| h.games = 6, &["games: 8 in the file, 6 in the command"]);
    refused(|h| (h.games, h.seed) = (10, 4), &["games: 8 in the file, 10 in the command"]);
    refused(|h| h.players[1].name = "alphabeta:2".into(), &["players[1].name", "\"random\"", "\"alphabeta:2\""]);
    refused(|h| h.players[1].net = Some("cd".into()), &["players[1].net", "null", "\"cd\""]);
    refused(|h| h.players[1].search = Some(SearchConfig::for_analysis()), &["players[1].search.draw_value"]);
    refused(|h| h.rules.max_plies = Some(99), &["rules.max-plies", "99"]);
    refused(|h| h.matches.push([1, 0]), &["matches[1]", "nothing"]);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn other_files_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    for (text, part) in [
        (&b"a letter\nto someone\n"[..], "first line"),
        (b"no line", "first line"),
        (b"\xff\xfe\n", "UTF-8"),
        (b"{\"tablut_match\":99}\n", "version 99"),
        (b"{\"rules\":\"kvasir\"}\n", "first line"),
    ] {
        fs::write(&path, text).unwrap();
        let error = open(&path).err().expect("no games").to_string();
        assert!(error.contains(part) && error.contains("was not changed"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), text);
    }
    assert!(open(folder.path()).err().expect("a folder").to_string().contains("regular file"));
    fs::write(&path, b"").unwrap();
    assert!(open(&path).is_ok(), "an empty file is a new one");
}

#[test]
fn two_matches_do_not_write_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let first = open(&path).unwrap();
    let error = open(&path).err().expect("it is locked").to_string();
    assert!(error.ends_with("games is being written by another match"), "{error}");
    drop(first);
    open(&path).unwrap();
}

#[test]
fn damaged_lines_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    write(&path, &[0, 1]);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let reason = games()[&0].outcome.reason.name();
    let [renamed, swapped] = ["boredom", "aggressor"].map(|other| lines[1].replace(reason, other));
    for (damaged, part) in [
        (format!("{}\n{}\n{}\n", lines[0], lines[1], lines[1]), "line 3: game 1 of match 1 occurs twice"),
        (format!("{}\nnonsense\n{}\n", lines[0], lines[1]), "line 2: expected a game"),
        (text.replacen("\"game\":2", "\"game\":20", 1), "line 3: game 20 of match 1, expected 1 to 8"),
        (text.replacen("\"moves\":[\"", "\"moves\":[\"a1-a2\",\"", 1), "line 2: game 0, ply 1"),
        (format!("{}\n{renamed}\n", lines[0]), "unknown variant `boredom`"),
        (format!("{}\n{swapped}\n", lines[0]), "its record says"),
    ] {
        fs::write(&path, &damaged).unwrap();
        let error = open(&path).err().expect("damage").to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}
