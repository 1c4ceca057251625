//! Self-play with a uniform evaluator: its records can be replayed, can be read back from disk, and do not depend on
//! threads.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, RecordFile, ReplayWindow, SelfPlayConfig, SelfPlayGame, game_rng,
    read_records, run_tasks, write_records,
};
use tablut_net::{FEATURES, PLANES};
use tablut_rules::Rules;
use tablut_search::{SelfPlaySearch, UniformEvaluator};

fn play(rules: &Arc<Rules>, config: &SelfPlayConfig, concurrency: Concurrency) -> (Vec<GameRecord>, u64) {
    let (search, simulations) = (SelfPlaySearch::default(), 8);
    let counters = Counters::default();
    let games = run_tasks(
        12,
        concurrency,
        |index| SelfPlayGame::new(index as u64, rules, config, &search, simulations, game_rng(3, 0, index as u64)),
        || vec![Box::new(UniformEvaluator)],
        &counters,
        &CancelToken::new(),
        |_, _| {},
    );
    assert_eq!(counters.finished.load(Ordering::Relaxed), 12);
    (games.unwrap(), counters.evaluations.load(Ordering::Relaxed))
}

fn rules(name: &str) -> Arc<Rules> {
    Arc::new(Rules::load(name).unwrap())
}

fn config() -> SelfPlayConfig {
    SelfPlayConfig { opening_plies: 4, max_plies: 60, ..SelfPlayConfig::default() }
}

#[test]
fn records_replay_to_their_recorded_end_under_every_rule_set() {
    for name in tablut_rules::RULE_SET_NAMES {
        let rules = rules(name);
        let (games, evaluations) = play(&rules, &config(), Concurrency { workers: 2, tasks_per_worker: 4 });
        assert!(evaluations > 0);
        let searched = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some()).count();
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        assert!(searched > 0 && searched < plies, "{name}: {searched} of {plies} plies are learnt from");
        for game in &games {
            game.replay(&rules, |_, _, _| {}).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn games_do_not_depend_on_workers_or_batches() {
    let rules = rules("kvasir");
    let one = play(&rules, &config(), Concurrency { workers: 1, tasks_per_worker: 12 });
    let three = play(&rules, &config(), Concurrency { workers: 3, tasks_per_worker: 2 });
    assert_eq!(one, three);
}

/// The search does not see the ply limit, so a game that is stopped early begins like one that is stopped late.
#[test]
fn a_stopped_game_is_the_beginning_of_a_longer_one() {
    for (opening_plies, limit) in [(4, 20), (30, 9), (4, 1)] {
        let rules = rules("masters");
        let with = |max_plies| {
            let config = SelfPlayConfig { opening_plies, max_plies, ..config() };
            play(&rules, &config, Concurrency { workers: 2, tasks_per_worker: 8 }).0
        };
        for (short, long) in with(limit).iter().zip(with(60)) {
            short.replay(&rules, |_, _, _| {}).unwrap();
            assert!(short.plies.len() <= limit as usize);
            if opening_plies < limit {
                assert_eq!(short.plies, long.plies[..short.plies.len()]);
                assert_eq!(short.is_unfinished(&rules), short.plies.len() < long.plies.len());
            }
        }
    }
}

#[test]
fn the_limit_of_plies_is_in_proportion_to_the_squares() {
    let config = SelfPlayConfig { max_plies: 27, ..config() };
    for (name, limit) in [("brandubh", 16), ("kvasir", 27), ("copenhagen", 40)] {
        let rules = rules(name);
        let (games, _) = play(&rules, &config, Concurrency { workers: 2, tasks_per_worker: 8 });
        assert!(games.iter().all(|game| game.max_plies == limit && game.plies.len() <= limit as usize));
        assert!(games.iter().any(|game| game.is_unfinished(&rules) && game.plies.len() == limit as usize), "{name}");
    }
}

#[test]
fn an_unfinished_game_teaches_what_its_last_search_expects() {
    let limited = |max_plies| {
        let mut set = Rules::named("masters").unwrap().set().clone();
        set.max_plies = max_plies;
        Arc::new(Rules::new(set).unwrap())
    };
    let free = limited(None);
    let (mut games, _) =
        play(&free, &SelfPlayConfig { max_plies: 20, ..config() }, Concurrency { workers: 2, tasks_per_worker: 8 });
    games.retain(|game| game.is_unfinished(&free));
    assert!(!games.is_empty());
    let targets = |rules: &Arc<Rules>, game: &GameRecord| {
        let mut window = ReplayWindow::new(vec![rules.clone()], 1000);
        window.push(std::slice::from_ref(game)).unwrap();
        let batch = window.in_order(0.0);
        (batch.wdl, batch.moves_left)
    };
    for game in &games {
        let last = game.plies.last().unwrap().search.as_ref().unwrap().chances;
        let expected = [last.attackers, last.draw, last.defenders];
        let (wdl, moves_left) = targets(&free, game);
        assert!(wdl.iter().all(|wdl| *wdl == expected), "{wdl:?}");
        assert!(moves_left.iter().all(|plies| plies.is_nan()), "the end is unknown: {moves_left:?}");
        // The length limit of a rule set is an end of the game.
        let own = limited(Some(20));
        assert!(!game.is_unfinished(&own) && game.result_counts(&own));
        let (wdl, moves_left) = targets(&own, game);
        assert!(wdl.iter().all(|wdl| *wdl == [0.0, 1.0, 0.0]));
        assert_eq!(moves_left.last(), Some(&1.0));
    }
}

#[test]
fn records_come_back_and_damage_is_named() {
    let rules = rules("imperial");
    let (games, evaluations) = play(&rules, &config(), Concurrency { workers: 2, tasks_per_worker: 8 });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.games");
    let file = RecordFile::new(evaluations, [&*rules], games);
    write_records(&path, &file).unwrap();
    assert_eq!(read_records(&path).unwrap(), file);

    let bytes = fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(211) {
        fs::write(&path, &bytes[..length]).unwrap();
        let error = read_records(&path).expect_err("a part of a file").to_string();
        assert!(error.contains("some.games"), "{error}");
    }
    for at in (0..28).chain((28..bytes.len()).step_by(173)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 16;
        fs::write(&path, &damaged).unwrap();
        assert!(read_records(&path).is_err(), "a flipped bit in byte {at} went unnoticed");
    }
}

#[test]
fn records_state_their_rules() {
    let mut set = Rules::named("kvasir").unwrap().set().clone();
    set.king.reach = 3;
    let own = Arc::new(Rules::new(set).unwrap());
    let (games, evaluations) = play(&own, &config(), Concurrency { workers: 2, tasks_per_worker: 8 });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.games");
    write_records(&path, &RecordFile::new(evaluations, [&*own], games)).unwrap();
    let file = read_records(&path).unwrap();
    let stated = file.rules_named("kvasir").unwrap();
    assert_eq!(stated.set(), own.set());
    for game in &file.games {
        game.replay(&stated, |_, _, _| {}).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(file.rules_named("ashton").is_none());
}

#[test]
fn a_record_that_does_not_fit_its_rules_is_refused() {
    let kvasir = rules("kvasir");
    let (mut games, _) = play(&kvasir, &config(), Concurrency { workers: 1, tasks_per_worker: 4 });
    let error = games[0].replay(&rules("ashton"), |_, _, _| {}).unwrap_err().to_string();
    assert!(error.contains("`kvasir`") && error.contains("`ashton`"), "{error}");
    games[1].plies.pop();
    assert!(games[1].replay(&kvasir, |_, _, _| {}).is_err(), "a game without its end");
}

#[test]
fn what_does_not_fit_is_refused_and_never_cut() {
    let kvasir = rules("kvasir");
    let (mut games, _) = play(&kvasir, &config(), Concurrency { workers: 1, tasks_per_worker: 4 });
    let mut window = ReplayWindow::new(vec![rules("ashton"); 65_536], 1);
    let error = window.push(&games).unwrap_err().to_string();
    assert!(error.contains("`kvasir`"), "{error}");
    let mut window = ReplayWindow::new([vec![rules("ashton"); 65_536], vec![kvasir.clone()]].concat(), 1);
    window.push(&games).unwrap();
    let wanted = window.in_order(0.0).input.planes;
    let mut window = ReplayWindow::new(vec![kvasir], 1);
    window.push(&games).unwrap();
    assert!(window.in_order(0.0).input.planes == wanted, "the rule set after 65536 others is another one");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.games");
    let searched = games[0].plies.iter_mut().find_map(|ply| ply.search.as_mut()).unwrap();
    searched.policy = vec![1; 65_536];
    let error = write_records(&path, &RecordFile::new(1, [], games)).unwrap_err().to_string();
    assert!(error.contains("some.games") && error.contains("frame 0: a policy over 65536 moves"), "{error}");
    assert!(!path.exists());
}

#[test]
fn the_window_keeps_the_latest_generations_and_draws_sound_batches() {
    let rules = rules("kvasir");
    let (games, _) = play(&rules, &config(), Concurrency { workers: 2, tasks_per_worker: 8 });
    let mut window = ReplayWindow::new(vec![Arc::clone(&rules)], 1);
    let added = window.push(&games).unwrap();
    assert_eq!(window.len(), added);
    let bytes = window.bytes();
    assert!(bytes > 0 && bytes <= ReplayWindow::most_bytes(added), "{bytes} bytes for {added} positions");
    window.push(&games).unwrap();
    assert_eq!(window.len(), added, "the older generation does not fit");
    assert_eq!(window.bytes(), bytes);

    let draw = || window.batch(32, 0.25, &mut ChaCha8Rng::seed_from_u64(1));
    let batch = draw();
    batch.input.validate().unwrap();
    assert_eq!(batch.input.planes.len(), 32 * PLANES);
    assert_eq!(batch.input.features.len(), 32 * FEATURES);
    for row in 0..32 {
        let sum: f32 = batch.policy[batch.input.move_range(row)].iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "row {row} sums to {sum}");
        assert!((batch.wdl[row].iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(batch.moves_left[row].is_nan() || batch.moves_left[row] >= 1.0);
    }
    assert_eq!(draw().input.planes, batch.input.planes);
}
