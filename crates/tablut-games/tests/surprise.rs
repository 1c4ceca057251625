//! How often the window draws each position.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, PlyRecord, RecordFile, ReplayWindow, SearchRecord, SelfPlayConfig,
    SelfPlayGame, game_rng, read_records, run_tasks, write_records,
};
use tablut_rules::{Game, MoveList, Position, Rules};
use tablut_search::{SearchConfig, UniformEvaluator};

/// Attackers are to move.
const START: &str = "9/5T3/2K6/9/9/7T1/6t2/8t/1t7 a";

fn kvasir() -> Arc<Rules> {
    Arc::new(Rules::named("kvasir").unwrap())
}

/// A game of these moves that the ply limit ends. `values` are those of the searches; a ply without one was random. Each
/// policy is all on the last legal move.
fn game(rules: &Arc<Rules>, moves: &[&str], values: &[Option<f32>]) -> GameRecord {
    let start: Position = START.parse().unwrap();
    let max_plies = moves.len() as u32;
    let mut game = Game::from_position(Arc::clone(rules), start).unwrap().with_max_plies(max_plies);
    let mut legal = MoveList::new();
    let mut plies = Vec::new();
    for (mv, value) in moves.iter().zip(values) {
        game.legal_moves(&mut legal);
        let mut policy = vec![0; legal.len()];
        policy[legal.len() - 1] = u16::MAX;
        let search = value.map(|value| SearchRecord { value, simulations: 1, policy, surprise: None });
        let mv = mv.parse().unwrap();
        plies.push(PlyRecord { mv, search });
        game.play(mv).unwrap();
    }
    let outcome = game.outcome().expect("the limit ends the game");
    GameRecord {
        index: 0,
        rules: rules.name().to_owned(),
        max_plies,
        start,
        plies,
        outcome,
        notes: tablut_games::GameNotes::default(),
    }
}

fn window(rules: &Arc<Rules>, games: &[GameRecord], surprise_share: f32) -> ReplayWindow {
    let mut window = ReplayWindow::new(vec![Arc::clone(rules)], 1_000_000).with_surprise_share(surprise_share);
    window.push(games).unwrap();
    window
}

/// Four moves from there, without a capture.
const MOVES: [&str; 4] = ["g3-g4", "h4-h5", "g4-g5", "f8-f7"];

#[test]
fn surprising_positions_are_drawn_more_often() {
    let rules = kvasir();
    let mut record = game(&rules, &MOVES, &[Some(0.0); 4]);
    for (ply, surprise) in record.plies.iter_mut().zip([0, 0, 100, 300]) {
        ply.search.as_mut().unwrap().surprise = Some(surprise);
    }
    let plain = game(&rules, &MOVES, &[Some(0.0); 4]);
    let mut window = window(&rules, &[record], 0.5);
    window.push(&[plain]).unwrap();
    // Plies left tell positions of one game apart; both games have the same number of them.
    let batch = window.batch(8_000, 0.0, &mut ChaCha8Rng::seed_from_u64(5));
    let mut counts = [0; 4];
    batch.moves_left.iter().for_each(|&left| counts[4 - left as usize] += 1);
    // Weights 0.5, 0.5, 1 and 2 in the first game, 1 in the second, which has no surprises: 1.5, 1.5, 2, 3 eighths.
    for (found, expected) in counts.iter().zip([1500, 1500, 2000, 3000_i32]) {
        assert!((found - expected).abs() < 180, "{counts:?}");
    }
    let again = window.batch(200, 0.0, &mut ChaCha8Rng::seed_from_u64(5)).moves_left;
    assert_eq!(again, batch.moves_left[..200], "draws depend on the generator alone");
}

#[test]
fn games_record_the_surprise_only_if_it_is_wanted() {
    let rules = kvasir();
    let play = |surprise_share| {
        let config = SelfPlayConfig { max_plies: 20, surprise_share, ..SelfPlayConfig::default() };
        let search = SearchConfig { simulations: 8, ..SearchConfig::default() };
        run_tasks(
            3,
            Concurrency { workers: 1, tasks_per_worker: 4 },
            |index| SelfPlayGame::new(index as u64, &rules, &config, &search, game_rng(1, 0, index as u64)),
            || vec![Box::new(UniformEvaluator)],
            &Counters::default(),
            &CancelToken::new(),
            |_, _| {},
        )
        .unwrap()
    };
    let searches = |games: &[GameRecord]| -> Vec<SearchRecord> {
        games.iter().flat_map(|game| &game.plies).filter_map(|ply| ply.search.clone()).collect()
    };
    let (without, with) = (play(0.0), play(0.5));
    assert!(searches(&without).iter().all(|search| search.surprise.is_none()));
    for search in searches(&with) {
        // The evaluator's policy is even, so the surprise is the logarithm of the moves less the target's entropy.
        let total: f64 = search.policy.iter().map(|&p| f64::from(p)).sum();
        let shares = search.policy.iter().map(|&p| f64::from(p) / total).filter(|&p| p > 0.0);
        let expected = (search.policy.len() as f64).ln() + shares.map(|p| p * p.ln()).sum::<f64>();
        let found = f64::from(search.surprise.unwrap()) / 1024.0;
        assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
    }
    // Everything else of the games is the same, and both kinds of files come back.
    let forget = |mut games: Vec<GameRecord>| {
        let plies = games.iter_mut().flat_map(|game| &mut game.plies);
        plies.filter_map(|ply| ply.search.as_mut()).for_each(|search| search.surprise = None);
        games
    };
    assert_eq!(forget(with.clone()), without);
    let folder = tempfile::tempdir().unwrap();
    for games in [without, with] {
        let path = folder.path().join("some.games");
        let file = RecordFile::new(1, [&*rules], games);
        write_records(&path, &file).unwrap();
        assert_eq!(read_records(&path).unwrap(), file);
    }
}
