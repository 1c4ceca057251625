//! Books from judges with fixed evaluations are written and read.

use super::{BookConfig, BookError, Judge, Look, OpeningBook, Opinion, make_book};
use crate::openings::canonical;
use crate::sealed_file::sealed;
use std::collections::HashSet;
use std::sync::Arc;
use tablut_net::{StatedRules, clauses_hash};
use tablut_rules::{Game, Move, MoveList, Rules, Side};

fn config(rules: &str, n_openings: usize) -> BookConfig {
    let rules = Arc::new(Rules::named(rules).unwrap());
    BookConfig { rules, n_openings, plies: 5, steered: false, band: 0.5, seed: 3, n_threads: 2 }
}

fn first_move(game: &Game) -> Move {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    moves[0]
}

/// Evaluates every position differently, but mirror images equally.
fn judge() -> Judge {
    Box::new(|game: &Game, _| {
        Ok(Opinion { value: (canonical(game.position()) % 1000) as f64 / 500.0 - 1.0, best: first_move(game) })
    })
}

fn book(config: &BookConfig) -> OpeningBook {
    OpeningBook::new(config, "told".to_owned(), None, make_book(config, judge, |_, _| true).unwrap())
}

#[test]
fn openings_are_different_and_within_the_band_on_any_threads() {
    for rules in ["kvasir", "imperial", "ashton"] {
        let mut config = config(rules, 60);
        let made = make_book(&config, judge, |_, _| true).unwrap();
        let mut seen = HashSet::new();
        for judged in &made {
            let game = judged.opening.game(&config.rules);
            assert!(game.outcome().is_none() && game.ply() == 5 && judged.value.abs() <= 0.5, "{rules}: {judged:?}");
            assert!(seen.insert(canonical(game.position())), "{rules}: {judged:?} comes twice");
        }
        config.n_threads = 5;
        config.n_openings = 20;
        assert_eq!(make_book(&config, judge, |_, _| true).unwrap(), made[..20], "{rules}");
    }
}

#[test]
fn in_a_steered_opening_the_side_behind_plays_the_judges_move() {
    let mut config = config("ludoteka", 20);
    config.steered = true;
    // For this judge the defenders are ahead at every short look, and every position is even at a full look.
    let judge = || -> Judge {
        Box::new(|game, look| {
            Ok(Opinion { value: if look == Look::Short { -0.9 } else { 0.1 }, best: first_move(game) })
        })
    };
    let book = OpeningBook::new(&config, "told".to_owned(), None, make_book(&config, judge, |_, _| true).unwrap());
    let mut random = 0;
    for judged in &book.openings {
        let mut game = Game::new(config.rules.clone(), judged.opening.first);
        for &mv in &judged.opening.moves {
            match game.position().side_to_move() {
                Side::Attackers => assert_eq!(mv, first_move(&game)),
                Side::Defenders => random += u32::from(mv != first_move(&game)),
            }
            game.play(mv).unwrap();
        }
    }
    assert!(random > 20, "{random} of 40 moves of the defenders are not the first");
    assert_eq!(OpeningBook::parse(&book.text(), &config.rules).unwrap(), book);
}

#[test]
fn a_band_that_nothing_fits_and_a_stop_are_reported() {
    let mut config = config("kvasir", 3);
    config.band = 0.1;
    let error =
        make_book(&config, || Box::new(|game, _| Ok(Opinion { value: 0.3, best: first_move(game) })), |_, _| true)
            .unwrap_err();
    assert!(matches!(error, BookError::TooFew { found: 0, wanted: 3, .. }), "{error}");
    config.n_openings = 500;
    let stopped = make_book(&config, judge, |_, tried| tried < 100).unwrap_err();
    assert!(stopped.to_string().contains("wider band"), "{stopped}");
}

#[test]
fn a_book_is_read_as_written_and_the_seed_determines_a_draw() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kvasir.openings");
    let config = config("kvasir", 30);
    let book = book(&config);
    book.write(&path).unwrap();
    assert_eq!(OpeningBook::read(&path, &config.rules).unwrap(), book);
    let ten = book.draw(10, 1, &"kvasir.openings").unwrap();
    assert_eq!(book.draw(30, 1, &"kvasir.openings").unwrap()[..10], ten);
    assert_ne!(book.draw(10, 2, &"kvasir.openings").unwrap(), ten);
    let error = book.draw(31, 1, &"kvasir.openings").unwrap_err().to_string();
    assert!(error.contains("kvasir.openings") && error.contains("30 openings, expected 31"), "{error}");
}

#[test]
fn a_person_writes_openings_as_lines_of_moves() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rules) = (folder.path().join("mine.txt"), Arc::new(Rules::named("kvasir").unwrap()));
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        OpeningBook::read(&path, &rules).map_err(|error| error.to_string())
    };
    let book = read("# mine\n\nd1-d3 e3-g3\r\na4-c4\n").unwrap();
    let moves: Vec<usize> = book.openings.iter().map(|judged| judged.opening.moves.len()).collect();
    assert_eq!((moves, book.plies), (vec![2, 1], 2));
    assert_eq!(OpeningBook::rules_of(&path).unwrap(), None);
    for (text, part) in [
        ("d1-d3\nd1-e1\n", "line 2: "),
        ("# nothing\n", "expected a line of moves"),
        ("d1-d3\nf1-f3\n", "mirror image"),
        ("d1-d3 soon\n", "soon"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains("mine.txt") && error.contains(part), "{text}: {error}");
    }
}

#[test]
fn faults_name_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kvasir.openings");
    let config = config("kvasir", 3);
    let book = book(&config);
    let text = book.text();
    let (header, body) = text.split_once('\n').unwrap();
    let unsealed = |header: &str| header.split_once("\"checksum\"").unwrap().0.to_owned() + "\"checksum\":\"\"}";
    let resealed = |body: &str| sealed(&format!("{}\n{body}", unsealed(header)));
    let reheaded = |from: &str, to: &str| sealed(&format!("{}\n{body}", unsealed(&header.replace(from, to))));
    let lines: Vec<&str> = body.lines().collect();
    let first_move = book.openings[1].opening.moves[0].to_string();
    let read = |text: String| {
        std::fs::write(&path, text).unwrap();
        OpeningBook::read(&path, &config.rules).unwrap_err().to_string()
    };
    let stated = serde_json::to_string(&book.rules).unwrap();
    let mut set = config.rules.set().clone();
    set.king.reach = 3;
    let changed = StatedRules::of(&Rules::new(set).unwrap());
    let masters = StatedRules::of(&Rules::named("masters").unwrap());
    for (text, part) in [
        (text.replace(&first_move, "a1-a2"), "line 1: damaged"),
        (resealed(&body.replacen(&first_move, "a1-a2", 9)), "a1-a2"),
        (resealed(&format!("{}\n{}\n{}\n", lines[0], lines[1], lines[0])), "line 4: an earlier opening"),
        (resealed(&body.replacen("attackers", "defenders", 1)), "line 2: the defenders move first"),
        (resealed(&format!("{}\nnonsense\n", lines[0])), "line 3: expected an opening"),
        (text.replace("\"version\":2", "\"version\":9"), "version 9, expected"),
        (
            reheaded(&stated, &serde_json::to_string(&masters).unwrap()),
            "for the rules masters, but the match has kvasir",
        ),
        (text.replace(&stated, "\"/tmp/any.toml\""), "expected the header of a file of openings"),
        (text.replace(&clauses_hash(config.rules.set()), "0123456789abcdef"), "the file says 0123456789abcdef…"),
        (
            reheaded(&stated, &serde_json::to_string(&changed).unwrap()),
            "other rules with the name kvasir, in which king.reach is 3 instead of 8",
        ),
        (String::new(), "line 1: expected a line of moves"),
        ("{}\n".to_owned(), "line 1: expected the header of a file of openings"),
    ] {
        let error = read(text);
        assert!(error.contains("kvasir.openings") && error.contains(part), "{part}: {error}");
    }
    assert_eq!(book.openings[0].opening.first, Side::Attackers);
    // A flipped bit in any byte, and any truncated text, are errors.
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 1 << (at % 7);
        if let Ok(damaged) = String::from_utf8(damaged) {
            assert!(OpeningBook::parse(&damaged, &config.rules).is_err(), "a flipped bit in byte {at} is no error");
        }
        assert!(OpeningBook::parse(&text[..at], &config.rules).is_err(), "{at} bytes were read as a book");
    }
    let missing = OpeningBook::read(&folder.path().join("none"), &config.rules).unwrap_err().to_string();
    assert!(missing.contains("none"), "{missing}");
}
