//! Complete matches: their games, their counts, and that threads do not change them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tablut_arena::{MatchConfig, MatchOutcome, play_match};
use tablut_games::{CancelToken, Concurrency, GameRecord};
use tablut_players::{Contestant, NetSearch};
use tablut_ratings::{TestBounds, TestVerdict};
use tablut_rules::{Results, Rules};
use tablut_search::{EvaluateError, Evaluation, Evaluator, Limit, SearchConfig, Situation, UniformEvaluator};

fn config(rules: &str, n_pairs: usize) -> MatchConfig {
    MatchConfig {
        rules: Arc::new(Rules::named(rules).unwrap()),
        n_pairs,
        opening_plies: 4,
        book: None,
        max_plies: 200,
        seed: 9,
        sequential_test: None,
        concurrency: Concurrency { workers: 2, tasks_per_worker: 5 },
    }
}

fn contestant(text: &str) -> Contestant {
    Contestant::baseline(text.to_owned(), &text.parse().unwrap()).unwrap()
}

/// A search with a uniform evaluator.
fn uniform(simulations: u32) -> Contestant {
    let limit = Limit::of_simulations(simulations);
    let search = NetSearch { evaluator: 0, limit, config: SearchConfig::for_play() };
    Contestant::net(format!("uniform@{simulations}"), search)
}

fn evaluators() -> Vec<Box<dyn Evaluator>> {
    vec![Box::new(UniformEvaluator)]
}

fn play(config: &MatchConfig, players: &[Contestant; 2]) -> MatchOutcome {
    play_match(config, players, Vec::new(), evaluators, &CancelToken::new(), |_| {}).unwrap()
}

#[test]
fn pairs_share_an_opening_and_every_game_can_be_replayed() {
    for rules in ["kvasir", "imperial", "ashton"] {
        let config = config(rules, 6);
        let outcome = play(&config, &[contestant("greedy"), contestant("random")]);
        assert_eq!(outcome.games.len(), 12, "{rules}");
        let games: Vec<GameRecord> = outcome.games.into_values().collect();
        for pair in games.chunks(2) {
            assert_eq!(pair[0].start, pair[1].start, "{rules}");
            assert_eq!(pair[0].plies[..4], pair[1].plies[..4], "{rules}");
            for game in pair {
                game.replay(&config.rules, |_, _, _| {}).unwrap();
            }
        }
        let report = outcome.report;
        let endings: usize = report.endings.values().map(Results::games).sum();
        assert_eq!((report.games, endings), (12, 12), "{rules}");
        assert_eq!(report.as_attackers.results.games(), 6, "{rules}");
    }
}

#[test]
fn threads_and_batches_change_nothing() {
    let mut config = config("kvasir", 4);
    let players = [uniform(12), contestant("greedy")];
    let expected = play(&config, &players);
    for (workers, tasks_per_worker) in [(1, 1), (1, 8), (3, 2)] {
        config.concurrency = Concurrency { workers, tasks_per_worker };
        let outcome = play(&config, &players);
        assert_eq!(outcome.games, expected.games, "{workers} workers, {tasks_per_worker} games each");
        assert_eq!(outcome.report, expected.report);
    }
}

#[test]
fn a_search_without_a_net_beats_random() {
    let outcome = play(&config("kvasir", 10), &[uniform(32), contestant("random")]);
    let score = outcome.report.total.score.unwrap();
    assert!(score.mean >= 0.8, "{score:?}");
}

#[test]
fn a_settled_sequential_test_ends_the_match_at_the_same_pair_on_any_threads() {
    let mut config = config("kvasir", 400);
    config.sequential_test = Some(TestBounds { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 });
    let players = [contestant("greedy"), contestant("random")];
    let finished = AtomicUsize::new(0);
    let first = play_match(&config, &players, Vec::new(), evaluators, &CancelToken::new(), |progress| {
        finished.fetch_max(progress.games_finished, Ordering::Relaxed);
    });
    let first = first.unwrap();
    let test = first.report.sequential_test.unwrap();
    assert_eq!(test.state.verdict, TestVerdict::Stronger);
    assert!(first.report.games < 400, "{} games", first.report.games);
    assert!(finished.into_inner() >= first.report.games as usize);
    config.concurrency = Concurrency { workers: 1, tasks_per_worker: 1 };
    assert_eq!(play(&config, &players).report, first.report);
}

#[test]
fn a_verdict_of_the_test_ends_only_its_match() {
    let mut config = config("kvasir", 400);
    config.sequential_test = Some(TestBounds { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 });
    let (cancel, after) = (CancelToken::new(), AtomicUsize::new(0));
    // After a request to stop, Ctrl-C ends the process at once. So the caller's token must never be cancelled here.
    let outcome = play_match(
        &config,
        &[contestant("greedy"), contestant("random")],
        Vec::new(),
        evaluators,
        &cancel,
        |progress| {
            if progress.tally.test().is_some_and(|state| state.verdict != TestVerdict::Undecided) {
                after.fetch_add(1, Ordering::Relaxed);
            }
            assert!(!cancel.is_cancelled());
        },
    );
    assert!(outcome.unwrap().report.games < 800 && after.into_inner() > 0);
    assert!(cancel.cancel(), "the first request to stop");
}

#[test]
fn a_match_stops_on_request() {
    let cancel = CancelToken::new();
    let players = [contestant("random"), contestant("random")];
    let config = config("kvasir", 100);
    let stopped = play_match(&config, &players, Vec::new(), evaluators, &cancel, |progress| {
        if progress.games_finished == 30 {
            cancel.cancel();
        }
    });
    let stopped = stopped.unwrap();
    assert!(!stopped.report.complete && cancel.is_cancelled());
    assert!((30..200).contains(&stopped.games_finished), "{} games", stopped.games_finished);
    assert_eq!(stopped.report.games as usize, stopped.games.len());
    let whole = play(&config, &players);
    assert!(whole.report.complete);
    assert!(stopped.games.iter().all(|(idx, game)| whole.games[idx] == *game));
}

#[test]
fn a_resumed_match_equals_an_uninterrupted_one() {
    let mut config = config("kvasir", 40);
    let players = [contestant("greedy"), contestant("random")];
    for test in [None, Some(TestBounds { elo0: 0.0, elo1: 200.0, alpha: 0.05, beta: 0.05 })] {
        config.sequential_test = test;
        let whole = play(&config, &players);
        // The earlier games are in any order, and some are from pairs whose other game is missing.
        for earlier in [vec![7, 3, 2], (0..80).rev().step_by(3).collect(), (0..80).collect()] {
            let known = Mutex::new(Vec::new());
            play_match(
                &MatchConfig { sequential_test: None, ..config.clone() },
                &players,
                Vec::new(),
                evaluators,
                &CancelToken::new(),
                |progress| {
                    known.lock().unwrap().push(progress.game.clone());
                },
            )
            .unwrap();
            let mut known = known.into_inner().unwrap();
            known.retain(|game| earlier.contains(&game.index));
            let resumed = play_match(&config, &players, known, evaluators, &CancelToken::new(), |progress| {
                assert!(!earlier.contains(&progress.game.index), "game {} again", progress.game.index);
            });
            let resumed = resumed.unwrap();
            assert_eq!((resumed.report, resumed.games), (whole.report.clone(), whole.games.clone()));
        }
    }
}

#[test]
fn a_ply_limit_within_the_opening_leaves_every_game_unfinished() {
    let mut config = config("kvasir", 3);
    config.max_plies = 3;
    let report = play(&config, &[uniform(4), contestant("alphabeta:1")]).report;
    assert_eq!((report.endings["ply-limit"].unfinished, report.mean_plies), (6, 3.0));
}

/// Records the size of its first batch.
struct FirstBatch(Arc<Mutex<Option<usize>>>);

impl Evaluator for FirstBatch {
    fn evaluate(&mut self, queries: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        self.0.lock().unwrap().get_or_insert(queries.len());
        UniformEvaluator.evaluate(queries)
    }
}

#[test]
fn a_net_with_a_clock_plays_one_game_at_a_time() {
    let mut config = config("kvasir", 3);
    config.max_plies = 8;
    config.concurrency = Concurrency { workers: 1, tasks_per_worker: 64 };
    for (limit, expected) in [("20/1s", 1), ("20", 3)] {
        let timed = NetSearch { evaluator: 0, limit: limit.parse().unwrap(), config: SearchConfig::for_play() };
        let players = [Contestant::net(limit.to_owned(), timed), contestant("random")];
        let first_batch = Arc::new(Mutex::new(None));
        let evaluators = || vec![Box::new(FirstBatch(first_batch.clone())) as Box<dyn Evaluator>];
        let outcome = play_match(&config, &players, Vec::new(), evaluators, &CancelToken::new(), |_| {}).unwrap();
        assert_eq!(outcome.games.len(), 6);
        // The first round requests the root of each game in which the net moves first.
        assert_eq!(*first_batch.lock().unwrap(), Some(expected), "{limit}");
    }
}

#[test]
fn a_net_with_hardly_any_time_still_moves() {
    let mut config = config("kvasir", 1);
    config.max_plies = 20;
    let timed = NetSearch { evaluator: 0, limit: "1ms".parse().unwrap(), config: SearchConfig::for_play() };
    let players = [Contestant::net("timed".to_owned(), timed), contestant("random")];
    let report = play(&config, &players).report;
    assert_eq!(report.games, 2);
}
