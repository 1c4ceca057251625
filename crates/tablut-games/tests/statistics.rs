//! Statistics of self-play games agree with the records and with a net's direct outputs.

use std::sync::Arc;

use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, NetLosses, NetStatistics, ReplayedGame, RuleSetStatistics, Sample,
    SelfPlayConfig, SelfPlayGame, examine, game_rng, run_tasks,
};
use tablut_net::{Inference, InputBatch, NetError, OutputBatch};
use tablut_rules::{Results, Rules, Side};
use tablut_search::{SelfPlaySearch, UniformEvaluator};

/// Twelve short games, in turns under `rules`.
fn play(rules: &[Arc<Rules>]) -> Vec<GameRecord> {
    let config = SelfPlayConfig { opening_plies: 2, max_plies: 50, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 8);
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 4 };
    let task = |index: usize| {
        SelfPlayGame::new(
            index as u64,
            &rules[index % rules.len()],
            &config,
            &search,
            simulations,
            game_rng(3, 0, index as u64),
        )
    };
    let evaluators = || -> Vec<Box<dyn tablut_search::Evaluator>> { vec![Box::new(UniformEvaluator)] };
    run_tasks(12, concurrency, task, evaluators, &Counters::default(), &CancelToken::new(), |_, _| {}).unwrap()
}

fn rules(names: &[&str]) -> Vec<Arc<Rules>> {
    names.iter().map(|name| Arc::new(Rules::load(name).unwrap())).collect()
}

/// A net with equal logits for all moves. It gives the attackers a winning chance of 0.6.
struct Even;

impl Inference for Even {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        output.clear();
        output.logits = vec![0.25; input.moves.len()];
        output.wdl = vec![[0.6, 0.0, 0.4]; input.n];
        output.moves_left = vec![5.0; input.n];
        Ok(())
    }
}

#[test]
fn games_are_counted_by_rule_set_and_side() {
    let sets = rules(&["kvasir", "ashton", "masters"]);
    let games = play(&sets[..2]);
    let counted = RuleSetStatistics::count(&sets, &ReplayedGame::replay_all(&sets, &games).unwrap());
    assert_eq!(counted.iter().map(|set| set.rules.as_str()).collect::<Vec<_>>(), ["kvasir", "ashton"]);
    for set in &counted {
        let of_set: Vec<_> = games.iter().filter(|game| game.rules == set.rules).collect();
        let won = |side| of_set.iter().filter(|game| game.outcome.winner == Some(side)).count();
        let Results { attackers, draws, defenders, unfinished } = set.results;
        assert_eq!((set.games, attackers, defenders), (6, won(Side::Attackers), won(Side::Defenders)));
        assert_eq!(draws + unfinished, 6 - attackers - defenders);
        assert_eq!(set.endings.values().copied().sum::<Results>(), set.results);
        assert_eq!(set.endings.get("ply-limit").map_or(0, Results::games), unfinished);
        let plies = of_set.iter().map(|game| game.plies.len()).sum::<usize>();
        assert!((set.plies.mean * 6.0 - plies as f64).abs() < 1e-9);
        let searched = of_set.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some()).count();
        assert_eq!(set.attackers.positions + set.defenders.positions, searched);
        let proven = of_set.iter().flat_map(|game| &game.plies).filter_map(|ply| ply.search.as_ref());
        let proven = proven.filter(|search| search.chances.value().abs() == 1.0).count();
        assert_eq!(set.attackers.proven + set.defenders.proven, proven);
        assert!(set.attackers.legal_moves > 5.0 && set.attackers.target_entropy > 0.0);
        for side in Side::ALL {
            // Counts captures in another way: a capture reduces the number of pieces.
            let mut captured = 0;
            let place = sets.iter().position(|rules| rules.name() == set.rules).unwrap();
            for game in &of_set {
                let mut before = game.start.pieces(side.opponent()).len();
                let end = game.replay(&sets[place], |state, _, _| {
                    let now = state.position().pieces(side.opponent()).len();
                    captured += before - now;
                    before = now;
                });
                captured += before - end.unwrap().position().pieces(side.opponent()).len();
            }
            assert_eq!(set.side(side).captures * 6.0, captured as f64, "{side}");
        }
    }
}

#[test]
fn a_net_is_asked_about_an_even_sample() {
    let sets = rules(&["kvasir", "ashton"]);
    let games = play(&sets);
    let replayed = ReplayedGame::replay_all(&sets, &games).unwrap();
    let samples: Vec<&Sample> = replayed.iter().flat_map(|game| &game.samples).collect();
    let ask = |most| examine(&sets, &samples, most, &|| Box::new(Even)).unwrap();
    let searched = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some()).count();
    assert_eq!((ask(0).len(), ask(100).len(), ask(1_000_000).len()), (0, 100, searched));
    let all = ask(searched);
    for position in &all {
        let expected = position.prior_entropy - position.cross_entropy;
        assert!(expected.abs() < 1e-6, "all moves alike: every target costs the logarithm of their number");
        assert!((position.net_value - 0.2).abs() < 1e-6);
        assert!(position.target_entropy <= position.cross_entropy + 1e-9);
    }
    let net = NetStatistics::of(&all);
    let counted = all.iter().filter(|position| position.result_counts).count();
    assert!(0 < counted && counted < searched, "{counted} of {searched} positions are of finished games");
    assert_eq!((net.calibration.len(), net.calibration[0].positions), (1, counted));
    assert!(net.attackers.divergence > 0.0 && (0.0..=1.0).contains(&net.attackers.changed));
    let losses = NetLosses::of(&all, 0.0);
    let divergence = losses.policy - losses.policy_floor;
    let by_side = (net.attackers.divergence * net.attackers.positions as f64
        + net.defenders.divergence * net.defenders.positions as f64)
        / searched as f64;
    assert!((divergence - by_side).abs() < 1e-9);
}

#[test]
fn statistics_do_not_depend_on_the_number_of_threads() {
    let sets = rules(&["kvasir"]);
    let games = play(&sets);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let replayed = ReplayedGame::replay_all(&sets, &games).unwrap();
            let samples: Vec<&Sample> = replayed.iter().flat_map(|game| &game.samples).collect();
            let examined = examine(&sets, &samples, 77, &|| Box::new(Even)).unwrap();
            (RuleSetStatistics::count(&sets, &replayed), examined)
        })
    };
    assert!(with(1) == with(3));
}
