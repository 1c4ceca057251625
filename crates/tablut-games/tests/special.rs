//! Games that differ from ordinary self-play: unequal searches, chosen openings.

use std::sync::Arc;

use tablut_games::{
    CancelToken, Concurrency, Counters, GameOrder, GameRecord, Handicap, ReplayWindow, ReplayedGame, RuleSetStatistics,
    SelfPlayConfig, pack_game, run_tasks, unpack_game,
};
use tablut_net::Weights;
use tablut_rules::{Position, Results, Rules, Side};
use tablut_search::{EvaluateError, Evaluation, Evaluator, SelfPlaySearch, Situation};

/// Gives each position a different value.
struct Hashed;

impl Hashed {
    fn evaluation(position: &Position, n_moves: usize) -> Evaluation {
        let mut hash = 0xcbf2_9ce4_8422_2325;
        for byte in position.to_string().bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let wins = (hash >> 40) as f32 / (1 << 24) as f32;
        Evaluation { logits: vec![0.0; n_moves], wdl: [wins, 0.0, 1.0 - wins], moves_left: 0.0 }
    }
}

impl Evaluator for Hashed {
    fn evaluate(&mut self, queries: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        Ok(queries.iter().map(|query| Self::evaluation(&query.position, query.moves.len())).collect())
    }
}

fn order(selfplay: SelfPlayConfig, handicaps: Vec<Handicap>) -> GameOrder {
    GameOrder {
        seed: 3,
        generation: 4,
        games: 40,
        rules: ["kvasir", "ashton"].map(|name| Arc::new(Rules::named(name).unwrap())).to_vec(),
        selfplay,
        search: SelfPlaySearch::default(),
        simulations: 8,
        weights: Arc::new(Weights::initial(&"lines32x1".parse().unwrap(), 1)),
        handicaps,
    }
}

fn config() -> SelfPlayConfig {
    SelfPlayConfig { opening_plies: 0, max_plies: 40, ..SelfPlayConfig::default() }
}

/// Plays with [`Hashed`] values.
fn play(order: &GameOrder) -> Vec<GameRecord> {
    let evaluators = || vec![Box::new(Hashed) as Box<dyn Evaluator>];
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 5 };
    let (counters, cancel) = (Counters::default(), CancelToken::new());
    let games =
        run_tasks(order.games, concurrency, |index| order.game(index), evaluators, &counters, &cancel, |_, _| {});
    let games = games.unwrap();
    for game in &games {
        game.replay(order.rules_of(game.index as usize), |_, _, _| {}).unwrap();
        let packed = pack_game(game).unwrap();
        assert_eq!(unpack_game(&packed, 1 << 20).unwrap(), (game.clone(), &[][..]));
    }
    games
}

/// The side that moves at each ply of a game, and whether the ply is a training position.
fn taught(game: &GameRecord) -> Vec<(Side, bool)> {
    let mut side = game.start.side_to_move();
    let ply = |search: bool| {
        let moved = side;
        side = side.opponent();
        (moved, search)
    };
    game.plies.iter().map(|ply| ply.search.is_some()).map(ply).collect()
}

#[test]
fn unequal_searches_are_those_of_the_plan_and_the_longer_ones_teach() {
    let mut handicaps = vec![Handicap::default(); 2];
    handicaps[1].simulations = Some([13, 3]);
    let order = order(SelfPlayConfig { balance: 0.1, ..config() }, handicaps);
    let games = play(&order);
    assert!(games.iter().step_by(2).all(|game| game.handicap.simulations.is_none()), "kvasir's games are even");
    let (uneven, even): (Vec<_>, Vec<_>) =
        games.iter().skip(1).step_by(2).partition(|game| game.handicap.simulations.is_some());
    assert!(uneven.len() > 4 && even.len() > 4, "{} of 20 games", uneven.len());
    let longest = |games: &[&GameRecord]| {
        let searches = games.iter().flat_map(|game| &game.plies).filter_map(|ply| ply.search.as_ref());
        searches.map(|search| search.simulations).max()
    };
    assert_eq!((longest(&uneven), longest(&even)), (Some(13), Some(8)));
    for game in uneven {
        assert_eq!(game.handicap.simulations, Some([13, 3]));
        assert!(taught(game).iter().all(|&(moved, taught)| taught == (moved == Side::Attackers)));
    }
}

#[test]
fn of_several_openings_the_most_even_one_is_played() {
    let distance = |balanced_openings| {
        let config = SelfPlayConfig { opening_plies: 6, balanced_openings, ..config() };
        let order = order(config, Vec::new());
        let games = play(&order);
        let mut sum = 0.0;
        for game in &games {
            let opening = game.plies.iter().take_while(|ply| ply.search.is_none()).count();
            assert!(opening <= 6);
            game.replay(order.rules_of(game.index as usize), |state, moves, _| {
                if state.ply() as usize == opening {
                    sum += Hashed::evaluation(state.position(), moves.len()).value().abs();
                }
            })
            .unwrap();
        }
        sum / games.len() as f32
    };
    let (one, eight) = (distance(0), distance(8));
    assert!(eight < 0.6 * one, "{eight} with eight openings, {one} with one");
    assert_eq!(distance(1), one);
}

#[test]
fn unequal_searches_do_not_change_the_other_games() {
    let handicaps = vec![Handicap { simulations: Some([13, 3]) }; 2];
    let plain = play(&order(config(), Vec::new()));
    let uneven = play(&order(config(), handicaps));
    assert!(uneven.iter().any(|game| game.handicap.simulations.is_some()));
    assert!(plain.iter().zip(&uneven).all(|(plain, uneven)| uneven.handicap.simulations.is_some() || uneven == plain));
}

#[test]
fn outcomes_of_unequal_games_teach_no_values() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let games = play(&order(SelfPlayConfig { max_plies: 400, ..config() }, Vec::new()));
    let mut game = games.into_iter().find(|game| game.result_counts(&rules)).unwrap();
    let target = |game: &GameRecord| {
        let mut window = ReplayWindow::new(vec![rules.clone()], 1000);
        window.push(std::slice::from_ref(game)).unwrap();
        window.in_order(0.0).wdl
    };
    let outcome = target(&game);
    assert!(outcome.iter().all(|wdl| wdl.contains(&1.0)), "{outcome:?}");
    game.handicap.simulations = Some([13, 3]);
    let searched: Vec<f32> = game.plies.iter().map(|ply| ply.search.as_ref().unwrap().chances.value()).collect();
    let values: Vec<f32> = target(&game).iter().map(|wdl| wdl[0] - wdl[2]).collect();
    for (value, search) in values.iter().zip(&searched) {
        assert!((value - search).abs() < 1e-6, "{value} is not the search's {search}");
    }
}

#[test]
fn results_are_counted_by_kind() {
    let mut handicaps = vec![Handicap::default(); 2];
    handicaps[1].simulations = Some([13, 3]);
    let config = SelfPlayConfig { balance: 0.1, ..config() };
    let order = order(config, handicaps);
    let games = play(&order);
    let count = |games: &[GameRecord]| {
        RuleSetStatistics::count(&order.rules, &ReplayedGame::replay_all(&order.rules, games).unwrap())
    };
    let counted = count(&games);
    assert!(counted[0].special.is_none());
    for (set, rules) in counted.iter().zip(&order.rules).skip(1) {
        let of_set = || games.iter().filter(move |game| game.rules == set.rules);
        let count = |fits: &dyn Fn(&GameRecord) -> bool| -> Results {
            of_set().filter(|game| fits(game)).map(|game| game.results(rules)).sum()
        };
        let special = set.special.unwrap();
        assert_eq!(special.ordinary, count(&|game| game.handicap.is_none()));
        assert_eq!(set.ordinary(), special.ordinary);
        assert!(special.ordinary.games() > 0 && special.ordinary.games() < set.games);
        assert_eq!(special.uneven.results, count(&|game| game.handicap.simulations.is_some()));
    }
    assert_eq!(counted[1].special.unwrap().uneven.simulations, [13, 3]);
    let plain = play(&self::order(self::config(), Vec::new()));
    let counted = count(&plain);
    assert!(counted.iter().all(|set| set.special.is_none()));
}
