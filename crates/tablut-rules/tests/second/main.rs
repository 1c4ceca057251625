//! Compares the engine with a second generator, on random positions, whole random games and perft.
//!
//! The suite runs a small number of them from a fixed seed. These commands make a longer run with another seed:
//!
//! ```text
//! TABLUT_SEED=$RANDOM TABLUT_RANDOM_POSITIONS=5000 TABLUT_RANDOM_GAMES=500 \
//!     cargo test --release -p tablut-rules --test second -- --nocapture
//! TABLUT_PERFT_DEPTH=5 TABLUT_PERFT_RULES=kvasir,ashton \
//!     cargo test --release -p tablut-rules --test second perft_agrees -- --nocapture
//! ```

mod board;
mod compare;
mod enclosure;
mod mutants;
mod perft_files;
mod random;
mod slow;
mod slow_game;

use std::collections::BTreeMap;
use std::sync::Arc;

use board::Board;
use random::{Random, crowd, scatter};
use slow::Name;
use tablut_rules::{Game, MoveList, Position, Reason, Rules, Side};

/// A number from the environment, or the default.
fn setting(key: &str, default: u64) -> u64 {
    match std::env::var(key) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{key}={text}, expected a number")),
        Err(_) => default,
    }
}

fn seed() -> u64 {
    setting("TABLUT_SEED", 1732)
}

fn load(name: &str) -> Arc<Rules> {
    Arc::new(Rules::named(name).unwrap_or_else(|e| panic!("{e}")))
}

fn start(name: Name, turn: char) -> Board {
    Board::parse(&format!("{} {turn}", name.start()))
}

#[test]
fn every_name_is_covered() {
    assert!(Rules::names().eq(Name::ALL.iter().map(|(text, _)| *text)));
}

#[test]
fn random_positions_agree() {
    let n_positions = setting("TABLUT_RANDOM_POSITIONS", 300);
    for (text, name) in Name::ALL {
        let rules = load(text);
        let mut random = Random::new(seed() ^ name as u64);
        let n_positions = if name.n() > 9 { n_positions / 5 } else { n_positions };
        for i in 0..n_positions {
            let context = format!("{text}, seed {}, position {i}", seed());
            let board = scatter(name, &mut random);
            compare::compare_position(&rules, name, &board, &context);
            let position: Position = board.text().parse().expect("compared above");
            if i % 4 == 0 {
                compare::compare_legality(&rules, name, &board, &context);
                compare::compare_symmetries(&rules, &position, &context);
            }
        }
        println!("{text}: {n_positions} random positions agree (seed {})", seed());
    }
}

#[test]
fn random_games_agree() {
    let n_games = setting("TABLUT_RANDOM_GAMES", 40);
    for (text, name) in Name::ALL {
        let rules = load(text);
        let mut random = Random::new(seed() ^ (name as u64) << 32);
        let mut endings: BTreeMap<&str, u32> = BTreeMap::new();
        for i in 0..n_games {
            let context = format!("{text}, seed {}, game {i}", seed());
            // Every third game starts with few pieces, so that threats repeat.
            let first = if i % 2 == 0 { 'a' } else { 'd' };
            let board = if i % 3 == 2 { scatter(name, &mut random) } else { start(name, first) };
            let ending = compare::compare_game(&rules, name, &board, &mut random, 600, &context);
            *endings.entry(ending.unwrap_or("unfinished")).or_default() += 1;
        }
        println!("{text}: {n_games} random games agree (seed {}): {endings:?}", seed());
    }
}

#[test]
fn positions_of_random_games_agree() {
    let n_positions = setting("TABLUT_RANDOM_POSITIONS", 300);
    for (text, name) in Name::ALL {
        let rules = load(text);
        let mut random = Random::new(seed() ^ (name as u64) << 40);
        let mut moves = MoveList::new();
        let mut done = 0;
        // Comparing a position of the largest board takes long.
        let n_positions = if name.n() > 9 { n_positions / 5 } else { n_positions };
        while done < n_positions {
            let first = Side::ALL[random.below(2)];
            let mut game = Game::new(Arc::clone(&rules), first).with_max_plies(120);
            while game.outcome().is_none() && done < n_positions {
                game.legal_moves(&mut moves);
                game.play_trusted(moves[random.below(moves.len())]);
                if random.percent(25) {
                    let context = format!("{text}, seed {}, reached position {done}", seed());
                    let board = Board::parse(&game.position().to_string());
                    compare::compare_position(&rules, name, &board, &context);
                    done += 1;
                }
            }
        }
    }
}

/// Half of the moves to an edge beside an enemy, and few of the others.
fn is_chosen(board: &Board, step: slow::Step, random: &mut Random) -> bool {
    let enemy = if board.turn == 'a' { 'T' } else { 't' };
    let is_beside = |step_to: &board::At| board.at(board::plus(step.1, *step_to)) == enemy;
    let near = board::is_edge(board.n, step.1) && board::DIRECTIONS.iter().any(is_beside);
    random.percent(if near { 50 } else { 2 })
}

/// Positions with many pieces at the edge, where perft does not come: the end that follows from each position, and the
/// result of some moves. Every clause must occur in ten thousand positions or moves.
#[test]
fn crowded_edges_agree() {
    let n_positions = setting("TABLUT_CROWDED_POSITIONS", 30_000);
    for (text, name) in Name::ALL.into_iter().filter(|(_, name)| name.is_hnefatafl()) {
        let rules = load(text);
        let mut random = Random::new(seed() ^ 0x77);
        let mut moves = MoveList::new();
        let (mut forts, mut rings, mut walls) = (0, 0, 0);
        for i in 0..n_positions {
            let board = crowd(name, &mut random);
            let context = format!("{text}, seed {}, crowded position {i}: {}", seed(), board.text());
            let position: Position = board.text().parse().unwrap_or_else(|e| panic!("{context}: {e}"));
            let decided = rules.decided(&position);
            assert_eq!(decided.is_some(), slow::is_over(name, &board), "{context}");
            forts += u32::from(decided.is_some_and(|end| end.reason == Reason::ExitFort));
            rings += u32::from(decided.is_some_and(|end| end.reason == Reason::Encirclement));
            rules.legal_moves(&position, &mut moves);
            let steps = slow::legal(name, &board);
            assert_eq!(moves.len(), steps.len(), "{context}");
            for nth in (0..moves.len()).filter(|nth| is_chosen(&board, steps[*nth], &mut random)) {
                walls += compare::compare_move(&rules, name, &board, steps[nth], &context);
            }
        }
        println!("{text}: {forts} forts, {rings} encirclements, {walls} shield walls in {n_positions} positions");
        let clauses = [("encirclement", rings), ("exit fort", forts), ("shield wall", walls)];
        let own = if name == Name::Copenhagen { &clauses[..] } else { &clauses[..1] };
        for (clause, count) in own {
            assert!(u64::from(*count) * 400 > n_positions, "{text}: only {count} times {clause}");
        }
    }
}

/// Perft of the start position, for both first sides. The suite runs depth 4 for kvasir and masters, which differ in
/// nearly every field. `TABLUT_PERFT_DEPTH` sets the depth for all rule sets, or for those in `TABLUT_PERFT_RULES`.
#[test]
fn perft_agrees() {
    let chosen = std::env::var("TABLUT_PERFT_RULES").ok();
    let is_chosen = |text: &str| chosen.as_ref().is_none_or(|names| names.split(',').any(|name| name == text));
    for (text, name) in Name::ALL.into_iter().filter(|(text, _)| is_chosen(text)) {
        let rules = load(text);
        let own = if matches!(name, Name::Kvasir | Name::Masters | Name::Brandubh) {
            4
        } else if name.n() > 9 {
            2
        } else {
            3
        };
        let depth = setting("TABLUT_PERFT_DEPTH", own) as u32;
        for side in Side::ALL {
            let engine = rules.perft(&rules.start(side), depth);
            assert_eq!(
                engine,
                slow::perft(name, &start(name, side.letter()), depth),
                "{text}, {side} first, depth {depth}"
            );
            println!("{text}: {side} first, depth {depth}: {engine}");
        }
    }
}
